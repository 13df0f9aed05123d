// Real files through a real plane on a durable store, in a process of its own: how fast they are
// made against a bare loop that writes, syncs and renames the same files; what a pass costs in
// which nothing changed, against bare lstat; how soon an edit is healed. Prints one line of JSON.

import {
  closeSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
  writeSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { monitorEventLoopDelay } from "node:perf_hooks"
import { systemClock as clock, systemRandom as random } from "../../src/base/system.ts"
import type { ApiObject } from "../../src/object/object.ts"
import type { Plane } from "../../src/plane/plane.ts"
import { nodeFiles } from "../../src/providers/file/adapter/node-files.ts"
import { fileKinds } from "../../src/providers/file/file-kinds.ts"
import { emptyWorld } from "../../src/sim/sim-fixture.ts"
import { openDataDirectory } from "../../src/store/engines/data-directory.ts"
import { median } from "../result.ts"
import { benchLoop, openBenchPlane, spent, untilConverged } from "./bench-plane.ts"

export interface FilesRun {
  readonly madePerSecond: number
  readonly barePerSecond: number
  readonly sweepCpuMs: number
  readonly lstatCpuMs: number
  readonly sweepRatio: number
  readonly sweepDelayMs: number
  readonly healMsP50: number
  readonly healMsP99: number
}

const count = Number(process.argv[2] ?? 10_000)
const rounds = 15
const edits = 50

interface BenchFile {
  readonly path: string
  readonly content: string
}

const base = mkdtempSync(join(tmpdir(), "setpoint-files-"))

function filesBelow(root: string): BenchFile[] {
  return Array.from({ length: count }, (_, index) => {
    const directory = join(root, `d${index % 100}`)
    if (index < 100) mkdirSync(directory, { recursive: true })
    return { path: join(directory, `file-${index}.conf`), content: `content ${index}\n` }
  })
}

/** As safe as one file can be made, and nothing else. */
function makeBare({ path, content }: BenchFile): void {
  const fd = openSync(`${path}.new`, "wx", 0o644)
  writeSync(fd, content)
  fsyncSync(fd)
  closeSync(fd)
  renameSync(`${path}.new`, path)
  const directory = openSync(dirname(path), "r")
  fsyncSync(directory)
  closeSync(directory)
}

const toObject = ({ path, content }: BenchFile, index: number): ApiObject => ({
  apiVersion: "host.setpoint.dev/v1",
  kind: "File",
  metadata: { name: `file-${index}` },
  spec: { path, content },
})

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

async function measureSweeps(plane: Plane, files: readonly BenchFile[]) {
  await pause(1500) // Files younger than a second are looked at in full, on purpose.
  await plane.loops.look(benchLoop)
  await untilConverged(plane, count, 60_000)
  const sweeps: number[] = []
  const lstats: number[] = []
  const delay = monitorEventLoopDelay({ resolution: 1 })
  const lookOnce = async () => {
    delay.enable()
    sweeps.push((await spent(() => plane.loops.look(benchLoop))).cpuMs)
    await pause(5)
    delay.disable()
  }
  const lstatOnce = async () => {
    const bare = await spent(() => {
      for (const { path } of files) lstatSync(path)
    })
    lstats.push(bare.cpuMs)
  }
  for (let round = 0; round < rounds; round++) {
    if (round % 2 === 0) await lstatOnce()
    await lookOnce()
    if (round % 2 === 1) await lstatOnce()
  }
  const ratios = sweeps.map((sweep, index) => sweep / (lstats[index] ?? Number.NaN))
  return {
    sweepCpuMs: median(sweeps),
    lstatCpuMs: median(lstats),
    sweepRatio: median(ratios),
    sweepDelayMs: delay.percentile(99.9) / 1e6,
  }
}

async function measureHeals(files: readonly BenchFile[]) {
  const times: number[] = []
  for (let edit = 0; edit < edits; edit++) {
    const file = files[(edit * 7919) % count] as BenchFile
    const began = performance.now()
    writeFileSync(file.path, "edited by hand\n")
    while (readFileSync(file.path, "utf8") !== file.content) {
      if (performance.now() - began > 10_000) throw new Error(`${file.path} was not healed`)
      await pause(1)
    }
    times.push(performance.now() - began)
    await pause(20)
  }
  times.sort((left, right) => left - right)
  const at = (part: number) => times[Math.min(times.length - 1, Math.floor(edits * part))] ?? 0
  return { healMsP50: at(0.5), healMsP99: at(0.99) }
}

const data = await openDataDirectory({ directory: join(base, "data"), clock, random })
const bareFiles = filesBelow(join(base, "bare"))
const files = filesBelow(join(base, "made"))
const bare = await spent(() => bareFiles.forEach(makeBare))
const kinds = fileKinds({ roots: [base], forbidden: [join(base, "data")], clock })
const world = { ...emptyWorld(), files: nodeFiles() }
let plane: Plane | undefined
const made = await spent(async () => {
  const objects = files.map(toObject)
  plane = await openBenchPlane({ store: data.store, kinds, objects, world })
  await untilConverged(plane, count, 600_000)
})
if (plane === undefined) throw new Error("the plane did not open")
const sweeps = await measureSweeps(plane, files)
const heals = await measureHeals(files)
const run: FilesRun = {
  madePerSecond: count / (made.wallMs / 1000),
  barePerSecond: count / (bare.wallMs / 1000),
  ...sweeps,
  ...heals,
}
console.log(JSON.stringify(run))
await plane.close()
await data.close()
rmSync(base, { recursive: true, force: true })
