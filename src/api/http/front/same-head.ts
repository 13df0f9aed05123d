// Most requests of a connection bring the headers of the one before, but for the length of the
// body: those are not sent and read again.

import type { FlatHead } from "./messages.ts"

export type HeadDifference =
  | "same"
  | "other"
  /** Only the length of the body differs; its value stands at this place. */
  | { readonly length: string; readonly at: number }

/** More than most clients send; a connection that is idle holds no more. */
const rememberedCharsMax = 4096

/** Both threads decide it alike. */
export function isRemembered(head: FlatHead): boolean {
  let size = 0
  for (const text of head) size += text.length
  return size <= rememberedCharsMax
}

export function sameHead(before: FlatHead, now: FlatHead): HeadDifference {
  if (before.length !== now.length || now.length === 0) return "other"
  let difference: HeadDifference = "same"
  for (let at = 0; at < now.length; at++) {
    if (before[at] === now[at]) continue
    const value = now[at]
    const isLength = at % 2 === 1 && now[at - 1]?.toLowerCase() === "content-length"
    if (!isLength || value === undefined || difference !== "same") return "other"
    difference = { length: value, at }
  }
  return difference
}
