// One watch: first it reads the stored past page by page, then it joins the hub without a gap.
// It ends with "compacted" when the past it needs is gone, and never guesses.

import type { Clock } from "../base/clock.ts"
import type { Change, Compacted, Revision, WatchEvent, WatchOptions } from "../contract/store.ts"
import { byRevision, changeOf } from "./commit-batch.ts"
import { type Engine, lastPlace, placesPerRevision, type Row } from "./engine.ts"
import type { KeyIndex } from "./key-index.ts"
import { Inbox, type WatchHub, type WatchLimits } from "./watch-hub.ts"

const pageRows = 1024

export interface WatchSource {
  readonly engine: Engine
  readonly index: KeyIndex
  readonly hub: WatchHub
  readonly clock: Clock
  readonly limits: WatchLimits
  readonly revision: Revision
  readonly oldest: Revision
  /** Throws when the store can't be used. */
  requireOpen(): void
}

export async function* watchStore(
  source: WatchSource,
  options: WatchOptions,
): AsyncGenerator<WatchEvent, void> {
  const { signal, prefix } = options
  let position = options.after
  let told: Revision = -1
  while (position < source.revision) {
    if (signal.aborted) return
    source.requireOpen()
    if (position < source.oldest) return yield compacted(source)
    const until = source.revision
    const page = await readRevisions(source.engine, position, until)
    // Rows are dropped only after `oldest` was raised, so this page was whole if it is still low.
    if (position < source.oldest) return yield compacted(source)
    for (const { revision, rows } of page.groups) {
      if (signal.aborted) return
      const matching = rows.filter((row) => row.key.startsWith(prefix)).map(changeOf)
      position = revision
      if (matching.length === 0) continue
      const changes = await withPrevious(source, options, matching)
      if (changes === undefined) return yield compacted(source)
      told = revision
      yield { kind: "changes", revision, changes }
    }
    if (!page.more) position = until
  }
  if (signal.aborted) return
  yield* follow(source, options, position, told)
}

/** Nothing may wait between the caller's last look at the revision and joining the hub. */
async function* follow(
  source: WatchSource,
  options: WatchOptions,
  position: Revision,
  toldBefore: Revision,
): AsyncGenerator<WatchEvent, void> {
  const { signal } = options
  const clock = options.withProgress ? source.clock : undefined
  const inbox = new Inbox(options.prefix, position, source.limits, clock)
  source.hub.attach(inbox)
  const onAbort = () => inbox.wake()
  signal.addEventListener("abort", onAbort, { once: true })
  let told = toldBefore
  try {
    if (options.withProgress && source.revision > told && source.revision >= position) {
      told = source.revision
      yield { kind: "progress", revision: told }
    }
    while (!signal.aborted) {
      const event = inbox.take()
      if (event !== undefined) {
        const changes = await withPrevious(source, options, event.changes)
        if (changes === undefined) return yield compacted(source)
        told = event.revision
        yield { kind: "changes", revision: told, changes }
      } else if (inbox.end !== undefined) {
        if (inbox.end.kind === "failed") throw inbox.end.fault
        if (inbox.end.kind === "overrun") yield { kind: "overrun" }
        return
      } else if (inbox.takeProgress() && source.revision > told && source.revision >= position) {
        told = source.revision
        yield { kind: "progress", revision: told }
      } else {
        await inbox.wait()
      }
    }
  } finally {
    signal.removeEventListener("abort", onAbort)
    source.hub.detach(inbox)
  }
}

function compacted(source: WatchSource): Compacted {
  return { kind: "compacted", oldest: source.oldest }
}

/** Gives deletes their last value; undefined when that value has been forgotten meanwhile. */
async function withPrevious(
  source: WatchSource,
  options: WatchOptions,
  changes: readonly Change[],
): Promise<readonly Change[] | undefined> {
  if (!options.withPrevious || !changes.some((change) => change.kind === "delete")) return changes
  const filled: Change[] = []
  for (const change of changes) {
    if (change.kind === "put") {
      filled.push(change)
      continue
    }
    const entry = source.index.find(change.key, lastPlace(change.previousRevision))
    const [row] = entry === undefined ? [] : await source.engine.read([entry.place])
    if (row === undefined || row.version === 0) return undefined
    filled.push({ ...change, value: row.value })
  }
  return filled
}

interface Groups {
  readonly groups: readonly { readonly revision: Revision; readonly rows: readonly Row[] }[]
  readonly more: boolean
}

/** The next whole revisions after a revision; a revision is never split. */
async function readRevisions(engine: Engine, after: Revision, to: Revision): Promise<Groups> {
  const page = await engine.scan(lastPlace(after), lastPlace(to), pageRows)
  const groups = byRevision(page.rows)
  if (!page.more) return { groups, more: false }
  if (groups.length > 1) return { groups: groups.slice(0, -1), more: true }
  const rows = [...page.rows]
  const only = groups[0]?.revision ?? after + 1
  for (let more = true; more; ) {
    const from = rows.at(-1)?.place ?? lastPlace(after)
    const rest = await engine.scan(from, lastPlace(only), placesPerRevision)
    rows.push(...rest.rows)
    more = rest.more
  }
  return { groups: byRevision(rows), more: true }
}
