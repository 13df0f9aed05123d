// What a load generator reports: how many answers in which time, and how late they came.

export interface LoadResult {
  readonly answers: number
  readonly ms: number
  readonly p50: number
  readonly p99: number
}

/** Runs the lanes side by side, each answering with its latencies; prints the result as JSON. */
export async function printLoad(
  connections: number,
  ms: number,
  lane: (id: number, until: number) => Promise<number[]>,
): Promise<void> {
  const start = performance.now()
  const lanes = Array.from({ length: connections }, (_, id) => lane(id, start + ms))
  const times = (await Promise.all(lanes)).flat().sort((a, b) => a - b)
  const at = (share: number) => times[Math.floor(times.length * share)] ?? 0
  const took = performance.now() - start
  const result: LoadResult = { answers: times.length, ms: took, p50: at(0.5), p99: at(0.99) }
  console.log(JSON.stringify(result))
}
