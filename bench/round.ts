// What guards and ledger add to the CPU of a round: 1,000 files get new content by one change of
// the source, in a real plane on SQLite. Why a profile and not a plane without them: what is left
// out would change what the rest does (batches of another size, acts that wait for nothing), and a
// seam that skips the journal is one that must not exist. The store's work for the ledger is asked
// of the store itself, by playing the same commits with and without the ledger's.

import { spawnSync } from "node:child_process"
import { fileURLToPath } from "node:url"
import { alone, type Bench, type BenchResult, median } from "./result.ts"
import type { RoundRun } from "./round/round-child.ts"

/** CPU milliseconds of one round. */
interface Parts {
  readonly guards: number
  readonly ledger: number
  /** Committing what the ledger writes. */
  readonly commits: number
  readonly stop: number
  readonly all: number
}

function runChild(files: number, repetitions: number): readonly RoundRun[] {
  const child = fileURLToPath(new URL("./round/round-child.ts", import.meta.url))
  const run = spawnSync(process.execPath, [child, String(files), String(repetitions)], {
    timeout: 1_800_000,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
  })
  if (run.status !== 0) throw new Error(`the rounds ended with ${run.status ?? run.signal}`)
  return JSON.parse(run.stdout) as readonly RoundRun[]
}

function partsOf({ shares, cpuMs, mainMs, workerMs, replay }: RoundRun): Parts {
  const store = (shares.store + shares.ledgerStore) * mainMs + workerMs
  return {
    guards: shares.guard * mainMs,
    ledger: shares.ledger * mainMs,
    // How much the store did is taken where it did it; whose work it was, from the replay.
    commits: store * (1 - replay.others / replay.all),
    stop: shares.stop * mainMs,
    all: cpuMs,
  }
}

export const bench: Bench = async ({ quick, progress }) => {
  const [files, repetitions] = quick ? [200, 1] : [1000, 5]
  const runs = runChild(files, repetitions)
  const parts = runs.map(partsOf)
  const what = `a round of ${files.toLocaleString("en")} changes`
  const added = (name: string, part: (one: Parts) => number, without = part): BenchResult => ({
    name,
    value: median(parts.map(part)),
    unit: "ms CPU",
    peer: "the CPU of everything else",
    ratio: median(parts.map((one) => part(one) / (one.all - without(one)))),
  })
  const code = ({ guards, ledger }: Parts) => guards + ledger
  const both = (one: Parts) => code(one) + one.commits
  for (const [name, share] of runs.at(-1)?.files.filter(isAdded).slice(0, 12) ?? []) {
    progress(`${(share * 100).toFixed(1).padStart(5)} % of the main thread: ${name}`)
  }
  return [
    alone(`${what}, from its source to quiet`, median(parts.map(({ all }) => all)), "ms CPU"),
    added("its guards", ({ guards }) => guards, code),
    added("its ledger", ({ ledger }) => ledger, code),
    added("guards and ledger", code),
    added("the store's commits for the ledger", ({ commits }) => commits, both),
    added("guards, ledger and its commits", both),
    added("asking whether it is stopped", ({ stop }) => stop),
    alone("rows written", median(runs.map(({ rows }) => rows.all)), "rows"),
    alone("rows written by the ledger", median(runs.map(({ rows }) => rows.ledger)), "rows"),
  ]
}

const isAdded = ([name]: readonly [string, number]): boolean => /^(guard|ledger) /.test(name)
