// The loop: what 100,000 objects cost when nothing changed, what a pass over real files costs
// against bare lstat, how fast files are made and healed, and 1,000 files against puppet.

import { spawnSync } from "node:child_process"
import { fileURLToPath } from "node:url"
import { againstPuppet } from "./loop/against-puppet.ts"
import type { FilesRun } from "./loop/files-child.ts"
import type { ListingRun } from "./loop/listing-child.ts"
import { alone, type Bench, type BenchResult } from "./result.ts"

/** In a process of its own: its memory and CPU are the plane's alone. */
function runChild<T>(name: string, args: readonly string[]): T {
  const child = fileURLToPath(new URL(`./loop/${name}.ts`, import.meta.url))
  const run = spawnSync(process.execPath, [child, ...args], {
    timeout: 1_800_000,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
  })
  if (run.status !== 0) throw new Error(`${name} ended with ${run.status ?? run.signal}`)
  return JSON.parse(run.stdout) as T
}

function listingRows(objects: number, store: string): BenchResult[] {
  const run = runChild<ListingRun>("listing-child", [String(objects), store])
  const what = `${objects.toLocaleString("en")} listed objects, ${store}`
  const peer = "comparing two strings per item"
  const ratio = run.resyncCpuMs / run.bareCpuMs
  const resync = `pass without a change, ${what}`
  return [
    { name: resync, value: run.resyncCpuMs / 1000, unit: "s CPU", peer, ratio },
    alone(`event-loop delay p99.9 of that pass, ${store}`, run.resyncDelayMs, "ms"),
    alone(`first convergence, ${what}`, run.convergeMs / 1000, "s"),
    alone(`first convergence, ${what}, CPU`, run.convergeCpuMs / 1000, "s CPU"),
    alone(`event-loop delay p99.9 meanwhile, ${store}`, run.convergeDelayMs, "ms"),
    alone(`memory (RSS) with ${what}`, run.rssMb, "MB"),
  ]
}

function fileRows(files: number): BenchResult[] {
  const run = runChild<FilesRun>("files-child", [String(files)])
  const what = `${files.toLocaleString("en")} files`
  return [
    {
      name: `pass without a change, ${what}`,
      value: run.sweepCpuMs,
      unit: "ms CPU",
      peer: `bare lstat, ${run.lstatCpuMs.toFixed(1)} ms CPU`,
      ratio: run.sweepRatio,
    },
    alone(`event-loop delay p99.9 of that pass, ${what}`, run.sweepDelayMs, "ms"),
    {
      name: `first convergence, ${what}`,
      value: run.madePerSecond,
      unit: "files/s",
      peer: `bare write, sync, rename, ${Math.round(run.barePerSecond)} files/s`,
      ratio: run.madePerSecond / run.barePerSecond,
    },
    alone(`an edit healed, p50 of 50, ${what}`, run.healMsP50, "ms"),
    alone(`an edit healed, p99 of 50, ${what}`, run.healMsP99, "ms"),
  ]
}

export const bench: Bench = async (options) => {
  const results: BenchResult[] = []
  const add = (rows: readonly BenchResult[]) => {
    results.push(...rows)
    for (const { name, value, unit } of rows)
      options.progress(`${name}: ${value.toPrecision(4)} ${unit}`)
  }
  const objects = options.quick ? 5000 : 100_000
  for (const store of ["memory", "sqlite"]) add(listingRows(objects, store))
  for (const files of options.quick ? [1000] : [1000, 10_000]) add(fileRows(files))
  add(await againstPuppet(options))
  return results
}
