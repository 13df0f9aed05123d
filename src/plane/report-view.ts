// Answers of the journal about a loop: what it did or would have done, and how long its objects
// were as declared.

import { toTimestamp } from "../base/clock.ts"
import type { JournalEntry } from "../contract/journal.ts"
import { ActivityCount } from "../ledger/activity-report.ts"
import { Compliance, type ComplianceStatus, type ObjectCompliance } from "../ledger/compliance.ts"
import { ledgerFault } from "../ledger/faults.ts"
import { readHead, readJournal, readJournalSince } from "../ledger/journal.ts"
import { sinceMs } from "../ledger/since.ts"
import type { Plane } from "./plane.ts"
import { planeJournal } from "./stop-keeper.ts"

const activityMs = 3 * 86_400_000
const complianceMs = 30 * 86_400_000
const objectsMax = 1000
const outagesOfOne = 1000

export async function reportOf(plane: Plane, query: URLSearchParams): Promise<object> {
  const loop = query.get("loop") ?? ""
  const { store } = plane.ports
  const known = plane.loops.get(loop) !== undefined || (await readHead(store, loop)) !== undefined
  if (!known) throw ledgerFault("SPT-LEDGER-005", { loop })
  return query.get("compliance") === "true"
    ? compliance(plane, loop, query)
    : activity(plane, loop, query)
}

async function activity(plane: Plane, loop: string, query: URLSearchParams): Promise<object> {
  const { clock, store } = plane.ports
  const now = clock.now()
  const since = sinceMs(query.get("since"), now, now - activityMs)
  const count = new ActivityCount()
  for await (const entry of readJournalSince(store, loop, since)) {
    count.add(entry)
    await plane.engine.breath.due()
  }
  const pending = plane.engine.plans.pending(loop)
  return {
    loop,
    mode: plane.loops.get(loop)?.spec.mode,
    since: toTimestamp(since),
    until: toTimestamp(now),
    ...count.report(),
    ...(pending === undefined
      ? {}
      : { pending: { name: pending.name, actions: pending.held.length } }),
  }
}

async function compliance(plane: Plane, loop: string, query: URLSearchParams): Promise<object> {
  const { clock, store } = plane.ports
  const { engine } = plane
  await engine.states.flush()
  const until = clock.now()
  const starts: JournalEntry[] = []
  for await (const entry of readJournal(store, planeJournal)) {
    if (entry.event.type === "plane") starts.push(entry)
  }
  const asked = sinceMs(query.get("since"), until, until - complianceMs)
  const since = Math.max(asked, await begun(plane, starts))
  const object = query.get("object")
  const count = new Compliance({
    ...{ since, until, plane: starts },
    ...(object === null ? {} : { object, outagesKept: outagesOfOne }),
  })
  for await (const entry of readJournalSince(store, loop, since)) {
    count.add(entry)
    await engine.breath.due()
  }
  const objects = count.finish(statesNow(plane, loop)).sort(worstFirst)
  return {
    loop,
    since: toTimestamp(since),
    until: toTimestamp(until),
    down: count.down.map(({ from, to }) => ({ from: toTimestamp(from), to: toTimestamp(to) })),
    total: totalOf(objects),
    objects: objects.slice(0, objectsMax).map(objectView),
  }
}

/** Before the first start that was written down nothing is known of states. */
async function begun({ ports }: Plane, starts: readonly JournalEntry[]): Promise<number> {
  const head = await readHead(ports.store, planeJournal)
  const first = starts[0]
  return head?.keptFrom === undefined && first !== undefined ? Date.parse(first.time) : 0
}

/** What exists now; the journal need not have anything about it. */
function* statesNow(
  { engine }: Plane,
  loop: string,
): Iterable<readonly [string, ComplianceStatus]> {
  const out = new Map(engine.states.outOf(loop).map((one) => [one.object, one.status]))
  for (const key of engine.feed?.keys(loop) ?? []) {
    const settled = engine.settled.get(key) !== undefined
    yield [key, out.get(key) ?? (settled ? "in" : "unknown")]
  }
}

const shareOf = ({ inMs, outMs }: Pick<ObjectCompliance, "inMs" | "outMs">): number | undefined =>
  inMs + outMs === 0 ? undefined : inMs / (inMs + outMs)

const worstFirst = (left: ObjectCompliance, right: ObjectCompliance): number =>
  right.outMs - left.outMs || right.outages - left.outages || (left.object < right.object ? -1 : 1)

function totalOf(objects: readonly ObjectCompliance[]): object {
  const sum = (of: (one: ObjectCompliance) => number) =>
    objects.reduce((total, one) => total + of(one), 0)
  const spent = { inMs: sum((one) => one.inMs), outMs: sum((one) => one.outMs) }
  return {
    objects: objects.length,
    out: objects.filter((one) => one.now === "out").length,
    ...spent,
    unobservedMs: sum((one) => one.unobservedMs),
    share: shareOf(spent),
    outages: sum((one) => one.outages),
    longestMs: objects.reduce((most, one) => Math.max(most, one.longestMs), 0),
  }
}

function objectView(one: ObjectCompliance): object {
  const last = one.last.map(({ from, to, state, reason }) => ({
    from: toTimestamp(from),
    ...(to === undefined ? {} : { to: toTimestamp(to) }),
    ...{ state, reason },
  }))
  return { ...one, share: shareOf(one), last }
}
