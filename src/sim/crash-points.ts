// Crashes at chosen points. Code under test passes named points; at the n-th one the process is
// "gone": that call and every later call through a crashing port never answers. A first run without
// a crash counts the points; then one run per point covers them all.

import { type Deferred, deferred } from "../base/async.ts"
import { simFault } from "./faults.ts"

/** Says where it happened. In throw mode it is also what is thrown. */
export class Crashed extends Error {
  readonly simCrashed = true
  readonly point: string
  /** Counts from 1. */
  readonly index: number

  constructor(point: string, index: number) {
    super(`simulated crash at point ${index}: ${point}`)
    this.name = "Crashed"
    this.point = point
    this.index = index
  }
}

export interface CrashPointsOptions {
  /** The point at which to crash, counted from 1; none when missing. */
  readonly crashAt?: number
  /** "hang" (default) is how a dead process looks; "throw" is for code that must notice at once. */
  readonly mode?: "hang" | "throw"
}

export class CrashPoints {
  readonly #crashAt: number | undefined
  readonly #mode: "hang" | "throw"
  readonly #names: string[] = []
  readonly #happened: Deferred<Crashed> = deferred()
  #crashed: Crashed | undefined

  constructor(options: CrashPointsOptions = {}) {
    this.#crashAt = options.crashAt
    this.#mode = options.mode ?? "hang"
  }

  /** How many points were passed. */
  get count(): number {
    return this.#names.length
  }

  get names(): readonly string[] {
    return this.#names
  }

  get crashed(): Crashed | undefined {
    return this.#crashed
  }

  /** Resolves when the crash happens; race it against the run. */
  whenCrashed(): Promise<Crashed> {
    return this.#happened.promise
  }

  /** Counts; crashes here when it is this point's turn. */
  async point(name: string): Promise<void> {
    await this.alive()
    this.#names.push(name)
    if (this.#names.length === this.#crashAt) this.crash(name)
    await this.alive()
  }

  /** Crashes now, wherever the code is. */
  crash(name: string): void {
    if (this.#crashed !== undefined) return
    this.#crashed = new Crashed(name, this.#names.length)
    this.#happened.resolve(this.#crashed)
  }

  /** Answers while the process lives, never afterwards. */
  async alive(): Promise<void> {
    if (this.#crashed === undefined) return
    if (this.#mode === "throw") throw this.#crashed
    await deferred<void>().promise
  }

  /** For code that can't wait, such as a synchronous read. */
  assertAlive(): void {
    if (this.#crashed === undefined) return
    throw simFault("SPT-SIM-004", { point: this.#crashed.point }, this.#crashed)
  }
}

export interface CrashRun {
  readonly points: CrashPoints
  /** Undefined in the run that only counts. */
  readonly crashAt?: number
}

/**
 * Runs once to count, then once per point. `run` builds a fresh world, lets it crash, recovers and
 * checks. Returns the count.
 */
export async function atEveryCrashPoint(
  run: (crashRun: CrashRun) => Promise<void>,
  options: { readonly pointsMax: number },
): Promise<number> {
  const counting = new CrashPoints()
  await run({ points: counting })
  const count = counting.count
  if (count > options.pointsMax) {
    throw simFault("SPT-SIM-001", { what: `${count} crash points, more than the bound` })
  }
  for (let crashAt = 1; crashAt <= count; crashAt++) {
    await run({ points: new CrashPoints({ crashAt }), crashAt })
  }
  return count
}
