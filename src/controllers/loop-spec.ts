// From the Loop object, whose durations are text, to what the engine works with.

import { parseDuration } from "../base/clock.ts"
import { isObject, type Json, type JsonObject } from "../base/json.ts"
import type { LoopSpec, Mode } from "../contract/loop.ts"
import type { ApiObject } from "../object/object.ts"

const number = (value: Json | undefined, fallback: number) =>
  typeof value === "number" ? value : fallback

const duration = (value: Json | undefined, fallback: string) =>
  parseDuration(typeof value === "string" ? value : fallback) ?? parseDuration(fallback) ?? 0

/** One of the choices; the first, which is the safest, for anything else. */
function choice<T extends string>(value: Json | undefined, choices: readonly [T, ...T[]]): T {
  return choices.find((one) => one === value) ?? choices[0]
}

export function loopSpecOf(object: ApiObject): LoopSpec {
  const spec = object.spec ?? {}
  const limits = isObject(spec.limits) ? spec.limits : {}
  const path = directoryOf(spec)
  return {
    ...(path === undefined ? {} : { source: { directory: { path } } }),
    mode: choice<Mode>(spec.mode, ["Observe", "Propose", "Enforce"]),
    intervalMs: Math.max(1000, duration(spec.interval, "5m")),
    limits: {
      deletes: number(limits.deletes, 5),
      deletesPercent: number(limits.deletesPercent, 10),
      changes: number(limits.changes, 50),
      windowMs: duration(limits.window, "10m"),
    },
    onEmpty: choice(spec.onEmpty, ["Hold", "Allow"]),
    onDrift: choice(spec.onDrift, ["Correct", "Report", "Hold"]),
    onConflict: choice(spec.onConflict, ["Hold", "DeclaredWins", "ObservedWins"]),
  }
}

function directoryOf(spec: JsonObject): string | undefined {
  const { source } = spec
  const directory = isObject(source) ? source.directory : undefined
  const path = isObject(directory) ? directory.path : undefined
  return typeof path === "string" ? path : undefined
}
