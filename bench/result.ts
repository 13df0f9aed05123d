// What a benchmark reports, and the median that it reports by.

export interface BenchResult {
  readonly name: string
  readonly value: number
  readonly unit: string
  /** What it was measured against in the same run; "" when it stands alone. */
  readonly peer: string
  /** Ours divided by the peer's; 0 without a peer. */
  readonly ratio: number
  /** What the ratio has to be at least for `--gate`. */
  readonly least?: number
  /** Why there is no ratio, where one was to be expected. */
  readonly note?: string
}

export interface BenchOptions {
  /** Fewer rounds and smaller sets: to see that it works, not to publish. */
  readonly quick: boolean
  /** Says what is going on; never on standard output. */
  progress(text: string): void
}

export type Bench = (options: BenchOptions) => Promise<readonly BenchResult[]>

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = sorted.length >> 1
  const high = sorted[middle] ?? Number.NaN
  return sorted.length % 2 === 1 ? high : ((sorted[middle - 1] ?? Number.NaN) + high) / 2
}

export function alone(name: string, value: number, unit: string): BenchResult {
  return { name, value, unit, peer: "", ratio: 0 }
}
