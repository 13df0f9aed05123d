// The last fifteen minutes as the plane tells them, and what charts make of them. Pure.

export type Values = readonly (number | null)[]

export interface Samples {
  /** Seconds since 1970. */
  readonly times: readonly number[]
  /** As long as the times; null where there is nothing to say. */
  readonly columns: Readonly<Record<string, Values>>
}

export interface LoopSamples extends Samples {
  readonly loop: string
}

export interface SeriesView {
  readonly now: number
  readonly stepSeconds: number
  readonly keptSeconds: number
  readonly plane: Samples
  readonly breakers: readonly { readonly connection: string; readonly state: string }[]
  readonly loops: readonly LoopSamples[]
}

export const noSamples: Samples = { times: [], columns: {} }

/** What is a time or an age is joined by its highest, what is a count by its sum. */
const highest = /Seconds|SecondsMax$|^stopped$/

/** Several loops as one: samples of one moment joined. */
export function joinSamples(all: readonly Samples[]): Samples {
  const [first, ...more] = all
  if (first === undefined) return noSamples
  if (more.length === 0) return first
  const times = [...new Set(all.flatMap(({ times: own }) => own))].sort((a, b) => a - b)
  const place = new Map(times.map((time, index) => [time, index]))
  const columns: Record<string, (number | null)[]> = {}
  for (const samples of all) {
    for (const [name, values] of Object.entries(samples.columns)) {
      const joined = columns[name] ?? new Array<number | null>(times.length).fill(null)
      columns[name] = joined
      for (const [index, value] of values.entries()) {
        const at = place.get(samples.times[index] ?? Number.NaN)
        if (at === undefined || value === null) continue
        const known = joined[at] ?? null
        joined[at] =
          known === null ? value : highest.test(name) ? Math.max(known, value) : known + value
      }
    }
  }
  return { times, columns }
}

export const scaled = (values: Values, by: number): Values =>
  values.map((value) => (value === null ? null : value * by))

export function lastOf(values: Values): number | null {
  for (let index = values.length - 1; index >= 0; index--) {
    const value = values[index] ?? null
    if (value !== null) return value
  }
  return null
}

export function highestOf(values: Values): number | null {
  let most: number | null = null
  for (const value of values) if (value !== null && (most === null || value > most)) most = value
  return most
}

/** "12", "3.4 s", "1.2k"; "-" for nothing. */
export function valueText(value: number | null | undefined, unit = ""): string {
  if (value === null || value === undefined) return "-"
  const size = Math.abs(value)
  const text =
    size >= 10_000
      ? `${(value / 1000).toFixed(size >= 100_000 ? 0 : 1)}k`
      : Number.isInteger(value)
        ? String(value)
        : value.toFixed(size < 10 ? 2 : 1)
  return unit === "" ? text : `${text} ${unit}`
}

export const timeText = (seconds: number): string =>
  new Date(seconds * 1000).toLocaleTimeString([], { hour12: false })
