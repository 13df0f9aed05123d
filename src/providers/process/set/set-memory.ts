// A set's memory as its status says it, and back: times as RFC 3339 text for people. What can't be
// read is as if it had never been written; the set then begins to count anew, and replaces nothing
// because of it.

import { isArray, isObject, type Json, type JsonObject } from "../../../base/json.ts"
import type { RevisionSource } from "./revision.ts"
import type {
  FailedRevision,
  GoodRevision,
  PastRollout,
  Rollout,
  RolloutResult,
  SetMemory,
} from "./rollout.ts"
import { withoutValues } from "./secret-values.ts"

export const timeText = (time: number): string => new Date(time).toISOString()

export function memoryStatus(memory: SetMemory): JsonObject {
  const { lastGood, failed, rollout, history } = memory
  return {
    lastGood: lastGood === undefined ? undefined : { ...lastGood },
    failed: failed === undefined ? undefined : { ...failed, at: timeText(failed.at) },
    rollout:
      rollout === undefined
        ? undefined
        : {
            ...rollout,
            startedAt: timeText(rollout.startedAt),
            progressAt: timeText(rollout.progressAt),
            watchedUntil: timeText(rollout.watchedUntil),
          },
    history:
      history.length === 0
        ? undefined
        : history.map((past) => ({
            ...past,
            startedAt: timeText(past.startedAt),
            endedAt: timeText(past.endedAt),
          })),
  }
}

export function readMemory(status: JsonObject | undefined): SetMemory {
  const lastGood = goodOf(status?.lastGood)
  const failed = failedOf(status?.failed)
  const rollout = rolloutOf(status?.rollout)
  const past = isArray(status?.history) ? status.history : []
  return {
    ...(lastGood === undefined ? {} : { lastGood }),
    ...(failed === undefined ? {} : { failed }),
    ...(rollout === undefined ? {} : { rollout }),
    history: past.flatMap(pastOf),
  }
}

function goodOf(value: Json | undefined): GoodRevision | undefined {
  if (!isObject(value) || typeof value.revision !== "string") return undefined
  const { revision, source } = value
  if (!isObject(source) || !isObject(source.template)) return undefined
  return { revision, source: withoutValues(source as RevisionSource) }
}

function failedOf(value: Json | undefined): FailedRevision | undefined {
  if (!isObject(value) || typeof value.revision !== "string") return undefined
  const at = timeOf(value.at)
  return at === undefined
    ? undefined
    : { revision: value.revision, at, message: `${value.message}` }
}

function rolloutOf(value: Json | undefined): Rollout | undefined {
  if (!isObject(value) || typeof value.revision !== "string") return undefined
  const { revision, best, left, replicas } = value
  const [startedAt, progressAt] = [timeOf(value.startedAt), timeOf(value.progressAt)]
  const watchedUntil = timeOf(value.watchedUntil)
  if (startedAt === undefined || progressAt === undefined || watchedUntil === undefined) {
    return undefined
  }
  if (typeof best !== "number" || typeof left !== "number" || typeof replicas !== "number") {
    return undefined
  }
  return { revision, startedAt, progressAt, best, left, replicas, watchedUntil }
}

const results: readonly string[] = ["Complete", "RolledBack", "Superseded"]
const isResult = (text: string): text is RolloutResult => results.includes(text)

function pastOf(value: Json): PastRollout[] {
  if (!isObject(value) || typeof value.revision !== "string") return []
  const { revision, result } = value
  const [startedAt, endedAt] = [timeOf(value.startedAt), timeOf(value.endedAt)]
  if (typeof result !== "string" || !isResult(result)) return []
  if (startedAt === undefined || endedAt === undefined) return []
  return [{ revision, result, startedAt, endedAt }]
}

function timeOf(value: Json | undefined): number | undefined {
  const time = typeof value === "string" ? Date.parse(value) : Number.NaN
  return Number.isFinite(time) ? time : undefined
}
