// What the record says after an act. Pure; the actuator writes it in the receipt's commit.

import { compactValue } from "../base/hash.ts"
import { isObject, type JsonObject } from "../base/json.ts"
import { protects } from "../base/protections.ts"
import type { Action } from "../contract/action.ts"
import type { ActResult } from "../contract/provider.ts"
import type { TargetRecord } from "../contract/record.ts"

const correctionsKept = 16

/** Long values are recorded as hash and length. */
export function compactObject(value: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      name,
      isObject(member) ? compactObject(member) : compactValue(member),
    ]),
  )
}

export function recordAfter(
  before: TargetRecord,
  action: Action,
  desired: JsonObject,
  result: ActResult | undefined,
  now: number,
): TargetRecord {
  const { pending: _, ...settled } = before
  if (result === undefined) return { ...before, actedAt: now } // Unknown: stays pending.
  if (result.kind === "failed") {
    return protects("refused-delete-stays-ours") ? settled : { ...settled, owned: false }
  }
  if (action.verb === "delete") return { ...settled, actedAt: now, deletedAt: now }
  if (action.verb === "replace") {
    const { applied: _applied, externalId: _id, ...rest } = settled
    return { ...rest, owned: false, incarnation: before.incarnation + 1, actedAt: now }
  }
  return {
    ...settled,
    owned: true,
    generation: action.generation,
    incarnation: action.incarnation,
    applied: compactObject(desired),
    actedAt: now,
    ...(before.owned ? {} : { ownedAt: now }),
    ...(result.externalId === undefined ? {} : { externalId: result.externalId }),
    ...corrections(before, action, now),
  }
}

/** When drift was corrected, per field: what flap detection counts. */
function corrections(
  before: TargetRecord,
  action: Action,
  now: number,
): Pick<TargetRecord, "corrections"> {
  const drifted = action.changes.filter((change) => change.why === "drift")
  if (drifted.length === 0) return {}
  const known: Record<string, readonly number[]> = { ...before.corrections }
  for (const { path } of drifted)
    known[path] = [...(known[path] ?? []), now].slice(-correctionsKept)
  return { corrections: known }
}
