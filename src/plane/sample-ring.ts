// A ring of samples with named columns: the newest push out the oldest. Times are exact; values
// are good to about seven digits, which is enough for a chart and half the memory.

export interface Samples<C extends string> {
  /** Seconds since 1970. */
  readonly times: readonly number[]
  /** As long as the times; null where there is nothing to say. */
  readonly columns: Readonly<Partial<Record<C, readonly (number | null)[]>>>
}

export class SampleRing<C extends string> {
  readonly #columns: readonly C[]
  readonly #size: number
  readonly #times: Float64Array
  readonly #values: Float32Array
  #next = 0
  #count = 0

  constructor(columns: readonly C[], size: number) {
    this.#columns = columns
    this.#size = size
    this.#times = new Float64Array(size)
    this.#values = new Float32Array(size * columns.length)
  }

  add(at: number, values: Readonly<Record<C, number>>): void {
    this.#times[this.#next] = at
    for (const [index, column] of this.#columns.entries()) {
      this.#values[index * this.#size + this.#next] = values[column]
    }
    this.#next = (this.#next + 1) % this.#size
    this.#count = Math.min(this.#count + 1, this.#size)
  }

  /** Oldest first. */
  since(after: number, chosen?: ReadonlySet<string>): Samples<C> {
    const all = Array.from({ length: this.#count }, (_, index) => {
      return (this.#next - this.#count + index + this.#size) % this.#size
    })
    const places = all.filter((place) => (this.#times[place] ?? 0) > after)
    const columns: Partial<Record<C, readonly (number | null)[]>> = {}
    for (const [index, column] of this.#columns.entries()) {
      if (chosen !== undefined && !chosen.has(column)) continue
      columns[column] = places.map((place) => rounded(this.#values[index * this.#size + place]))
    }
    return { times: places.map((place) => this.#times[place] ?? 0), columns }
  }
}

/** Single precision shown as such: 0.1 and not 0.10000000149. */
function rounded(value: number | undefined): number | null {
  if (value === undefined || !Number.isFinite(value)) return null
  return Number.isInteger(value) ? value : Number(value.toPrecision(6))
}
