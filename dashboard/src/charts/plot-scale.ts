// Where the numbers of a chart stand: ranges, round ticks, lines as paths. The plane of the drawing
// is 1000 wide and 100 high, whatever size it is shown at. Pure.

import type { Values } from "./series.ts"

export const wide = 1000
export const high = 100

/** A young plane's chart is mostly empty, and grows. */
const leastSeconds = 180

export interface Range {
  readonly low: number
  readonly high: number
}

export interface Tick {
  readonly value: number
  /** Of the range: 0 to 1. */
  readonly at: number
}

export function timeRange(times: readonly number[]): Range {
  const last = times.at(-1) ?? 0
  return { low: Math.min(times[0] ?? 0, last - leastSeconds), high: last }
}

/** From nothing to a little over the highest. */
export function valueRange(all: readonly Values[]): Range {
  let most = 0
  for (const values of all) for (const value of values) most = Math.max(most, value ?? 0)
  return { low: 0, high: Math.max(1, most * 1.1) }
}

/** At round numbers, at most so many. */
export function valueTicks(range: Range, most = 5): readonly Tick[] {
  const least = (range.high - range.low) / most
  const power = 10 ** Math.floor(Math.log10(least))
  const step = [1, 2, 5, 10].map((one) => one * power).find((one) => one >= least) ?? least
  return ticksAt(range, step)
}

const timeSteps = [30, 60, 120, 300, 600, 1800, 3600]

export function timeTicks(range: Range, most = 6): readonly Tick[] {
  const least = (range.high - range.low) / most
  return ticksAt(range, timeSteps.find((one) => one >= least) ?? least)
}

function ticksAt(range: Range, step: number): Tick[] {
  const ticks: Tick[] = []
  const first = Math.ceil(range.low / step)
  for (let count = first; count * step <= range.high; count++) {
    // A sum of steps such as 0.1 would not stay round.
    const value = Number((count * step).toPrecision(12))
    ticks.push({ value, at: partOf(range, value) })
  }
  return ticks
}

const partOf = ({ low, high: top }: Range, value: number): number =>
  top === low ? 0 : (value - low) / (top - low)

export interface Scale {
  readonly x: Range
  readonly y: Range
}

/**
 * One line as a path, with a gap where there is nothing to say; a value that stands alone is a dot.
 * With steps a value stands until the next one.
 */
export function linePath(
  times: readonly number[],
  values: Values,
  { x, y }: Scale,
  steps = false,
): string {
  const parts: string[] = []
  let drawing = false
  for (const [index, time] of times.entries()) {
    const value = values[index] ?? null
    if (value === null) {
      drawing = false
      continue
    }
    const left = rounded(partOf(x, time) * wide)
    const top = rounded(high - partOf(y, value) * high)
    if (!drawing) parts.push(`M${left} ${top}h0`)
    else parts.push(steps ? `H${left}V${top}` : `L${left} ${top}`)
    drawing = true
  }
  return parts.join("")
}

const rounded = (value: number): number => Math.round(value * 10) / 10

/** Which sample is nearest to a moment. */
export function nearest(times: readonly number[], moment: number): number | undefined {
  let found: number | undefined
  let least = Number.POSITIVE_INFINITY
  for (const [index, time] of times.entries()) {
    const distance = Math.abs(time - moment)
    if (distance < least) [found, least] = [index, distance]
  }
  return found
}
