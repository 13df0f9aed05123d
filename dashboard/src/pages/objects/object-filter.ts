// Which objects are shown: by words in their name, kind, reason and message, by kind, loop,
// namespace and how they stand. It lives in the address. Pure.

import type { TreeRow } from "./object-row.ts"

export interface ObjectFilter {
  /** Lower case; all of them have to be found. */
  readonly words: readonly string[]
  readonly type: string
  readonly loop: string
  readonly namespace: string
  readonly states: ReadonlySet<string>
}

export function readFilter(query: URLSearchParams): ObjectFilter {
  const text = (query.get("q") ?? "").toLowerCase()
  return {
    words: text.split(/\s+/).filter((word) => word !== ""),
    type: query.get("kind") ?? "",
    loop: query.get("loop") ?? "",
    namespace: query.get("namespace") ?? "",
    states: new Set((query.get("state") ?? "").split(",").filter((one) => one !== "")),
  }
}

export const isEmpty = ({ words, type, loop, namespace, states }: ObjectFilter): boolean =>
  words.length === 0 && type + loop + namespace === "" && states.size === 0

export function matches(row: TreeRow, kind: string, filter: ObjectFilter): boolean {
  const { words, type, loop, namespace, states } = filter
  if (loop !== "" && (row.loop ?? "") !== loop) return false
  if (states.size > 0 && !states.has(row.standing)) return false
  if (type !== "" && row.type !== type) return false
  if (namespace !== "" && row.namespace !== namespace) return false
  if (words.length === 0) return true
  const text = `${row.key} ${kind} ${row.reason ?? ""} ${row.message ?? ""}`.toLowerCase()
  return words.every((word) => text.includes(word))
}
