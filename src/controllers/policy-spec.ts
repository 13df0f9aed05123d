// From the GuardPolicy object, whose durations are text, to what guards work with. A limit that is
// not given is none; a policy that names no loops is for all of them.

import { parseDuration } from "../base/clock.ts"
import { isObject, type Json, type JsonObject } from "../base/json.ts"
import type { GuardPolicy } from "../contract/guard-policy.ts"
import { unlimited } from "../guard/tightest.ts"
import type { ApiObject } from "../object/object.ts"
import { loopSpecOf } from "./loop-spec.ts"

export function policyOf(object: ApiObject): GuardPolicy {
  const spec = object.spec ?? {}
  const freezes = Array.isArray(spec.freezes) ? spec.freezes.filter(isObject) : []
  // Approvals and windows are read as a loop's are.
  const windows = freezes.map((freeze) => ({ ...freeze, kind: "Freeze" }))
  const approvals = isObject(spec.approvals) ? spec.approvals : {}
  const asLoop = loopSpecOf({ ...object, spec: { windows, approvals } })
  const { required, separateAuthor, approvers } = asLoop.approvals
  return {
    name: object.metadata.name,
    loops: texts(spec.loops, ["*"]),
    ...limitsOf(spec.limits),
    ...everywhereOf(spec.everywhere),
    protectedKinds: texts(spec.protectedKinds, []),
    approvals: { required, separateAuthor, approvers },
    freezes: asLoop.windows,
  }
}

function limitsOf(value: Json | undefined): Pick<GuardPolicy, "limits"> {
  if (!isObject(value)) return {}
  return {
    limits: {
      deletes: number(value.deletes, unlimited),
      deletesPercent: number(value.deletesPercent, 100),
      changes: number(value.changes, unlimited),
      windowMs: windowMs(value),
      shrinkPercent: 0,
    },
  }
}

function everywhereOf(value: Json | undefined): Pick<GuardPolicy, "everywhere"> {
  if (!isObject(value)) return {}
  return { everywhere: { deletes: number(value.deletes, 0), windowMs: windowMs(value) } }
}

const number = (value: Json | undefined, fallback: number) =>
  typeof value === "number" ? value : fallback

const windowMs = ({ window }: JsonObject) =>
  parseDuration(typeof window === "string" ? window : "10m") ?? 600_000

function texts(value: Json | undefined, fallback: readonly string[]): readonly string[] {
  if (!Array.isArray(value) || value.length === 0) return fallback
  return value.filter((one) => typeof one === "string")
}
