// The time series of one metric: one value per set of label values, bounded in number. What comes
// over the bound is counted together under "other", so that hostile label values can't fill memory.

import { telemetryFault } from "./faults.ts"

export type Labels = Readonly<Record<string, string>>

export interface MetricShape {
  readonly name: string
  readonly help: string
  readonly labels: readonly string[]
  readonly seriesMax: number
}

const labelCharactersMax = 200

export class SeriesSet<V> {
  readonly shape: MetricShape
  readonly #make: () => V
  readonly #series = new Map<string, { readonly values: readonly string[]; readonly state: V }>()

  constructor(shape: MetricShape, make: () => V) {
    this.shape = shape
    this.#make = make
  }

  of(labels: Labels): V {
    const values = this.#values(labels)
    const found = this.#series.get(values.join("\u0000"))
    if (found !== undefined) return found.state
    const isFull = values.length > 0 && this.#series.size >= this.shape.seriesMax
    return this.#obtain(isFull ? values.map(() => "other") : values)
  }

  /** Forgets one series, for example of a loop that is gone. */
  remove(labels: Labels): void {
    this.#series.delete(this.#values(labels).join("\u0000"))
  }

  /** Forgets every series with this value of a label. */
  forget(label: string, value: string): void {
    const index = this.shape.labels.indexOf(label)
    if (index < 0) return
    const shown = value.slice(0, labelCharactersMax)
    for (const [key, { values }] of this.#series) {
      if (values[index] === shown) this.#series.delete(key)
    }
  }

  clear(): void {
    this.#series.clear()
  }

  entries(): readonly { readonly values: readonly string[]; readonly state: V }[] {
    return [...this.#series.values()]
  }

  #obtain(values: readonly string[]): V {
    const key = values.join("\u0000")
    const found = this.#series.get(key)
    if (found !== undefined) return found.state
    const state = this.#make()
    this.#series.set(key, { values, state })
    return state
  }

  #values(labels: Labels): readonly string[] {
    const { name, labels: names } = this.shape
    if (Object.keys(labels).length !== names.length) {
      throw telemetryFault("SPT-TELEMETRY-002", { name, cause: `its labels are [${names}]` })
    }
    return names.map((label) => {
      const value = labels[label]
      if (value !== undefined) return value.slice(0, labelCharactersMax)
      throw telemetryFault("SPT-TELEMETRY-002", { name, cause: `label "${label}" is missing` })
    })
  }
}
