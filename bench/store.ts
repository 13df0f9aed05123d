// The store against a raw append+fdatasync log with the same group commit: durable 1 KB puts with
// 1, 64 and 1,024 writers, both in each round so that the machine's mood hits both. Then opening
// 100,000 and 1,000,000 objects in a process of their own.

import { spawnSync } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { monitorEventLoopDelay } from "node:perf_hooks"
import { fileURLToPath } from "node:url"
import { systemClock as clock, systemRandom as random } from "../src/base/system.ts"
import type { Write } from "../src/contract/store.ts"
import { openDataDirectory } from "../src/store/engines/data-directory.ts"
import { alone, type Bench, type BenchOptions, type BenchResult, median } from "./result.ts"
import { RawLog } from "./store/raw-log.ts"

const value = Buffer.alloc(1024, "v")
const peer = "append+fdatasync log"

/** Operations per second of so many writers, each waiting for its own answer. */
async function drive(
  writers: number,
  forMs: number,
  put: (writer: number, count: number) => Promise<unknown>,
): Promise<number> {
  const began = performance.now()
  let done = 0
  const one = async (writer: number) => {
    for (let count = 0; performance.now() - began < forMs; count++) {
      await put(writer, count)
      done++
    }
  }
  await Promise.all(Array.from({ length: writers }, (_, writer) => one(writer)))
  return done / ((performance.now() - began) / 1000)
}

/** Before each measurement: compiled code and a write-ahead log that has come round once. */
const warmUpMs = 400

async function benchWrites(base: string, options: BenchOptions): Promise<BenchResult[]> {
  const rounds = options.quick ? 2 : 7
  const forMs = options.quick ? 300 : 1000
  const results: BenchResult[] = []
  for (const writers of [1, 64, 1024]) {
    const ours: number[] = []
    const ratios: number[] = []
    const delays: number[] = []
    for (let round = 0; round < rounds; round++) {
      const log = await RawLog.open(join(base, `log-${writers}-${round}`))
      const opened = await openDataDirectory({
        directory: join(base, `store-${writers}-${round}`),
        clock,
        random,
      })
      const append = () => log.append(value)
      const put = (writer: number, count: number) => {
        const key = `/registry/bench/default/object-${writer}-${count % 100}`
        return opened.store.commit([], [{ kind: "put", key, value }])
      }
      const runLog = async () => {
        await drive(writers, warmUpMs, append)
        return drive(writers, forMs, append)
      }
      const runStore = async () => {
        await drive(writers, warmUpMs, put)
        const delay = monitorEventLoopDelay({ resolution: 1 })
        delay.enable()
        const rate = await drive(writers, forMs, put)
        delay.disable()
        delays.push(delay.percentile(99.9) / 1e6)
        return rate
      }
      // Whoever goes first changes from round to round.
      const first = round % 2 === 0 ? await runLog() : await runStore()
      const second = round % 2 === 0 ? await runStore() : await runLog()
      const [logRate, rate] = round % 2 === 0 ? [first, second] : [second, first]
      ours.push(rate)
      ratios.push(rate / logRate)
      await log.close()
      await opened.close()
      for (const name of [`log-${writers}-${round}`, `store-${writers}-${round}`])
        rmSync(join(base, name), { recursive: true, force: true })
    }
    const name = `durable 1 KB puts, ${writers} writers`
    results.push({ name, value: median(ours), unit: "1/s", peer, ratio: median(ratios) })
    results.push(alone(`event-loop delay p99.9, ${writers} writers`, median(delays), "ms"))
    options.progress(`${name}: ${Math.round(median(ours))}/s, ${median(ratios).toFixed(2)}`)
  }
  return results
}

async function fill(directory: string, objects: number): Promise<void> {
  const opened = await openDataDirectory({ directory, clock, random })
  for (let from = 0; from < objects; from += 1000) {
    const writes = Array.from({ length: Math.min(1000, objects - from) }, (_, index): Write => {
      // Not in key order: as objects come in a real plane.
      const number = ((from + index) * 7_368_787) % objects
      const key = `/registry/files.host.setpoint.dev/namespace-${number % 97}/object-${number}`
      return { kind: "put", key, value }
    })
    await opened.store.commit([], writes)
  }
  await opened.close()
}

interface Opened {
  readonly openMs: number
  readonly readyMs: number
  readonly rssAnonMb: number
  readonly longestPauseMs: number
}

async function benchOpen(base: string, options: BenchOptions): Promise<BenchResult[]> {
  const results: BenchResult[] = []
  const child = fileURLToPath(new URL("./store/open-child.ts", import.meta.url))
  for (const objects of options.quick ? [10_000] : [100_000, 1_000_000]) {
    const directory = join(base, `open-${objects}`)
    options.progress(`making ${objects} objects`)
    await fill(directory, objects)
    const runs: Opened[] = []
    for (let round = 0; round < (options.quick ? 1 : 5); round++) {
      const run = spawnSync(process.execPath, [child, directory], { encoding: "utf8" })
      if (run.status !== 0) throw new Error(`opening failed: ${run.stderr}`)
      options.progress(run.stdout.trim())
      runs.push(JSON.parse(run.stdout))
    }
    rmSync(directory, { recursive: true, force: true })
    const of = (pick: (run: Opened) => number) => median(runs.map(pick))
    const what = `${objects.toLocaleString("en")} objects`
    results.push(alone(`ready with ${what}`, of((run) => run.readyMs) / 1000, "s"))
    results.push(
      alone(
        `RssAnon with ${what}`,
        of((run) => run.rssAnonMb),
        "MB",
      ),
    )
    const pause = of((run) => run.longestPauseMs)
    results.push(alone(`longest collector pause, ${what}`, pause, "ms"))
  }
  return results
}

export const bench: Bench = async (options) => {
  const base = mkdtempSync(join(tmpdir(), "setpoint-bench-"))
  try {
    return [...(await benchWrites(base, options)), ...(await benchOpen(base, options))]
  } finally {
    rmSync(base, { recursive: true, force: true })
  }
}
