// Starts, stops and replaces processes. What is stopped is what was seen, by pid, start time and
// boot id; what is started takes the next number in its place, which only one can have. Signals go
// to the whole process group, and what left it is killed at the end.

import { equalJson } from "../../base/json.ts"
import { protects } from "../../base/protections.ts"
import type { Failure } from "../../contract/diagnosis.ts"
import type { PlaceFacts, ProcessesAct, ProcessIdentity } from "../../contract/processes.ts"
import type { ActContext, ActResult } from "../../contract/provider.ts"
import type { KindTarget } from "../../provider/define-kind.ts"
import { tokenOf } from "./facts.ts"
import { isAsOrdered, noteOf, type OrderCounts, readNote, startRequest } from "./order.ts"
import { backoffMs, failuresOf } from "./phase.ts"
import type { ProcessHost, Seen } from "./process-host.ts"
import type { ProcessSpec } from "./process-spec.ts"

type Target = KindTarget<ProcessSpec>

const done: ActResult = { kind: "done" }
const killLimitMs = 10_000

const failed = (cause: string, stuck = false, failure?: Failure): ActResult => ({
  kind: "failed",
  cause,
  ...(stuck ? { stuck } : {}),
  ...(failure === undefined ? {} : { failure }),
})

export async function createProcess(
  target: Target,
  { world: { processes }, signal }: ActContext,
  host: ProcessHost,
): Promise<ActResult> {
  const seen = await host.see(target, processes)
  if (seen !== undefined) return failed("its place exists by now; it is looked at again")
  if (target.desired.state === "Stopped") {
    await processes.reserve(host.directoryOf(target.identity))
    return done
  }
  return begin(target, processes, host, 1, { failures: 0, restarts: 0 }, signal)
}

export async function updateProcess(
  target: Target,
  context: ActContext,
  host: ProcessHost,
): Promise<ActResult> {
  const { processes } = context.world
  const seen = await host.see(target, processes)
  const stale = staleness(target, context, seen)
  if (seen === undefined || stale !== undefined) return stale ?? failed("its place is gone")
  const { place } = seen
  const { desired } = target
  const runs = seen.phase.phase === "Running" && desired.state === "Running"
  if (runs && isAsOrdered(place, desired)) return done
  const hangs = seen.phase.phase === "Hung" && desired.state === "Running"
  // Written first: a program that ends well when it is told to has not done what it was for.
  if (hangs) await processes.giveUp(host.directoryOf(target.identity), place.run)
  const ended = await end(target, context, host, seen)
  if (ended !== undefined) return ended
  if (desired.state === "Stopped") return done
  const same = isSameOrder(target, context, place)
  const byItself = same && place.run > 0 && place.cancelled !== true && !wasStopped(target)
  if (hangs && same && (desired.restart === "Never" || backoffMs(place, desired) > 0)) return done
  const { restarts } = readNote(place.note)
  const counts = byItself
    ? { failures: failuresOf(place, desired) + 1, restarts: restarts + 1 }
    : { failures: 0, restarts: 0 }
  return begin(target, processes, host, place.run + 1, counts, context.signal)
}

export async function deleteProcess(
  target: Target,
  context: ActContext,
  host: ProcessHost,
): Promise<ActResult> {
  const { processes } = context.world
  const seen = await host.see(target, processes)
  if (seen === undefined) return failed("its place is gone already")
  const stale = staleness(target, context, seen)
  if (stale !== undefined) return stale
  const ended = await end(target, context, host, seen)
  if (ended !== undefined) return ended
  await processes.remove(host.directoryOf(target.identity))
  host.caretaker.forget(host.directoryOf(target.identity))
  return done
}

function staleness(
  target: Target,
  { token }: ActContext,
  seen: Seen | undefined,
): ActResult | undefined {
  if (token === undefined) return undefined
  const now = seen === undefined ? "gone" : tokenOf(seen, target.desired)
  return now === token ? undefined : failed(`it was ${token} and is ${now} by now`)
}

/** What is there runs no more afterwards; an answer when that could not be reached as planned. */
async function end(
  target: Target,
  context: ActContext,
  host: ProcessHost,
  { place }: Seen,
): Promise<ActResult | undefined> {
  const { processes } = context.world
  const directory = host.directoryOf(target.identity)
  if (place.identity === undefined) {
    if (place.run === 0 || (await processes.cancel(directory, place.run))) return undefined
    return failed("it began just now; it is looked at again")
  }
  if (place.alive) {
    const failure = await stop(place.identity, target.desired, processes, context.signal)
    if (failure !== undefined) return failure
  }
  if (!protects("stragglers-are-killed")) return undefined
  await processes.reap(directory, place.run)
  const { stragglers = 0 } = (await processes.look(directory)) ?? {}
  if (stragglers === 0) return undefined
  return failed(`${stragglers} of the processes that it started do not end after SIGKILL`)
}

/** An answer when it was gone before the first signal, or is still there after the last one. */
async function stop(
  identity: ProcessIdentity,
  { stopSignal, stopGraceSeconds }: ProcessSpec,
  processes: ProcessesAct,
  signal: AbortSignal,
): Promise<ActResult | undefined> {
  if (!(await processes.signal(identity, stopSignal))) {
    return failed("it ended just now; it is looked at again")
  }
  if (await processes.gone(identity, stopGraceSeconds * 1000, signal)) return undefined
  // A group without its leader gets no signal from here; the reaping that follows finds it.
  if (!(await processes.signal(identity, "SIGKILL"))) return undefined
  await processes.gone(identity, killLimitMs, signal)
  // The kernel may hold it, over a disk that does not answer: no second one may begin beside it.
  return lives(identity, processes) ? failed("it does not end after SIGKILL") : undefined
}

function lives({ pid, startTime }: ProcessIdentity, processes: ProcessesAct): boolean {
  const facts = processes.facts(pid)
  return facts?.startTime === startTime && facts.state !== "Z" && facts.state !== "X"
}

async function begin(
  target: Target,
  processes: ProcessesAct,
  host: ProcessHost,
  run: number,
  counts: OrderCounts,
  signal: AbortSignal,
): Promise<ActResult> {
  const { desired, uid, identity } = target
  const directory = host.directoryOf(identity)
  const note = noteOf(desired, uid, counts)
  await processes.start(startRequest(desired, { directory, run }, note), signal)
  return done
}

const wasStopped = ({ applied }: Target): boolean => applied?.state === "Stopped"

/** Only its state is to be corrected: it ended, or hangs, and what was ordered still holds. */
function isSameOrder({ desired }: Target, { action }: ActContext, { note }: PlaceFacts): boolean {
  if (action.changes.some(({ path }) => path !== "state")) return false
  const uncounted = { failures: 0, restarts: 0 }
  return equalJson({ ...note, owner: "", ...uncounted }, noteOf(desired, "", uncounted))
}
