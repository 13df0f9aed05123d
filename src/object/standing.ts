// How an object stands, in one word that people see: the most pressing of its conditions. It reads
// what was reported and decides nothing.

import { isArray, isObject, type Json } from "../base/json.ts"
import type { ApiObject } from "./object.ts"

/** The most pressing first; `NotReady` says no more, and `New` was never reported on. */
export const standingWords = [
  "Stalled",
  "Held",
  "Drifted",
  "Degraded",
  "Reconciling",
  "NotReady",
  "Ready",
  "New",
] as const

export type StandingWord = (typeof standingWords)[number]

export interface Standing {
  readonly word: StandingWord
  /** Of the condition that says it; "" for one that is new. */
  readonly reason: string
  /** Wall time since which it is so; 0 when nobody says. */
  readonly since: number
}

const nothing: Standing = { word: "New", reason: "", since: 0 }
const pressing = standingWords.filter((word) => word !== "NotReady" && word !== "New")

export function standingOf({ status }: ApiObject): Standing {
  const conditions = isArray(status?.conditions) ? status.conditions.filter(isObject) : []
  for (const word of pressing) {
    const found = conditions.find(({ type, status: is }) => type === word && is === "True")
    if (found !== undefined) return { word, ...told(found) }
  }
  const ready = conditions.find(({ type }) => type === "Ready")
  return ready === undefined ? nothing : { word: "NotReady", ...told(ready) }
}

function told({ reason, lastTransitionTime }: Readonly<Record<string, Json | undefined>>) {
  const since = typeof lastTransitionTime === "string" ? Date.parse(lastTransitionTime) : 0
  return { reason: typeof reason === "string" ? reason : "", since: Number(since) || 0 }
}
