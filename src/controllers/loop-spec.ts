// From the Loop object, whose durations are text, to what the engine works with.

import { parseDuration } from "../base/clock.ts"
import { isObject, type Json, type JsonObject } from "../base/json.ts"
import type {
  ApprovalRules,
  LoopSpec,
  Mode,
  OnConflict,
  OnDrift,
  PathPolicy,
  TimeWindow,
} from "../contract/loop.ts"
import type { ApiObject } from "../object/object.ts"

const onDrifts: readonly [OnDrift, ...OnDrift[]] = ["Correct", "Report", "Hold"]
const onConflicts: readonly [OnConflict, ...OnConflict[]] = ["Hold", "DeclaredWins", "ObservedWins"]

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
      shrinkPercent: number(limits.shrinkPercent, 50),
    },
    onEmpty: choice(spec.onEmpty, ["Hold", "Allow"]),
    onDrift: choice(spec.onDrift, onDrifts),
    onConflict: choice(spec.onConflict, onConflicts),
    onVanish: choice(spec.onVanish, ["Hold", "Correct"]),
    paths: objects(spec.paths).map(pathPolicy),
    windows: objects(spec.windows).map(timeWindow),
    approvals: approvalRules(isObject(spec.approvals) ? spec.approvals : {}),
    cleanRounds: number(spec.cleanRounds, 3),
    sourceMaxAgeMs: duration(spec.sourceMaxAge, "1h"),
    deletionDeadlineMs: duration(spec.deletionDeadline, "1h"),
    floors: [],
    protectedKinds: [],
  }
}

function pathPolicy(value: JsonObject): PathPolicy {
  const { path, onDrift, onConflict } = value
  return {
    path: typeof path === "string" ? path : "",
    ...(onDrift === undefined ? {} : { onDrift: choice(onDrift, onDrifts) }),
    ...(onConflict === undefined ? {} : { onConflict: choice(onConflict, onConflicts) }),
  }
}

function timeWindow(value: JsonObject): TimeWindow {
  const { kind, schedule, timeZone } = value
  return {
    kind: kind === "Freeze" ? "Freeze" : "Open",
    schedule: typeof schedule === "string" ? schedule : "",
    durationMs: duration(value.duration, "1h"),
    timeZone: typeof timeZone === "string" ? timeZone : "UTC",
  }
}

function approvalRules(value: JsonObject): ApprovalRules {
  const approvers = Array.isArray(value.approvers) ? value.approvers : []
  return {
    required: Math.max(1, number(value.required, 1)),
    separateAuthor: value.separateAuthor === true,
    approvers: approvers.filter((one) => typeof one === "string"),
    expiresAfterMs: duration(value.expiresAfter, "7d"),
  }
}

const objects = (value: Json | undefined): readonly JsonObject[] =>
  Array.isArray(value) ? value.filter(isObject) : []

function directoryOf(spec: JsonObject): string | undefined {
  const { source } = spec
  const directory = isObject(source) ? source.directory : undefined
  const path = isObject(directory) ? directory.path : undefined
  return typeof path === "string" ? path : undefined
}
