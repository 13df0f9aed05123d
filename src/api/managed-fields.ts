// Who owns which field, over every write. Apply entries come from the typed merge; all other
// writers own what they changed.

import { toTimestamp } from "../base/clock.ts"
import { equalJson, type Json, type JsonObject, toPlainJson } from "../base/json.ts"
import type { WriteOptions } from "../contract/client.ts"
import { enginePrincipal, isComposer, type Principal } from "../contract/principal.ts"
import { FieldSet } from "../object/field-set.ts"
import type { ApiObject, ManagedFieldsEntry, ObjectMeta } from "../object/object.ts"
import { updateSteps } from "../schema/apply-merge.ts"
import { atOnce } from "../schema/owner-versions.ts"
import type { Converting } from "./convert-objects.ts"
import { ownedByCreator } from "./created-fields.ts"
import { apiFault } from "./faults.ts"
import type { ServedResource } from "./served-resource.ts"
import { invalidOptions } from "./validate-object.ts"
import { versionedKind, withVersions } from "./versioned-kind.ts"

export const sourceManagerPrefix = "setpoint-source/"

export const isSourceManager = (manager: string): boolean => manager.startsWith(sourceManagerPrefix)

/** What a source or a composite declares is its own: nobody else changes it, also not by force. */
export const isDeclaringManager = (manager: string): boolean =>
  isSourceManager(manager) || isComposer({ name: manager })

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
  if (manager === "") {
    const message = "Required value: is required for apply patch"
    const cause = { field: "fieldManager", reason: "FieldValueRequired", message }
    throw invalidOptions("PatchOptions", cause)
  }
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it refuses
  if (manager.length > 128 || /[\u0000-\u001f\u007f]/.test(manager)) {
    throw refuse("it must have at most 128 printable characters")
  }
  if (isDeclaringManager(manager) && manager !== principalName) {
    throw refuse(
      `"${manager}" belongs to that ${isComposer({ name: manager }) ? "kind" : "source"}`,
    )
  }
}

/**
 * What the caller says of managedFields counts, except for what sources own. Entries that can't be
 * read are as good as none: those that are stored stand. A list of one empty entry clears them; an
 * empty list says so only from the engine, since clients that know nothing of them send it, too.
 */
export function baseManagedFields(
  given: readonly ManagedFieldsEntry[] | undefined,
  stored: readonly ManagedFieldsEntry[] | undefined,
  trusted: boolean,
): readonly ManagedFieldsEntry[] {
  if (given === undefined || (given.length === 0 && !trusted)) return stored ?? []
  const reset = given.length === 1 && equalJson(toPlainJson(given[0] ?? {}), {})
  if (!reset && !areReadable(given)) return stored ?? []
  const said = reset ? [] : given
  if (trusted) return said
  const ofSources = (stored ?? []).filter((entry) => isDeclaringManager(entry.manager))
  return [...ofSources, ...said.filter((entry) => !isDeclaringManager(entry.manager ?? ""))]
}

function areReadable(entries: readonly ManagedFieldsEntry[]): boolean {
  const shaped = entries.every(
    ({ operation, apiVersion, fieldsType }) =>
      ["Apply", "Update"].includes(operation) && Boolean(apiVersion) && fieldsType === "FieldsV1",
  )
  if (!shaped) return false
  try {
    for (const { fieldsV1 } of entries) FieldSet.fromFieldsV1(fieldsV1 ?? {})
    return true
  } catch {
    return false
  }
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
  readonly subresource: "" | "status" | "scale"
  readonly time: string
}

/** Whoever creates owns all of it, and the defaults that came with it. */
export function ownAfterCreate(
  resource: ServedResource,
  writer: UpdateWriter,
  after: ApiObject,
): readonly ManagedFieldsEntry[] {
  const kind = versionedKind(resource)
  const who = { manager: writer.manager, apiVersion: kind.apiVersion, time: writer.time }
  return ownedByCreator(resource, after, who, () => {
    const next = ownable(resource, writer, undefined, after)
    return atOnce(updateSteps(kind, {}, next, who, []))
  })
}

/**
 * Whoever writes owns what it changed. The engine's status writes are not tracked: nobody else
 * writes there, and they are many.
 */
export async function ownAfterUpdate(
  context: Converting,
  resource: ServedResource,
  writer: UpdateWriter,
  before: ApiObject,
  after: ApiObject,
  base: readonly ManagedFieldsEntry[],
): Promise<readonly ManagedFieldsEntry[]> {
  const { manager, subresource, time } = writer
  if (subresource === "status" && writer.principal.name === enginePrincipal.name) return base
  const kind = versionedKind(resource)
  const who = { manager, apiVersion: kind.apiVersion, time }
  const named = subresource === "" ? who : { ...who, subresource }
  const former = resource.schema.applyDefaults(before as JsonObject)
  const next = ownable(resource, writer, before, after)
  return withVersions(context, resource, updateSteps(kind, former, next, named, base))
}

/** With the defaults, and without what this writer can't set. */
function ownable(
  resource: ServedResource,
  { subresource }: UpdateWriter,
  before: ApiObject | undefined,
  after: ApiObject,
): JsonObject {
  const kept = resource.statusSubresource && subresource === "" ? before?.status : after.status
  const { status: _, ...rest } = { ...after, metadata: withoutEmpty(after.metadata) }
  const next = kept === undefined ? rest : { ...rest, status: kept }
  return resource.schema.applyDefaults(next as ApiObject as JsonObject)
}

/** Empty maps and lists of the metadata are never stored, and so never owned. */
function withoutEmpty(metadata: ObjectMeta): ObjectMeta {
  const members = Object.entries(metadata).filter(
    ([, value]) => typeof value !== "object" || Object.keys(value ?? {}).length > 0,
  )
  return Object.fromEntries(members) as Partial<ObjectMeta> as ObjectMeta
}

export const now = (clock: { now(): number }): string => toTimestamp(clock.now())
