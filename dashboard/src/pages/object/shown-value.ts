// A value as text: a secret is hidden, what the plane shortened says so, the rest is what it is.
// Pure.

import { visible } from "../../ui/visible.ts"

export interface ShownValue {
  readonly text: string
  /** It is no value itself, but says something about one. */
  readonly note: boolean
}

export function shownValue(value: unknown): ShownValue {
  if (value === undefined) return { text: "not set", note: true }
  const special = specialOf(value)
  if (special !== undefined) return { text: special, note: true }
  if (value === "") return { text: "empty text", note: true }
  if (typeof value === "string") return { text: lines(value), note: false }
  return { text: lines(JSON.stringify(value, replaced, 2) ?? "null"), note: false }
}

/** Line ends stay; everything else that can't be seen is shown. */
const lines = (text: string): string => text.split("\n").map(visible).join("\n")

const replaced = (_name: string, value: unknown): unknown => specialOf(value) ?? value

function specialOf(value: unknown): string | undefined {
  if (typeof value !== "object" || value === null) return undefined
  const { $secret, $hash, $length } = value as Record<string, unknown>
  if ($secret === true) return "***"
  if (typeof $hash !== "string" || typeof $length !== "number") return undefined
  if ($hash.startsWith("hmac:")) return "***"
  return `${$length} characters, ${$hash.slice(0, 19)}…`
}

export interface Shortened {
  readonly text: string
  readonly isShort: boolean
}

/** The first few lines, and not too much of them. */
export function shorten(text: string, linesMax = 6, charactersMax = 400): Shortened {
  const few = text
    .split("\n", linesMax + 1)
    .slice(0, linesMax)
    .join("\n")
  const cut = few.slice(0, charactersMax)
  return { text: cut.length < text.length ? `${cut}…` : cut, isShort: cut.length < text.length }
}
