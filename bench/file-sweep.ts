// What a sweep over 10,000 unchanged files costs: CPU time of the File kind's fingerprints against
// bare lstatSync over the same paths, interleaved, median of several. Prints; judges nothing.

import { lstatSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Clock } from "../src/base/clock.ts"
import { worldWith } from "../src/provider/missing-handles.ts"
import { nodeFiles } from "../src/providers/file/adapter/node-files.ts"
import { fileKinds } from "../src/providers/file/file-kinds.ts"

const count = 10_000
const rounds = 15

const cpuMs = (work: () => void): number => {
  const before = process.cpuUsage()
  work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}

const median = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN

const root = mkdtempSync(join(tmpdir(), "setpoint-sweep-"))
try {
  const paths = Array.from({ length: count }, (_, index) => {
    const directory = join(root, `d${index % 100}`)
    if (index < 100) mkdirSync(directory)
    const path = join(directory, `file-${index}.conf`)
    writeFileSync(path, `content ${index}\n`)
    return path
  })
  // A minute ahead, so that files made just now count as settled.
  const clock: Clock = {
    now: () => Date.now() + 60_000,
    monotonic: () => 0,
    after: () => ({ cancel: () => {} }),
  }
  const kind = fileKinds({ roots: ["/"], forbidden: [], clock }).find(({ kind }) => kind === "File")
  const world = worldWith({ files: nodeFiles() })
  const sweep: number[] = []
  const bare: number[] = []
  for (let round = 0; round < rounds; round++) {
    bare.push(
      cpuMs(() => {
        for (const path of paths) lstatSync(path)
      }),
    )
    sweep.push(
      cpuMs(() => {
        const prints = kind?.fingerprints?.(paths, world) ?? []
        if (prints.some((print) => print === undefined)) throw new Error("a file has no print")
      }),
    )
  }
  const [value, peer] = [median(sweep), median(bare)]
  const ratio = value / peer
  if (process.argv.includes("--json")) {
    const row = { name: "file-sweep-10000", value, unit: "ms CPU", peer, ratio }
    process.stdout.write(`${JSON.stringify([row])}\n`)
  } else {
    process.stdout.write(
      `sweep of ${count} files: ${value.toFixed(1)} ms CPU; ` +
        `bare lstatSync: ${peer.toFixed(1)} ms; ratio ${ratio.toFixed(2)}\n`,
    )
  }
} finally {
  rmSync(root, { recursive: true, force: true })
}
