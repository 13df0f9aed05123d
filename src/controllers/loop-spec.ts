// From the Loop object, whose durations are text, to what the engine works with.

import { parseDuration } from "../base/clock.ts"
import { isObject, type Json, type JsonObject } from "../base/json.ts"
import {
  type ApprovalRules,
  type LoopSource,
  type LoopSpec,
  loopId,
  type Mode,
  type OnConflict,
  type OnDrift,
  type PathPolicy,
  type PromotionSpec,
  type TimeWindow,
} from "../contract/loop.ts"
import type { ApiObject } from "../object/object.ts"
import { gitSpecOf } from "./git-spec.ts"

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
  const source = sourceOf(object)
  return {
    ...(source === undefined ? {} : { source }),
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

function sourceOf({ metadata, spec = {} }: ApiObject): LoopSpec["source"] {
  const source = isObject(spec.source) ? spec.source : {}
  const promotion = promotionOf(source.promotion, metadata.namespace ?? "")
  if (isObject(source.git)) return { git: gitSpecOf(source.git), ...promotion }
  const { path, root } = isObject(source.directory) ? source.directory : {}
  if (typeof path !== "string") return undefined
  const place = typeof root === "string" ? { path, root } : { path }
  return { directory: place, ...promotion }
}

/** How people name it: a folder, or a repository and a folder of it. */
export function sourceText(source: LoopSource | undefined): string | undefined {
  if (source?.git === undefined) return source?.directory?.path
  const { url, path } = source.git
  return path === "" ? url : `${url} ${path}`
}

/** A name without its namespace is a loop of the same one. */
function promotionOf(value: Json | undefined, namespace: string): { promotion?: PromotionSpec } {
  if (!isObject(value) || typeof value.from !== "string") return {}
  const from = value.from.includes(".") ? value.from : loopId(namespace, value.from)
  return { promotion: { from, cleanRounds: Math.max(1, number(value.cleanRounds, 3)) } }
}
