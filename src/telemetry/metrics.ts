// Metrics as values: counters, gauges and histograms in a registry that is handed around, and their
// Prometheus text. There is no global registry, and reading changes nothing.

import { telemetryFault } from "./faults.ts"
import { type Labels, type MetricShape, SeriesSet } from "./series.ts"

export interface Counter {
  add(amount?: number, labels?: Labels): void
  /** For what is counted elsewhere: brings it up to this total, never down. */
  reach(total: number, labels?: Labels): void
}

export interface Gauge {
  set(value: number, labels?: Labels): void
  add(amount: number, labels?: Labels): void
  remove(labels: Labels): void
  /** Forgets all series: for gauges that are set anew before each exposition. */
  clear(): void
}

export interface Histogram {
  observe(value: number, labels?: Labels): void
}

export interface MetricOptions {
  readonly help: string
  readonly labels?: readonly string[]
  /** 1,000 when missing; what comes over it is counted as "other". */
  readonly seriesMax?: number
}

/** What one metric is, for reference pages and for tests of rules that name it. */
export interface MetricFacts {
  readonly name: string
  readonly type: "counter" | "gauge" | "histogram"
  readonly help: string
  readonly labels: readonly string[]
}

export interface HistogramOptions extends MetricOptions {
  /** Upper bounds, growing; +Inf is added. */
  readonly buckets?: readonly number[]
}

/** A row of the table of all metrics. */
export interface CatalogEntry extends HistogramOptions {
  readonly type: MetricFacts["type"]
}

type Scalar = { value: number }
type Distribution = { readonly counts: number[]; sum: number; count: number }

type Metric =
  | { readonly type: "counter" | "gauge"; readonly series: SeriesSet<Scalar> }
  | {
      readonly type: "histogram"
      readonly series: SeriesSet<Distribution>
      readonly buckets: readonly number[]
    }

/** Seconds, from half a millisecond to a minute. */
export const defaultBuckets: readonly number[] = [
  0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60,
]

const namePattern = /^[a-z][a-z0-9_]{0,99}$/

export class Metrics {
  readonly #metrics = new Map<string, Metric>()
  readonly #collectors: (() => void)[] = []

  counter(name: string, options: MetricOptions): Counter {
    const series = this.#scalar("counter", name, options)
    return {
      add: (amount = 1, labels = {}) => {
        series.of(labels).value += checked(name, amount, amount >= 0)
      },
      reach: (total, labels = {}) => {
        const state = series.of(labels)
        state.value = Math.max(state.value, checked(name, total, total >= 0))
      },
    }
  }

  gauge(name: string, options: MetricOptions): Gauge {
    const series = this.#scalar("gauge", name, options)
    return {
      set: (value, labels = {}) => {
        series.of(labels).value = checked(name, value, true)
      },
      add: (amount, labels = {}) => {
        series.of(labels).value += checked(name, amount, true)
      },
      remove: (labels) => series.remove(labels),
      clear: () => series.clear(),
    }
  }

  histogram(name: string, options: HistogramOptions): Histogram {
    const buckets = options.buckets ?? defaultBuckets
    if (buckets.some((bound, index) => index > 0 && bound <= (buckets[index - 1] ?? bound))) {
      throw telemetryFault("SPT-TELEMETRY-001", { name, cause: "its buckets do not grow" })
    }
    const make = () => ({ counts: new Array<number>(buckets.length + 1).fill(0), sum: 0, count: 0 })
    const shape = this.#newShape(name, options, ["le"])
    const series = new SeriesSet<Distribution>(shape, make)
    this.#metrics.set(name, { type: "histogram", series, buckets })
    return {
      observe: (value, labels = {}) => {
        checked(name, value, true)
        const state = series.of(labels)
        const found = buckets.findIndex((bound) => value <= bound)
        const index = found < 0 ? buckets.length : found
        state.counts[index] = (state.counts[index] ?? 0) + 1
        state.sum += value
        state.count++
      },
    }
  }

  /** Drops every series with this value of a label, for example of a loop that is gone. */
  forget(label: string, value: string): void {
    for (const { series } of this.#metrics.values()) series.forget(label, value)
  }

  /** Every metric that is defined, in the order of that. */
  facts(): MetricFacts[] {
    return [...this.#metrics.values()].map(({ type, series: { shape } }) => {
      const { name, help, labels } = shape
      return { name, type, help, labels }
    })
  }

  /** Runs before each exposition, to set gauges from what is true now. */
  onCollect(collect: () => void): void {
    this.#collectors.push(collect)
  }

  /** The Prometheus text format, version 0.0.4. */
  expose(): string {
    for (const collect of this.#collectors) collect()
    const lines: string[] = []
    for (const metric of this.#metrics.values()) {
      const { name, help } = metric.series.shape
      lines.push(`# HELP ${name} ${help.replaceAll("\\", "\\\\").replaceAll("\n", "\\n")}`)
      lines.push(`# TYPE ${name} ${metric.type}`)
      lines.push(...(metric.type === "histogram" ? distributions(metric) : scalars(metric)))
    }
    return lines.length === 0 ? "" : `${lines.join("\n")}\n`
  }

  #scalar(type: "counter" | "gauge", name: string, options: MetricOptions): SeriesSet<Scalar> {
    const shape = this.#newShape(name, options, [])
    const series = new SeriesSet<Scalar>(shape, () => ({ value: 0 }))
    if (shape.labels.length === 0) series.of({})
    this.#metrics.set(name, { type, series })
    return series
  }

  #newShape(name: string, options: MetricOptions, reserved: readonly string[]): MetricShape {
    const labels = options.labels ?? []
    const bad = [name, ...labels].find((word) => !namePattern.test(word) || reserved.includes(word))
    if (bad !== undefined) {
      throw telemetryFault("SPT-TELEMETRY-001", { name, cause: `"${bad}" is not a usable name` })
    }
    if (this.#metrics.has(name)) {
      throw telemetryFault("SPT-TELEMETRY-001", { name, cause: "it exists already" })
    }
    return { name, help: options.help, labels, seriesMax: options.seriesMax ?? 1000 }
  }
}

function checked(name: string, value: number, allowed: boolean): number {
  if (Number.isFinite(value) && allowed) return value
  throw telemetryFault("SPT-TELEMETRY-002", { name, cause: `${value} is not possible here` })
}

function labelText(names: readonly string[], values: readonly string[]): string {
  if (names.length === 0) return ""
  const quoted = (text: string) =>
    text.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n")
  return `{${names.map((name, index) => `${name}="${quoted(values[index] ?? "")}"`).join(",")}}`
}

function scalars(metric: Extract<Metric, { type: "counter" | "gauge" }>): string[] {
  const { name, labels } = metric.series.shape
  return metric.series
    .entries()
    .map(({ values, state }) => `${name}${labelText(labels, values)} ${state.value}`)
}

function distributions(metric: Extract<Metric, { type: "histogram" }>): string[] {
  const { name, labels } = metric.series.shape
  return metric.series.entries().flatMap(({ values, state }) => {
    let total = 0
    const rows = [...metric.buckets, "+Inf"].map((bound, index) => {
      total += state.counts[index] ?? 0
      return `${name}_bucket${labelText([...labels, "le"], [...values, String(bound)])} ${total}`
    })
    const own = labelText(labels, values)
    return [...rows, `${name}_sum${own} ${state.sum}`, `${name}_count${own} ${state.count}`]
  })
}
