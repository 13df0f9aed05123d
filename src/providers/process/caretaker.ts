// Looks after the processes that the engine watches: asks their probes, a bounded number at a time
// and not all at once, notices ends that nobody wrote down, and keeps logs within bounds. What it
// learns only wakes the target: the next look decides. It never starts or stops anything.

import type { Clock, Timer } from "../../base/clock.ts"
import { protects } from "../../base/protections.ts"
import type { Random } from "../../base/random.ts"
import type { PlaceFacts, ProcessesRead, ProcessIdentity } from "../../contract/processes.ts"
import type { Closeable } from "../../contract/world.ts"
import { environmentOf } from "./order.ts"
import { ProbeQueue } from "./probe-queue.ts"
import {
  type Answer,
  afterAnswer,
  askedNow,
  firstState,
  type Health,
  type ProbeName,
  type ProbeState,
  unasked,
  type Verdict,
} from "./probe-state.ts"
import type { ProbeSpec, ProcessSpec } from "./process-spec.ts"

/** How a probe reaches the process. An answer in time, or the reason why there is none. */
export interface ProbeCalls {
  ask(probe: ProbeSpec, subject: ProbeSubject): Promise<Answer>
}

export interface ProbeSubject {
  readonly port: number | undefined
  readonly env: Readonly<Record<string, string>>
  readonly cwd: string
  readonly user: string | undefined
}

/** What probes said, kept in the process's place: a new plane begins with it. */
export interface VerdictKeeper {
  read(directory: string, run: number): Verdict | undefined
  write(directory: string, run: number, verdict: Verdict): void
}

/** Keeps log files within their size and number, beside everything else. Never rejects. */
export interface LogKeeper {
  keep(directory: string, run: number, limits: ProcessSpec["logs"]): Promise<void>
}

export interface CaretakerPorts {
  readonly clock: Clock
  readonly random: Random
  readonly calls: ProbeCalls
  readonly verdicts: VerdictKeeper
  readonly logs: LogKeeper
}

/** Ends without a word from the shim are noticed after this long at the latest. */
const lookAfterMs = 5000

/** One time that a probe is asked: from its timer until its answer, or until another is planned. */
interface Turn {
  readonly timer: Timer
}

interface Care {
  readonly directory: string
  spec: ProcessSpec
  run: number
  identity: ProcessIdentity | undefined
  startedAt: number
  state: ProbeState
  readonly turns: Map<ProbeName, Turn>
  wakers: Set<() => void>
}

export class Caretaker {
  readonly #ports: CaretakerPorts
  readonly #cares = new Map<string, Care>()
  readonly #queue: ProbeQueue
  #watched = 0
  #round: Timer | undefined

  constructor(ports: CaretakerPorts) {
    this.#ports = ports
    this.#queue = new ProbeQueue(ports.clock)
  }

  /** What the probes say of the process that was just looked at. */
  health(directory: string, spec: ProcessSpec, place: PlaceFacts): Health {
    const known = this.#careOf(directory, spec)
    const identity = place.alive ? place.identity : undefined
    if (known.run !== place.run || !sameProbes(known.spec, spec)) {
      endTurns(known)
      known.run = place.run
      known.startedAt = place.startedAt ?? this.#ports.clock.now()
      const keeps = place.run > 0 && protects("readiness-outlives-the-plane")
      const verdict = keeps ? this.#ports.verdicts.read(directory, place.run) : undefined
      known.state = firstState(spec.probes, verdict)
    }
    known.spec = spec
    if (identity === undefined || known.identity?.pid !== identity.pid) known.identity = identity
    this.#plan(known)
    return known.state
  }

  /** Its place is gone. */
  forget(directory: string): void {
    const known = this.#cares.get(directory)
    if (known === undefined) return
    endTurns(known)
    known.run = -1
    known.identity = undefined
    if (known.wakers.size === 0) this.#cares.delete(directory)
  }

  /** Nothing is asked of a process before somebody watches it. */
  #careOf(directory: string, spec: ProcessSpec): Care {
    const known = this.#cares.get(directory) ?? {
      ...{ directory, spec, run: -1, identity: undefined, startedAt: 0 },
      state: firstState(spec.probes, undefined),
      turns: new Map<ProbeName, Turn>(),
      wakers: new Set<() => void>(),
    }
    this.#cares.set(directory, known)
    return known
  }

  watch(
    directory: string,
    spec: ProcessSpec,
    processes: ProcessesRead,
    wake: () => void,
  ): Closeable {
    const known = this.#careOf(directory, spec)
    const waker = () => wake()
    known.wakers.add(waker)
    this.#watched++
    this.#plan(known)
    this.#startRounds(processes)
    return {
      close: () => {
        if (!known.wakers.delete(waker)) return
        this.#watched--
        if (this.#watched === 0) this.#endRounds()
        if (known.wakers.size > 0) return
        endTurns(known)
        if (this.#cares.get(directory) === known) this.#cares.delete(directory)
      },
    }
  }

  /** Turns for the probes that are to be asked, and for no others. */
  #plan(care: Care): void {
    const idle = care.identity === undefined || care.wakers.size === 0
    const wanted = idle ? [] : askedNow(care.state, care.spec.probes)
    for (const [name, { timer }] of care.turns) {
      if (wanted.includes(name)) continue
      timer.cancel()
      care.turns.delete(name)
    }
    for (const name of wanted) {
      if (!care.turns.has(name)) this.#planOne(care, name, this.#firstDelay(care, name))
    }
  }

  /** After the initial delay; after a restart of the plane spread over one period. */
  #firstDelay(care: Care, name: ProbeName): number {
    const { initialDelaySeconds = 0, periodSeconds = 10 } = care.spec.probes[name] ?? {}
    const age = this.#ports.clock.now() - care.startedAt
    const left = initialDelaySeconds * 1000 - age
    if (left > 0) return left
    const young = age < periodSeconds * 1000
    return young ? 0 : this.#ports.random.next() * periodSeconds * 1000
  }

  /** The one turn that counts from now on: what was planned or asked before is of no interest. */
  #planOne(care: Care, name: ProbeName, delayMs: number): void {
    care.turns.get(name)?.timer.cancel()
    const isStale = () => care.turns.get(name) !== turn
    const run = () => this.#ask(care, name, isStale)
    const turn = {
      timer: this.#ports.clock.after(delayMs, () => this.#queue.add({ isStale, run })),
    }
    care.turns.set(name, turn)
  }

  async #ask(care: Care, name: ProbeName, isStale: () => boolean): Promise<void> {
    const probe = care.spec.probes[name]
    if (probe === undefined) return
    const { port, cwd, user } = care.spec
    const subject = { port, cwd, user, env: environmentOf(care.spec) }
    const failed = (error: unknown): Answer => unasked(String(error))
    const call = async () => this.#ports.calls.ask(probe, subject) // Whatever it throws, and when.
    const answer = await call().catch(failed)
    if (!isStale()) this.#answered(care, name, answer)
  }

  #answered(care: Care, name: ProbeName, answer: Answer): void {
    const before = care.state
    const { periodSeconds = 10 } = care.spec.probes[name] ?? {}
    care.state = afterAnswer(before, care.spec.probes, name, answer)
    // A tenth more or less, so that what began together does not stay together.
    this.#planOne(care, name, periodSeconds * 1000 * (0.95 + this.#ports.random.next() / 10))
    const { started, ready, hung } = care.state
    if (started !== before.started || ready !== before.ready) {
      this.#ports.verdicts.write(care.directory, care.run, { started, ready })
    }
    if (started === before.started && ready === before.ready && hung === before.hung) return
    this.#plan(care)
    for (const wake of care.wakers) wake()
  }

  #startRounds(processes: ProcessesRead): void {
    if (this.#round !== undefined) return
    this.#round = this.#ports.clock.after(lookAfterMs, () => {
      this.#round = undefined
      this.#lookAtAll(processes)
      if (this.#watched > 0) this.#startRounds(processes)
    })
  }

  #endRounds(): void {
    this.#round?.cancel()
    this.#round = undefined
  }

  #lookAtAll(processes: ProcessesRead): void {
    for (const { directory, run, spec, identity, wakers } of this.#cares.values()) {
      if (wakers.size > 0 && run > 0) void this.#ports.logs.keep(directory, run, spec.logs)
      if (identity === undefined) continue
      if (isThere(processes, identity)) continue
      for (const wake of wakers) wake()
    }
  }
}

/** What can't be read is for the next look to judge. */
function isThere(processes: ProcessesRead, { pid, startTime }: ProcessIdentity): boolean {
  try {
    return processes.facts(pid)?.startTime === startTime
  } catch {
    return true
  }
}

function endTurns(care: Care): void {
  for (const { timer } of care.turns.values()) timer.cancel()
  care.turns.clear()
}

function sameProbes(left: ProcessSpec, right: ProcessSpec): boolean {
  return JSON.stringify(left.probes) === JSON.stringify(right.probes)
}
