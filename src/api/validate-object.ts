// Schema and metadata rules over the object as it would be stored. An update is not refused for
// what was invalid before and has not changed, so that a stricter definition locks nothing in.

import type { Json } from "../base/json.ts"
import type { ApiObject } from "../object/object.ts"
import { type Issue, issuePathText, kubeText } from "../schema/issue.ts"
import { apiFault, causesText, type FieldCause, summarize } from "./faults.ts"
import { checkMetadata } from "./metadata-rules.ts"
import type { ServedResource } from "./served-resource.ts"

export function validateObject(
  resource: ServedResource,
  object: ApiObject,
  old: ApiObject | undefined,
): void {
  const issues = resource.schema.validate(object as Json, old as Json | undefined)
  const causes = [
    ...issues.map(issueCause),
    ...checkMetadata(resource, object.metadata),
    ...checkNewFinalizers(object, old),
    ...(resource.rules.check?.(object, old) ?? []),
  ]
  if (causes.length > 0) {
    throw invalidFault(resource.kind, object.metadata.name, causes, resource.group)
  }
}

export function invalidFault(
  kind: string,
  name: string,
  causes: readonly FieldCause[],
  group = "",
): Error {
  const why = summarize(causes.map(({ field, message }) => `${field}: ${message}`))
  const named = group === "" ? { kind, name } : { kind, name, group }
  return apiFault("SPT-API-005", { ...named, why, causes: causesText(causes) })
}

/** What a request says beside its object, as Kubernetes names it: `CreateOptions`, ... */
export function invalidOptions(options: string, cause: FieldCause): Error {
  const group = "meta.k8s.io"
  return invalidFault(`${options}.${group}`, "", [cause], group)
}

export function issueCause(issue: Issue): FieldCause {
  const field = issue.path.length === 0 ? "<nil>" : issuePathText(issue.path)
  const code = issue.detail?.code ?? issue.code
  return { field, reason: `FieldValue${code}`, message: kubeText(issue) }
}

function checkNewFinalizers(object: ApiObject, old: ApiObject | undefined): FieldCause[] {
  if (old?.metadata.deletionTimestamp === undefined) return []
  const before = old.metadata.finalizers ?? []
  const added = (object.metadata.finalizers ?? []).filter((name) => !before.includes(name))
  if (added.length === 0) return []
  const rule = "Forbidden: no new finalizers can be added if the object is being deleted"
  const found = `found new finalizers []string{${added.map((name) => `"${name}"`).join(", ")}}`
  const reason = "FieldValueForbidden"
  return [{ field: "metadata.finalizers", reason, message: `${rule}, ${found}` }]
}
