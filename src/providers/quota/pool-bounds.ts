// A pool stays within what a composite may have: at most 1,000 children and 10,000 reports. Work
// that runs or is being saved always has its processes; of work that waits or is done the objects,
// which only hold logs, are let go of when there are too many, the oldest first.

import { equalJson, isArray, isObject, type Json, type JsonObject } from "../../base/json.ts"
import type { ApiObject } from "../../object/object.ts"
import type { Said } from "./pool-reports.ts"

/** Each of them may have a checkpoint beside it. */
export const runningMax = 480
const childrenMax = 960
const reportsMax = 9000

export interface Bounded {
  readonly children: readonly ApiObject[]
  readonly isLive: boolean
  /** When the workload was made. */
  readonly made: string
}

export function withinBounds(all: readonly Bounded[]): readonly ApiObject[] {
  const live = all.filter(({ isLive }) => isLive).flatMap(({ children }) => children)
  const rest = all.filter(({ isLive, children }) => !isLive && children.length > 0)
  const kept: ApiObject[] = [...live]
  for (const { children } of rest.sort((left, right) => (left.made < right.made ? 1 : -1))) {
    if (kept.length + children.length <= childrenMax) kept.push(...children)
  }
  return kept
}

/** Only what is not known already, and not more than can be written at once. */
export function newsIn(reports: readonly Said[]): {
  readonly news: Said[]
  readonly more: boolean
} {
  const news = reports.filter(isNews)
  return { news: news.slice(0, reportsMax), more: news.length > reportsMax }
}

function isNews({ object, status }: Said): boolean {
  const { conditions: before, observedGeneration, ...known } = object.status ?? {}
  const { conditions: now, ...said } = status
  if (observedGeneration !== object.metadata.generation) return true
  return !equalJson(known, said) || !equalJson(undated(before), undated(now))
}

/** The plane adds times and generations. */
function undated(conditions: Json | undefined): Json {
  const known = isArray(conditions) ? conditions.filter(isObject) : []
  return known.map(({ type, status, reason, message }): JsonObject => {
    return { type, status, reason, message }
  })
}
