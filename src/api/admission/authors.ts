// Notes who changed a spec by the API, so that who asked for a change can't be the one who approves
// it. Whatever a writer says about it is replaced by what is true.

import { equalJson, type Json } from "../../base/json.ts"
import type { Admission, AdmissionRequest } from "../../contract/admission.ts"
import { handOf, isComposer, isSource } from "../../contract/principal.ts"
import { authorsAnnotation, authorsText, unprotectedBy } from "../../object/authors.ts"
import { type ApiObject, setpointGroup } from "../../object/object.ts"
import { declaresProtection } from "../../object/protection.ts"
import type { HasProvider } from "./loop-label.ts"
import { isEngine } from "./source-fields.ts"

/** Kinds without a target whose changes are judged all the same. */
const judged: ReadonlySet<string> = new Set(["loops", "guardpolicies"])

export function authorsAdmission(hasProvider: HasProvider): Admission {
  return {
    admit: (request) => {
      const { key, object, operation, subresource } = request
      if (operation === "delete" || subresource !== "") return object
      const own = key.group === setpointGroup && judged.has(key.resource)
      if (!own && !hasProvider(key.group, key.resource)) return object
      return withAuthors(object, authors(request))
    },
  }
}

function authors({ object, old, principal }: AdmissionRequest): string | undefined {
  const same = old !== undefined && equalJson(specOf(old), specOf(object))
  const composed = isComposer(principal) && principal.impersonator === undefined
  const handless = isSource(principal) || isEngine(principal) || composed
  const generation = (old?.metadata.generation ?? 0) + 1
  const removes = old !== undefined && declaresProtection(old) && !handless
  const before = [...unprotectedBy(old), ...(removes ? [handOf(principal)] : [])]
  const lifted = declaresProtection(object) ? [] : before
  return authorsText(old, same || handless ? undefined : handOf(principal), generation, lifted)
}

const specOf = ({ spec }: ApiObject): Json => spec ?? {}

function withAuthors(object: ApiObject, text: string | undefined): ApiObject {
  const { [authorsAnnotation]: given, ...others } = object.metadata.annotations ?? {}
  if (given === text) return object
  const annotations = text === undefined ? others : { ...others, [authorsAnnotation]: text }
  const { annotations: _, ...metadata } = object.metadata
  const some = Object.keys(annotations).length > 0
  return { ...object, metadata: some ? { ...metadata, annotations } : metadata }
}
