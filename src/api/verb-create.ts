// Makes a new object. With generateName a taken name is tried again with another suffix.

import { newSuffix } from "../base/random.ts"
import type { WriteOptions } from "../contract/client.ts"
import type { Principal } from "../contract/principal.ts"
import type { Written } from "../contract/verbs.ts"
import type { ApiObject, ObjectKey, ResourceRef } from "../object/object.ts"
import type { ApiContext } from "./api-context.ts"
import { apiFault } from "./faults.ts"
import { managerOf, now, ownAfterCreate } from "./managed-fields.ts"
import { type ReadInput, readInput } from "./read-input.ts"
import type { ServedResource } from "./served-resource.ts"
import { faultNames, readStored } from "./stored-object.ts"
import { invalidFault } from "./validate-object.ts"
import { keyOf } from "./verb-get.ts"
import { writeObject } from "./write-object.ts"

const attempts = 8
const generatedBaseMax = 58

export async function createObject(
  context: ApiContext,
  principal: Principal,
  ref: ResourceRef,
  input: ApiObject,
  options: WriteOptions = {},
): Promise<Written> {
  for (let attempt = 0; attempt < attempts; attempt++) {
    const resource = context.registry.need(ref)
    const read = readCreated(resource, input, options)
    const key = newKey(context, resource, read.object)
    // The commit itself refuses a taken name; only what is not committed has to look first.
    const looks = attempt > 0 || options.dryRun === true
    const taken = looks ? await readStored(context, key) : undefined
    if (taken === undefined) {
      const draft = { ...read, object: named(read.object, key) }
      const written = await createNamed(context, principal, resource, draft, options)
      if (written !== undefined) return written
      // The name, the namespace or the definition changed under our hands: look again.
    } else if (read.object.metadata.name) {
      throw apiFault("SPT-API-003", { ...faultNames(key) })
    }
  }
  const name = input.metadata.name || (input.metadata.generateName ?? "")
  const { group, resource } = ref
  throw apiFault("SPT-API-003", { ...faultNames({ group, resource, namespace: "", name }) })
}

function readCreated(resource: ServedResource, input: ApiObject, options: WriteOptions): ReadInput {
  const read = readInput(resource, input, "create", options)
  if (!read.object.metadata.resourceVersion) return read
  const why = "resourceVersion should not be set on objects to be created"
  throw apiFault("SPT-API-006", { verb: "create", what: `a ${resource.kind}`, why })
}

/** Undefined when somebody else was faster. */
export async function createNamed(
  context: ApiContext,
  principal: Principal,
  resource: ServedResource,
  { object, warnings }: ReadInput,
  options: WriteOptions,
): Promise<Written | undefined> {
  const manager = managerOf(options, principal)
  const writer = { manager, principal, subresource: "", time: now(context.clock) } as const
  const { namespace, name } = object.metadata
  return writeObject(context, {
    principal,
    resource,
    key: keyOf(resource, namespace ?? "", name),
    subresource: "",
    old: undefined,
    object,
    managedFields: ownAfterCreate(resource, writer, object),
    dryRun: options.dryRun === true,
    warnings,
  })
}

function newKey(context: ApiContext, resource: ServedResource, object: ApiObject): ObjectKey {
  const { name, generateName, namespace } = object.metadata
  if (name) return keyOf(resource, namespace ?? "", name)
  if (!generateName) {
    const message = "Required value: name or generateName is required"
    const cause = { field: "metadata.name", reason: "FieldValueRequired", message }
    throw invalidFault(resource.kind, "", [cause])
  }
  const generated = `${generateName.slice(0, generatedBaseMax)}${newSuffix(context.random)}`
  return keyOf(resource, namespace ?? "", generated)
}

const named = (object: ApiObject, { name }: ObjectKey): ApiObject => ({
  ...object,
  metadata: { ...object.metadata, name },
})
