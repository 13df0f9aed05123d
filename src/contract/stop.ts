// Stop: one action that ends all acting, or only deletes, everywhere, in one loop, of one provider
// or of one object, for good or until a time. It lives in the file DIR/stop, which anyone who can
// write there can make, and is mirrored in the ledger. The check is synchronous: nothing may happen
// between the check and the call that it allows.

import { type Action, isDestructive } from "./action.ts"

export interface StopEntry {
  /** NAMESPACE.NAME of one loop, else "*": everything, or what `provider` or `object` names. */
  readonly loop: string
  readonly provider?: string
  /** Text form of one object's key. */
  readonly object?: string
  readonly scope: "all" | "deletes"
  readonly by: string
  readonly reason?: string
  readonly at: string
  /** RFC 3339: when it ends by itself; without one, or with one nobody can read, it never does. */
  readonly until?: string
}

/** Which stop is meant: what it names, and how much of it. */
export type StopScope = Pick<StopEntry, "loop" | "provider" | "object" | "scope">

export interface StopSwitch {
  /** Reads the file again, synchronously. A file that can't be understood stops everything. */
  entries(): readonly StopEntry[]
  /**
   * Replaces the file by what `edit` makes of what stands at that moment, durably, before it
   * answers; nothing left removes it. Answers with what stands then.
   */
  change(edit: (standing: readonly StopEntry[]) => readonly StopEntry[]): readonly StopEntry[]
}

/** What a mutating call is about, as far as stops are concerned. */
export interface StopSubject {
  readonly loop: string
  readonly provider: string
  readonly object: string
  readonly destructive: boolean
}

export function stopSubject(action: Action): StopSubject {
  const { loop, object, target, verb } = action
  const destructive = isDestructive(action) || verb === "delete" || verb === "replace"
  return { loop, object, provider: providerOf(target), destructive }
}

/** The first part of a target's text form, before its connection and its identity. */
function providerOf(target: string): string {
  return /^[^@:]*/.exec(target)?.[0] ?? ""
}

/** The entry that forbids this, or undefined. */
export function stoppedBy(
  entries: readonly StopEntry[],
  subject: StopSubject,
): StopEntry | undefined {
  return entries.find((entry) => {
    if (entry.scope !== "all" && !subject.destructive) return false
    return covers(entry, subject)
  })
}

function covers(entry: StopEntry, subject: StopSubject): boolean {
  if (entry.provider !== undefined) return entry.provider === subject.provider
  if (entry.object !== undefined) return entry.object === subject.object
  return entry.loop === "*" || entry.loop === subject.loop
}

export function sameStop(one: StopScope, other: StopScope): boolean {
  const { loop, provider, object, scope } = one
  const named = loop === other.loop && provider === other.provider && object === other.object
  return named && scope === other.scope
}

/** When it ends, in milliseconds since 1970; undefined when it does not end by itself. */
export function stopEnd({ until }: Pick<StopEntry, "until">): number | undefined {
  if (until === undefined || !rfc3339.test(until)) return undefined
  const ms = Date.parse(until)
  return Number.isNaN(ms) ? undefined : ms
}

const rfc3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d:\d\d)$/

/**
 * With one more. Of two that stop the same, the one that ends later stays: a stop is never made
 * shorter by stopping again.
 */
export function addStop(standing: readonly StopEntry[], entry: StopEntry): readonly StopEntry[] {
  const known = standing.find((one) => sameStop(one, entry))
  if (known === undefined) return [...standing, entry]
  const [before, after] = [stopEnd(known), stopEnd(entry)]
  const longer = before !== undefined && (after === undefined || after > before)
  return longer ? standing.map((one) => (one === known ? entry : one)) : standing
}

export function withoutStop(standing: readonly StopEntry[], scope: StopScope): StopEntry[] {
  return standing.filter((entry) => !sameStop(entry, scope))
}

/** "everywhere", "in loop default.site", "of provider file", "of files.x/default/a". */
export function stopPlace({ loop, provider, object }: Omit<StopScope, "scope">): string {
  if (provider !== undefined) return `of provider ${provider}`
  if (object !== undefined) return `of ${object}`
  return loop === "*" ? "everywhere" : `in loop ${loop}`
}

export function stopText(entry: StopEntry): string {
  const what = entry.scope === "all" ? "all acting" : "deletes"
  const until = entry.until === undefined ? "" : ` until ${entry.until}`
  const why = entry.reason ? `: ${entry.reason}` : ""
  return `${what} stopped ${stopPlace(entry)} by ${entry.by}${until}${why}`
}

/** The command that lifts exactly this one. */
export function resumeWords({ loop, provider, object, scope }: StopScope): string {
  const named = object ?? (loop === "*" ? [] : loop)
  const by = provider === undefined ? [] : ["--provider", provider]
  return ["resume", named, by, scope === "deletes" ? ["--deletes"] : []].flat(2).join(" ")
}
