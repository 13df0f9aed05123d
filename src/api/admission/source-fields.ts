// A source's fields are its own: nobody else changes them, also not by force, and nobody else
// deletes what a source declared. What a composite declares of its children is its own, too; they
// may be deleted, and are made again. The answer names file and line and the ways out. The engine
// is exempt: it writes status and finalizers, and marks what a person approved.

import type { JsonObject } from "../../base/json.ts"
import { enginePrincipal, type Principal } from "../../contract/principal.ts"
import { type ApiObject, type ObjectKey, sourceAnnotation } from "../../object/object.ts"
import { touchedSteps } from "../../schema/apply-merge.ts"
import { atOnce, inOneVersion } from "../../schema/owner-versions.ts"
import type { Converting } from "../convert-objects.ts"
import { apiFault, causesText, summarize } from "../faults.ts"
import { isDeclaringManager, isSourceManager } from "../managed-fields.ts"
import type { ServedResource } from "../served-resource.ts"
import { faultNames } from "../stored-object.ts"
import { versionedKind, withVersions } from "../versioned-kind.ts"

export interface SourceFieldsWrite {
  readonly principal: Principal
  readonly resource: ServedResource
  readonly key: ObjectKey
}

export const isEngine = (principal: Principal): boolean => principal.name === enginePrincipal.name

export async function checkSourceFields(
  context: Converting,
  write: SourceFieldsWrite,
  before: ApiObject,
  after: ApiObject,
): Promise<void> {
  const { principal, resource, key } = write
  const entries = foreignEntries(before, principal, isDeclaringManager)
  if (entries.length === 0) return
  const [was, is] = [before as JsonObject, after as JsonObject]
  const steps = touchedSteps(versionedKind(resource), was, is, entries)
  const owned = await withVersions(context, resource, steps)
  const first = owned[0]
  if (first === undefined) return
  throw sourceConflict(
    key,
    before,
    first.manager,
    owned.map(({ path }) => path),
  )
}

/**
 * What a source declares is not lost by a write through a version that has no place for it either:
 * without a webhook such a write stores the object without it.
 */
export function checkStoredFields(
  { principal, resource, key }: SourceFieldsWrite,
  before: ApiObject,
  after: ApiObject,
): void {
  if (resource.conversion !== undefined || before.apiVersion !== after.apiVersion) return
  const entries = foreignEntries(before, principal, isDeclaringManager)
  const node = resource.versions.schemaOf(before.apiVersion)?.node
  if (entries.length === 0 || node === undefined) return
  const was = resource.versions.settle(before) as JsonObject
  const kind = inOneVersion(node, before.apiVersion)
  const owned = atOnce(touchedSteps(kind, was, after as JsonObject, entries))
  const [first] = owned
  if (first === undefined) return
  const fields = owned.map(({ path }) => path)
  throw sourceConflict(key, before, first.manager, fields)
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
  const entry = foreignEntries(object, principal, isSourceManager)[0]
  if (entry === undefined) return
  throw apiFault("SPT-API-016", {
    verb: "delete",
    ...faultNames(key),
    fields: "it is",
    manager: entry.manager,
    source: declaredAt(object),
  })
}

function foreignEntries(
  object: ApiObject,
  principal: Principal,
  declares: (manager: string) => boolean,
) {
  if (isEngine(principal)) return []
  return (object.metadata.managedFields ?? []).filter(
    (entry) => declares(entry.manager) && entry.manager !== principal.name,
  )
}

function declaredAt(object: ApiObject): string {
  const { annotations, ownerReferences = [] } = object.metadata
  const parent = ownerReferences.find(({ controller }) => controller === true)
  const place = annotations?.[sourceAnnotation]
  return place ?? (parent === undefined ? "its source" : `${parent.kind} ${parent.name}`)
}
