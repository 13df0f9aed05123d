// Who owns which field, over every write. Apply entries come from the typed merge; all other
// writers own what they changed.

import { toTimestamp } from "../base/clock.ts"
import { equalJson, type Json, type JsonObject } from "../base/json.ts"
import type { WriteOptions } from "../contract/client.ts"
import { enginePrincipal, type Principal } from "../contract/principal.ts"
import type { ApiObject, ManagedFieldsEntry } from "../object/object.ts"
import { updateManaged } from "../schema/apply-merge.ts"
import { apiFault } from "./faults.ts"
import { type ServedResource, servedApiVersion } from "./served-resource.ts"
import { asServed } from "./stored-object.ts"

export const sourceManagerPrefix = "setpoint-source/"

export const isSourceManager = (manager: string): boolean => manager.startsWith(sourceManagerPrefix)

/** Compares without the times of managedFields: a repeated write is no change. */
export function sameObject(left: ApiObject, right: ApiObject): boolean {
  return equalJson(comparable(left), comparable(right))
}

function comparable(object: ApiObject): Json {
  const { resourceVersion: _, managedFields, ...metadata } = object.metadata
  const entries = (managedFields ?? []).map(({ time: _time, ...entry }) => entry)
  return { ...object, metadata: { ...metadata, managedFields: entries } } as ApiObject as Json
}

/** Refuses names that only a source may use, and those that no entry can hold. */
export function checkManager(manager: string, principalName: string): void {
  const refuse = (why: string) =>
    apiFault("SPT-API-006", { verb: "use", what: "the field manager", why })
  if (manager === "") throw refuse("fieldManager is required for apply")
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it refuses
  if (manager.length > 128 || /[\u0000-\u001f\u007f]/.test(manager)) {
    throw refuse("it must have at most 128 printable characters")
  }
  if (isSourceManager(manager) && manager !== principalName) {
    throw refuse(`"${manager}" belongs to that source`)
  }
}

/** What the caller says of managedFields counts, except for what sources own. */
export function baseManagedFields(
  given: readonly ManagedFieldsEntry[] | undefined,
  stored: readonly ManagedFieldsEntry[] | undefined,
  trusted: boolean,
): readonly ManagedFieldsEntry[] {
  if (given === undefined) return stored ?? []
  const valid = given.filter((entry) => isEntry(entry))
  if (trusted) return valid
  const ofSources = (stored ?? []).filter((entry) => isSourceManager(entry.manager))
  return [...ofSources, ...valid.filter((entry) => !isSourceManager(entry.manager))]
}

function isEntry(entry: ManagedFieldsEntry): boolean {
  return typeof entry.manager === "string" && entry.fieldsType === "FieldsV1"
}

/** Who owns the fields that a write sets: the named manager, else the caller itself. */
export function managerOf(options: WriteOptions, principal: Principal): string {
  const manager = options.fieldManager || principal.name
  checkManager(manager, principal.name)
  return manager
}

export interface UpdateWriter {
  readonly manager: string
  readonly principal: Principal
  readonly subresource: "" | "status"
  readonly time: string
}

/** The engine's status writes are not tracked: nobody else writes there, and they are many. */
export function ownAfterUpdate(
  resource: ServedResource,
  writer: UpdateWriter,
  before: ApiObject | undefined,
  after: ApiObject,
  base: readonly ManagedFieldsEntry[],
): readonly ManagedFieldsEntry[] {
  const { manager, subresource, time } = writer
  if (subresource === "status" && writer.principal.name === enginePrincipal.name) return base
  const who = { manager, apiVersion: servedApiVersion(resource), time }
  const former = before === undefined ? {} : (asServed(resource, before) as JsonObject)
  const kept = resource.statusSubresource && subresource === "" ? before?.status : after.status
  const { status: _, ...rest } = after
  const next = (kept === undefined ? rest : { ...rest, status: kept }) as JsonObject
  const named = subresource === "" ? who : { ...who, subresource }
  return updateManaged(resource.schema.node, former, next, named, base)
}

export const now = (clock: { now(): number }): string => toTimestamp(clock.now())
