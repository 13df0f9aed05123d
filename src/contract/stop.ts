// Stop: one action that ends all acting, or only deletes, everywhere or in one loop. It lives in
// the file DIR/stop, which anyone who can write there can make, and is mirrored in the ledger. The
// check is synchronous: nothing may happen between the check and the call that it allows.

export interface StopEntry {
  /** "*" for everything, else NAMESPACE.NAME of one loop. */
  readonly loop: string
  readonly scope: "all" | "deletes"
  readonly by: string
  readonly reason?: string
  readonly at: string
}

export interface StopSwitch {
  /** Reads the file again, synchronously. A file that can't be understood stops everything. */
  entries(): readonly StopEntry[]
  /** Replaces the file, durably, before it answers; an empty list removes it. */
  write(entries: readonly StopEntry[]): void
}

/** The entry that forbids this, or undefined. */
export function stoppedBy(
  entries: readonly StopEntry[],
  loop: string,
  destructive: boolean,
): StopEntry | undefined {
  return entries.find(
    (entry) =>
      (entry.loop === "*" || entry.loop === loop) && (entry.scope === "all" || destructive),
  )
}

export function stopText(entry: StopEntry): string {
  const what = entry.scope === "all" ? "all acting" : "deletes"
  const where = entry.loop === "*" ? "everywhere" : `in loop ${entry.loop}`
  return `${what} stopped ${where} by ${entry.by}${entry.reason ? `: ${entry.reason}` : ""}`
}
