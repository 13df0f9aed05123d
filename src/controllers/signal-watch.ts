// Looks at every Signal on its interval, keeps the last good reading, and writes the status when it
// says something new: a state at once, a mere number at most every ten seconds. A failed look is no
// reading: the value stays and grows old.

import { withDeadline } from "../base/async.ts"
import { type Clock, type Timer, toTimestamp } from "../base/clock.ts"
import { toFault } from "../base/faults.ts"
import { at, equalJson, type Json } from "../base/json.ts"
import type { SignalReading, SignalSpec } from "../contract/invariant.ts"
import type { ApiObject } from "../object/object.ts"
import { controllerFault } from "./faults.ts"
import { type LogMemory, readSignal, type SignalPorts } from "./read-signal.ts"
import { advance, type Hysteresis, signalSpecOf } from "./signal-spec.ts"

export interface SignalWatchPorts extends SignalPorts {
  readonly clock: Clock
  /** Merges into the status of the signal. */
  writeStatus(object: ApiObject, status: Json): Promise<void>
  /** There is a new reading, or the old one became stale. */
  changed(namespace: string, name: string): void
  failed(error: unknown): void
}

interface Watched {
  readonly object: ApiObject
  readonly spec: SignalSpec
  readonly memory: LogMemory
  readonly stop: AbortController
  timer: Timer | undefined
  hysteresis: Hysteresis
  last: { readonly value: number; readonly at: number; readonly wall: number } | undefined
  failure: string | undefined
  written: { readonly said: Json; readonly value: number | null; readonly at: number } | undefined
  readonly startedAt: number
}

const numbersEveryMs = 10_000

export class SignalWatch {
  readonly #ports: SignalWatchPorts
  readonly #watched = new Map<string, Watched>()

  constructor(ports: SignalWatchPorts) {
    this.#ports = ports
  }

  /** Made, changed (undefined: removed). The same generation again changes nothing. */
  put(key: string, object: ApiObject | undefined): void {
    const known = this.#watched.get(key)
    const { uid, generation } = object?.metadata ?? {}
    const before = known?.object.metadata
    if (known !== undefined && before?.uid === uid && before?.generation === generation) return
    this.#end(key)
    const spec = object === undefined ? undefined : signalSpecOf(object)
    if (object === undefined || spec === undefined) return
    const breached = at(object.status, "state") === "Breached"
    const watched: Watched = {
      object,
      spec,
      memory: { matches: [] },
      stop: new AbortController(),
      timer: undefined,
      hysteresis: { state: breached ? "Breached" : "Ok", inRow: 0 },
      last: undefined,
      failure: undefined,
      written: undefined,
      startedAt: this.#ports.clock.monotonic(),
    }
    this.#watched.set(key, watched)
    this.#schedule(watched, 0)
  }

  /** Undefined before the first good reading. */
  reading(namespace: string, name: string): SignalReading | undefined {
    for (const watched of this.#watched.values()) {
      const { metadata } = watched.object
      if (metadata.name !== name || metadata.namespace !== namespace) continue
      const { last, hysteresis } = watched
      if (last === undefined) return undefined
      const ageSeconds = (this.#ports.clock.monotonic() - last.at) / 1000
      const stale = this.#isStale(watched)
      return { value: last.value, ageSeconds, state: hysteresis.state, stale }
    }
    return undefined
  }

  close(): void {
    for (const key of [...this.#watched.keys()]) this.#end(key)
  }

  #end(key: string): void {
    const known = this.#watched.get(key)
    known?.timer?.cancel()
    known?.stop.abort()
    this.#watched.delete(key)
  }

  #isStale({ last, spec, startedAt }: Watched): boolean {
    return this.#ports.clock.monotonic() - (last?.at ?? startedAt) > spec.staleAfterMs
  }

  #schedule(watched: Watched, delayMs: number): void {
    if (watched.stop.signal.aborted) return
    watched.timer = this.#ports.clock.after(delayMs, () => {
      this.#look(watched)
        .catch((error) => !watched.stop.signal.aborted && this.#ports.failed(error))
        .finally(() => this.#schedule(watched, watched.spec.intervalMs))
    })
  }

  async #look(watched: Watched): Promise<void> {
    const { spec, memory, object, stop } = watched
    const { clock } = this.#ports
    const started = clock.monotonic()
    try {
      const answer = await withDeadline(
        clock,
        spec.timeoutMs,
        (signal) => readSignal(spec.probe, this.#ports, memory, signal),
        stop.signal,
      )
      if (answer.kind === "timeout") throw controllerFault("SPT-SIG-002", { ms: spec.timeoutMs })
      watched.last = { value: answer.value, at: started, wall: clock.now() }
      watched.hysteresis = advance(watched.hysteresis, answer.value, spec)
      watched.failure = undefined
    } catch (error) {
      watched.failure = toFault(error).message
    }
    if (stop.signal.aborted) return
    const { namespace = "", name } = object.metadata
    this.#ports.changed(namespace, name)
    await this.#report(watched)
  }

  async #report(watched: Watched): Promise<void> {
    const { last, hysteresis, failure, object, written } = watched
    const stale = this.#isStale(watched)
    const ready = last !== undefined && !stale && hysteresis.state === "Ok"
    const reason = stale ? "Stale" : last === undefined ? "NoReading" : hysteresis.state
    const message = failure ?? (hysteresis.state === "Ok" ? "within its limits" : "past its limits")
    const said = { state: hysteresis.state, stale, message: failure ?? null }
    const value = last?.value ?? null
    const now = this.#ports.clock.monotonic()
    if (written !== undefined && equalJson(written.said, said)) {
      if (written.value === value || now - written.at < numbersEveryMs) return
    }
    watched.written = { said, value, at: now }
    const condition = { type: "Ready", status: ready ? "True" : "False", reason, message }
    await this.#ports.writeStatus(object, {
      ...said,
      value,
      observedAt: last === undefined ? null : toTimestamp(last.wall),
      conditions: [condition],
    })
  }
}
