// A source's fields are its own: nobody else changes them, also not by force, and nobody else
// deletes what a source declared. The answer names file and line and the ways out. The engine is
// exempt: it writes status and finalizers, and marks what a person approved.

import type { JsonObject } from "../../base/json.ts"
import { enginePrincipal, type Principal } from "../../contract/principal.ts"
import { type ApiObject, type ObjectKey, sourceAnnotation } from "../../object/object.ts"
import { changedPaths } from "../../schema/apply-merge.ts"
import { ownersOf } from "../../schema/managed-fields.ts"
import { apiFault, causesText, summarize } from "../faults.ts"
import { isSourceManager } from "../managed-fields.ts"
import type { ServedResource } from "../served-resource.ts"
import { faultNames } from "../stored-object.ts"

export interface SourceFieldsWrite {
  readonly principal: Principal
  readonly resource: ServedResource
  readonly key: ObjectKey
}

export const isEngine = (principal: Principal): boolean => principal.name === enginePrincipal.name

export function checkSourceFields(
  write: SourceFieldsWrite,
  before: ApiObject,
  after: ApiObject,
): void {
  const { principal, resource, key } = write
  const entries = foreignSourceEntries(before, principal)
  if (entries.length === 0) return
  const changed = changedPaths(resource.schema.node, before as JsonObject, after as JsonObject)
  const owned = ownersOf(entries, changed)
  const first = owned[0]
  if (first === undefined) return
  throw sourceConflict(
    key,
    before,
    first.manager,
    owned.map(({ path }) => path),
  )
}

export function sourceConflict(
  key: ObjectKey,
  before: ApiObject,
  manager: string,
  fields: readonly string[],
): Error {
  return apiFault("SPT-API-016", {
    verb: "change",
    ...faultNames(key),
    fields: `${summarize(fields, 5)} ${fields.length === 1 ? "is" : "are"}`,
    manager,
    source: declaredAt(before),
    causes: causesText(
      fields.map((field) => ({
        field,
        reason: "FieldManagerConflict",
        message: `declared by ${manager} at ${declaredAt(before)}`,
      })),
    ),
  })
}

export function checkSourceDelete(principal: Principal, key: ObjectKey, object: ApiObject): void {
  const entry = foreignSourceEntries(object, principal)[0]
  if (entry === undefined) return
  throw apiFault("SPT-API-016", {
    verb: "delete",
    ...faultNames(key),
    fields: "it is",
    manager: entry.manager,
    source: declaredAt(object),
  })
}

function foreignSourceEntries(object: ApiObject, principal: Principal) {
  if (isEngine(principal)) return []
  return (object.metadata.managedFields ?? []).filter(
    (entry) => isSourceManager(entry.manager) && entry.manager !== principal.name,
  )
}

function declaredAt(object: ApiObject): string {
  return object.metadata.annotations?.[sourceAnnotation] ?? "its source"
}
