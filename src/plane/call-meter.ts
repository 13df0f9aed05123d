// Counts and times the calls of providers, reads and acts, by kind.

import type { ProviderCall } from "../contract/provider-call.ts"
import { catalog } from "../telemetry/catalog.ts"
import type { Metrics } from "../telemetry/metrics.ts"

const knownMax = 2000

export class CallMeter {
  readonly #calls
  readonly #durations
  readonly #waits
  readonly #known = new Set<string>()

  constructor(metrics: Metrics) {
    const [calls, durations, waits] = [
      "setpoint_provider_calls_total",
      "setpoint_provider_call_duration_seconds",
      "setpoint_provider_rate_limit_wait_seconds_total",
    ] as const
    this.#calls = metrics.counter(calls, catalog[calls])
    this.#durations = metrics.histogram(durations, catalog[durations])
    this.#waits = metrics.counter(waits, catalog[waits])
  }

  called({ kind, call, result, ms }: ProviderCall): void {
    const name = `${kind} ${call}`
    if (!this.#known.has(name) && this.#known.size < knownMax) {
      this.#known.add(name)
      // From zero on, so that the first failure is seen as a growth.
      for (const one of ["ok", "unknown", "failed"]) this.#calls.add(0, { kind, call, result: one })
    }
    this.#calls.add(1, { kind, call, result })
    this.#durations.observe(Math.max(0, ms) / 1000, { kind, call })
  }

  waited(kind: string, ms: number): void {
    this.#waits.add(Math.max(0, ms) / 1000, { kind })
  }
}
