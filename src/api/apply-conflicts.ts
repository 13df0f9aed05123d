// The answer to an apply that would take over fields of others, worded as Kubernetes words it: its
// clients print the message and show the causes one by one.

import type { ApplyConflict } from "../schema/apply-merge.ts"
import { apiFault, causesText } from "./faults.ts"
import type { ServedResource } from "./served-resource.ts"
import { faultNames } from "./stored-object.ts"

/** `"mgr"`, with its subresource, and for updates with version and time. */
export function managerText(conflict: ApplyConflict): string {
  const { manager, subresource, operation, apiVersion, time } = conflict
  const named = JSON.stringify(manager)
  const whole = subresource ? `${named} with subresource ${JSON.stringify(subresource)}` : named
  if (operation === "Apply") return whole
  return time === undefined
    ? `${whole} using ${apiVersion}`
    : `${whole} using ${apiVersion} at ${time}`
}

export function applyConflictFault(
  resource: ServedResource,
  name: string,
  conflicts: readonly ApplyConflict[],
): Error {
  const [first] = conflicts
  const one = conflicts.length === 1 && first !== undefined
  return apiFault("SPT-API-017", {
    ...faultNames({ ...resource, namespace: "", name }),
    count: one ? "1 conflict" : `${conflicts.length} conflicts`,
    why: one ? `conflict with ${managerText(first)}: ${first.field}` : listed(conflicts),
    causes: causesText(
      conflicts.map((conflict) => ({
        field: conflict.field,
        reason: "FieldManagerConflict",
        message: `conflict with ${managerText(conflict)}`,
      })),
    ),
  })
}

function listed(conflicts: readonly ApplyConflict[]): string {
  const byManager = new Map<string, string[]>()
  for (const conflict of conflicts) {
    const manager = managerText(conflict)
    const lines = byManager.get(manager) ?? [`conflicts with ${manager}:`]
    lines.push(`- ${conflict.field}`)
    byManager.set(manager, lines)
  }
  const managers = [...byManager.keys()].sort()
  return managers.flatMap((manager) => byManager.get(manager) ?? []).join("\n")
}
