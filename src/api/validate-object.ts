// Schema and metadata rules over the object as it would be stored. An update is not refused for
// what was invalid before and has not changed, so that a stricter definition locks nothing in.

import { equalJson, isArray, isObject, type Json } from "../base/json.ts"
import type { ApiObject } from "../object/object.ts"
import { type Issue, issuePathText } from "../schema/issue.ts"
import { apiFault, causesText, type FieldCause, summarize } from "./faults.ts"
import { checkMetadata } from "./metadata-rules.ts"
import type { ServedResource } from "./served-resource.ts"

export function validateObject(
  resource: ServedResource,
  object: ApiObject,
  old: ApiObject | undefined,
): void {
  const issues = resource.schema
    .validate(object as Json)
    .filter((issue) => old === undefined || !isUnchanged(issue, object, old))
  const causes = [
    ...issues.map(issueCause),
    ...checkMetadata(resource, object.metadata),
    ...checkNewFinalizers(object, old),
    ...(resource.rules.check?.(object, old) ?? []),
  ]
  if (causes.length > 0) throw invalidFault(resource.kind, object.metadata.name, causes)
}

export function invalidFault(kind: string, name: string, causes: readonly FieldCause[]): Error {
  const why = summarize(causes.map(({ field, message }) => `${field}: ${message}`))
  return apiFault("SPT-API-005", { kind, name, why, causes: causesText(causes) })
}

function issueCause(issue: Issue): FieldCause {
  const field = issuePathText(issue.path)
  return { field, reason: `FieldValue${issue.code}`, message: issue.message }
}

function isUnchanged(issue: Issue, object: ApiObject, old: ApiObject): boolean {
  // A missing member is judged by its parent: that has to be unchanged, too.
  const path = issue.code === "Required" ? issue.path.slice(0, -1) : issue.path
  if (path.length === 0) return false
  return equalJson(valueAt(object as Json, path), valueAt(old as Json, path))
}

function valueAt(value: Json, path: readonly (string | number)[]): Json | undefined {
  let current: Json | undefined = value
  for (const part of path) {
    if (isArray(current) && typeof part === "number") current = current[part]
    else if (isObject(current) && Object.hasOwn(current, part)) current = current[part]
    else return undefined
  }
  return current
}

function checkNewFinalizers(object: ApiObject, old: ApiObject | undefined): FieldCause[] {
  if (old?.metadata.deletionTimestamp === undefined) return []
  const before = old.metadata.finalizers ?? []
  return (object.metadata.finalizers ?? [])
    .filter((finalizer) => !before.includes(finalizer))
    .map((finalizer) => ({
      field: "metadata.finalizers",
      reason: "FieldValueForbidden",
      message: `no new finalizers can be added if the object is being deleted: ${finalizer}`,
    }))
}
