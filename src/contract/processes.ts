// The handle for long-lived programs of this host. Each has a place: a directory that holds what
// was ordered, what was started and how it ended, written by a small shim that outlives the plane.
// A process is known by its pid, its start time and the boot id together: a signal goes out only
// while all three still match, so a pid that was given to somebody else is never touched.

import type { JsonObject } from "../base/json.ts"
import type { Closeable } from "./world.ts"

export interface ProcessIdentity {
  readonly pid: number
  /** Clock ticks since boot, as the kernel says. */
  readonly startTime: string
  readonly bootId: string
}

export interface ProcessFacts extends ProcessIdentity {
  /** The kernel's letter: R, S, D, T (stopped), Z (ended, not waited for) ... */
  readonly state: string
  readonly parent: number
  readonly group: number
  readonly session: number
}

/** What was ordered in a place last, and what became of it. */
export interface PlaceFacts {
  /** Counts the starts in this place; 0 when nothing was ever ordered. */
  readonly run: number
  /** What the orderer wanted to know again. */
  readonly note: JsonObject
  /** Missing when the shim has not written it down (yet). */
  readonly identity?: ProcessIdentity
  /** Wall time in milliseconds. */
  readonly startedAt?: number
  /** The order was taken back before anything began. */
  readonly cancelled?: true
  /** The process of that identity runs now. */
  readonly alive: boolean
  /** How many of its group are there although it has ended, proven; missing when there are none. */
  readonly stragglers?: number
  /** What it was started with, while that can be read. */
  readonly env?: ReadonlyMap<string, string>
  /** A probe gave it up, and it was told to end for that: however it ended, it did not end well. */
  readonly givenUp?: true
  /** 128 and the signal's number when a signal ended it. */
  readonly exit?: { readonly code: number; readonly at: number }
}

export interface StartRequest {
  readonly directory: string
  /** One more than the last run: a start that somebody else was faster with is refused. */
  readonly run: number
  readonly note: JsonObject
  readonly argv: readonly string[]
  /** All of it, besides SETPOINT_ID, _RUN and _PLACE: nothing of the plane's own is added. */
  readonly env: Readonly<Record<string, string>>
  readonly cwd?: string
  readonly user?: string
  readonly limits?: ProcessLimits
}

export interface ProcessLimits {
  readonly openFiles?: number
  readonly memoryBytes?: number
  readonly nice?: number
}

/** A part of what a target wrote. */
export interface LogRequest {
  /** Goes on where an earlier page ended; what came before it is not asked for then. */
  readonly after?: string
  /** Only so many of the last lines. */
  readonly tail?: number
  /** Of the run before the last one. */
  readonly previous?: boolean
  readonly bytesMax: number
}

export interface LogPage {
  readonly text: string
  /** To ask for what comes next. */
  readonly next: string
  /** There is more already. */
  readonly more: boolean
}

export interface ProcessesRead {
  bootId(): string
  /** Undefined when there is no such process; a process that can't be read is thrown. */
  facts(pid: number): ProcessFacts | undefined
  /**
   * Undefined when there is no such place, proven; anything doubtful is thrown. A place that was
   * `known` is not gone because everything around it is.
   */
  look(directory: string, known?: boolean): Promise<PlaceFacts | undefined>
  /** A hint that something began or ended there; never the truth. */
  watch(directory: string, changed: () => void): Closeable
  /** What its runs wrote, stdout and stderr together. */
  log(directory: string, request: LogRequest): Promise<LogPage>
  /** True when nothing of its process group runs any more, false when the time is over. */
  gone(identity: ProcessIdentity, timeoutMs: number, signal: AbortSignal): Promise<boolean>
}

export interface ProcessesAct extends ProcessesRead {
  /** Makes the place, empty. */
  reserve(directory: string): Promise<void>
  /** Resolves when the shim has written down what it started. */
  start(request: StartRequest, signal: AbortSignal): Promise<ProcessIdentity>
  /**
   * Makes sure that an order which nothing came of never starts; false when it did start.
   */
  cancel(directory: string, run: number): Promise<boolean>
  /** Writes down, before it is told to end, that it has to since a probe gave this run up. */
  giveUp(directory: string, run: number): Promise<void>
  /** To the process's whole group; false when it was not there any more. */
  signal(identity: ProcessIdentity, name: NodeJS.Signals): Promise<boolean>
  /**
   * Kills what the runs of this place up to this one left behind, also outside their groups, and
   * waits a while until it is gone; says how many. A later run is somebody else's start, and is
   * left alone; so is whatever can't be proven to be of these runs.
   */
  reap(directory: string, run: number): Promise<number>
  /** Removes the place with its logs; refused while its process runs. */
  remove(directory: string): Promise<void>
}
