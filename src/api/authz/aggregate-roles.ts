// Writes into aggregating cluster roles the rules that they have, so that whoever looks at one sees
// them. What counts is computed from the labelled roles themselves, and is not a moment behind.

import { type Fault, toFault } from "../../base/faults.ts"
import { equalJson, isArray, type Json, type JsonObject } from "../../base/json.ts"
import { enginePrincipal } from "../../contract/principal.ts"
import type { Verbs } from "../../contract/verbs.ts"
import type { PolicyRule } from "./policy-rule.ts"
import type { Role, RoleIndex } from "./role-index.ts"

export interface RoleAggregation {
  /** Resolves when everything known so far is written. */
  settled(): Promise<void>
  close(): Promise<void>
}

export function aggregateRoles(
  index: RoleIndex,
  verbs: Verbs,
  failed: (fault: Fault) => void,
): RoleAggregation {
  let work: Promise<void> = Promise.resolve()
  let queued = false
  let closed = false
  const enqueue = () => {
    if (queued || closed) return
    queued = true
    work = work.then(async () => {
      queued = false
      if (!closed) await writeAll(index, verbs).catch((error) => failed(toFault(error)))
    })
  }
  const stop = index.onChange(enqueue)
  enqueue()
  return {
    settled: () => work,
    close: async () => {
      closed = true
      stop()
      await work
    },
  }
}

async function writeAll(index: RoleIndex, verbs: Verbs): Promise<void> {
  for (const role of [...index.clusterRoles()]) {
    if (role.aggregates === undefined) continue
    const wanted = index.effectiveRules(role).map(written)
    if (!equalJson(role.rules.map(written), wanted)) await writeRules(role, wanted, verbs)
  }
}

async function writeRules({ key }: Role, rules: readonly Json[], verbs: Verbs): Promise<void> {
  const ref = { ...key, version: "v1" }
  try {
    const options = { fieldManager: "clusterrole-aggregation-controller" }
    await verbs.patch(enginePrincipal, ref, "merge", { rules }, options)
  } catch (error) {
    // It went meanwhile, or somebody wrote it: then there is another change to come.
    if (![404, 409].includes(toFault(error).status)) throw error
  }
}

function written(rule: PolicyRule): JsonObject {
  const members = Object.entries(rule).filter(([, list]) => isArray(list) && list.length > 0)
  return Object.fromEntries(members) as JsonObject
}
