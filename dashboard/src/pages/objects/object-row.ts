// One object as the plane lists it, and how it stands: by word, by colour and by shape.

import type { Tone } from "../../ui/badge.tsx"

export interface ObjectRow {
  /** `files.host.setpoint.dev/default/motd`. */
  readonly key: string
  readonly uid: string
  readonly loop?: string
  /** UID of its owner. */
  readonly owner?: string
  readonly generation: number
  readonly state: string
  readonly reason?: string
  /** Wall time, in ms. */
  readonly since?: number
  readonly message?: string
  readonly deleting?: true
  readonly wave?: number
  /** Keys of the objects that it takes values from. */
  readonly refers?: readonly string[]
}

export interface KeyParts {
  /** `files.host.setpoint.dev`. */
  readonly type: string
  /** "" for what is in no namespace. */
  readonly namespace: string
  readonly name: string
}

/** A name may hold anything but a slash; what the first two parts are is fixed. */
export function partsOf(key: string): KeyParts {
  const first = key.indexOf("/")
  const second = key.indexOf("/", first + 1)
  return {
    type: key.slice(0, first),
    namespace: key.slice(first + 1, second),
    name: key.slice(second + 1),
  }
}

/** The address of its page. What is in no namespace has "-" there, which no namespace is called. */
export function objectPath(key: string): string {
  const { type, namespace, name } = partsOf(key)
  const parts = [type, namespace === "" ? "-" : namespace, name]
  return `/objects/${parts.map(encodeURIComponent).join("/")}`
}

/** From the address; also of one where the missing namespace was left out. */
export function keyOfPath(path: string): string {
  const parts = path.split("/")
  if (parts.length === 2) return `${parts[0]}//${parts[1]}`
  const [type = "", namespace = "", ...name] = parts
  return `${type}/${namespace === "-" ? "" : namespace}/${name.join("/")}`
}

/** The worst first. */
export const standings = [
  "Stalled",
  "Held",
  "Drifted",
  "Degraded",
  "NotReady",
  "Deleting",
  "Reconciling",
  "New",
  "Ready",
] as const

export type StandingWord = (typeof standings)[number]

const tones: Readonly<Record<StandingWord, Tone>> = {
  Stalled: "bad",
  Held: "warn",
  Drifted: "warn",
  Degraded: "bad",
  NotReady: "warn",
  Deleting: "busy",
  Reconciling: "busy",
  New: "calm",
  Ready: "good",
}

/** What is being deleted says so, unless it needs somebody. */
export function standingOf({
  state,
  deleting,
}: Pick<ObjectRow, "state" | "deleting">): StandingWord {
  const word = (standings as readonly string[]).includes(state) ? (state as StandingWord) : "New"
  const needs = word === "Stalled" || word === "Held"
  return deleting === true && !needs ? "Deleting" : word
}

export const toneOf = (word: StandingWord): Tone => tones[word]

const texts: Partial<Readonly<Record<StandingWord, string>>> = { NotReady: "Not ready" }
export const standingText = (word: StandingWord): string => texts[word] ?? word

/** With what is asked of it again and again, so that it is worked out once. */
export interface TreeRow extends ObjectRow, KeyParts {
  readonly standing: StandingWord
  /** Names sort by it: numbers in them by their value, w2 before w10. */
  readonly order: string
}

export function treeRow(row: ObjectRow): TreeRow {
  const parts = partsOf(row.key)
  const order = parts.name.replaceAll(/\d+/g, (digits) => digits.padStart(12, "0"))
  return { ...row, ...parts, standing: standingOf(row), order }
}

export function byName(one: TreeRow, other: TreeRow): number {
  if (one.order !== other.order) return one.order < other.order ? -1 : 1
  return one.key < other.key ? -1 : one.key > other.key ? 1 : 0
}
