// Definitions: their name, their one storage version, a schema that compiles, and the conditions
// that say whether they are served. A definition whose names are taken is stored and not served.

import type { Clock } from "../../base/clock.ts"
import { toTimestamp } from "../../base/clock.ts"
import { equalJson, isArray, isObject, type JsonObject } from "../../base/json.ts"
import type { Admission, AdmissionRequest } from "../../contract/admission.ts"
import { type ConditionInput, mergeConditions } from "../../object/conditions.ts"
import type { ApiObject, Condition } from "../../object/object.ts"
import type { FieldCause } from "../faults.ts"
import { definitionGroup, definitionResource, type ResourceRegistry } from "../resource-registry.ts"
import { compileDefinition } from "../served-resource.ts"
import { invalidFault } from "../validate-object.ts"

export function definitionAdmission(registry: ResourceRegistry, clock: Clock): Admission {
  return {
    admit: async (request) => {
      const { key, object, operation } = request
      if (key.group !== definitionGroup || key.resource !== definitionResource) return object
      if (operation === "delete" || request.subresource === "status") return object
      checkDefinition(request)
      compileDefinition(object, false)
      return withStatus(registry, toTimestamp(clock.now()), object)
    },
  }
}

function checkDefinition({ object, old }: AdmissionRequest): void {
  const spec = object.spec ?? {}
  const names: JsonObject = isObject(spec.names) ? spec.names : {}
  const versions = (isArray(spec.versions) ? spec.versions : []).filter(isObject)
  const causes: FieldCause[] = []
  const refuse = (field: string, message: string) =>
    causes.push({ field, reason: "FieldValueInvalid", message })
  const name = `${names.plural}.${spec.group}`
  if (object.metadata.name !== name)
    refuse("metadata.name", `must be spec.names.plural.group: ${name}`)
  if (versions.filter((version) => version.storage === true).length !== 1) {
    refuse("spec.versions", "must have exactly one version marked as storage version")
  }
  const versionNames = versions.map((version) => version.name)
  if (new Set(versionNames).size !== versionNames.length) refuse("spec.versions", "names repeat")
  for (const part of ["group", "scope"] as const) {
    if (old !== undefined && !equalJson(old.spec?.[part], spec[part])) {
      refuse(`spec.${part}`, "field is immutable")
    }
  }
  if (causes.length > 0)
    throw invalidFault("CustomResourceDefinition", object.metadata.name, causes)
}

function withStatus(registry: ResourceRegistry, time: string, object: ApiObject): ApiObject {
  const taken = registry.takenNames(object)
  const accepted = taken.length === 0
  const names: ConditionInput = accepted
    ? {
        type: "NamesAccepted",
        status: "True",
        reason: "NoConflicts",
        message: "no conflicts found",
      }
    : {
        type: "NamesAccepted",
        status: "False",
        reason: "NamesConflict",
        message: `already in use: ${taken.join(", ")}`,
      }
  const established: ConditionInput = accepted
    ? {
        type: "Established",
        status: "True",
        reason: "InitialNamesAccepted",
        message: "the initial names have been accepted",
      }
    : { type: "Established", status: "False", reason: "NotAccepted", message: "names conflict" }
  const before = object.status?.conditions
  const conditions = mergeConditions(
    (isArray(before) ? before : []) as readonly JsonObject[] as readonly Condition[] &
      readonly JsonObject[],
    [names, established],
    time,
  )
  const stored = storedVersions(object)
  const status = { conditions, acceptedNames: object.spec?.names, storedVersions: stored }
  return { ...object, status: status as JsonObject & typeof status }
}

function storedVersions(object: ApiObject): string[] {
  const before = object.status?.storedVersions
  const versions = isArray(object.spec?.versions) ? object.spec.versions.filter(isObject) : []
  const storage = versions.find((version) => version.storage === true)?.name
  const all = [...(isArray(before) ? before : []), storage]
  return [...new Set(all.filter((name) => typeof name === "string"))]
}
