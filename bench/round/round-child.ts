// Rounds of many actions through a real plane, in a process of its own: every file of a folder gets
// new content by one change of the source, and the CPU from that change until everything is quiet
// is taken, with a profile of the main thread. Prints one line of JSON.

import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { Session } from "node:inspector/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Worker } from "node:worker_threads"
import { systemClock as clock } from "../../src/base/system.ts"
import type { ApiObject } from "../../src/object/object.ts"
import { type LocalPlane, openLocalPlane } from "../../src/plane/adapters/open-local-plane.ts"
import { newLogger } from "../../src/telemetry/logger.ts"
import { type Attributed, attribute } from "./attribute.ts"
import { CommitLog } from "./replay.ts"

export interface RoundRun extends Attributed {
  /** Of the process, of its main thread and of the store's worker. */
  readonly cpuMs: number
  readonly mainMs: number
  readonly workerMs: number
  /** The same commits played on another store: all of them, and without the ledger's. */
  readonly replay: { readonly all: number; readonly others: number }
  readonly rows: { readonly all: number; readonly ledger: number }
}

const count = Number(process.argv[2] ?? 1000)
const repetitions = Number(process.argv[3] ?? 5)
const loop = "default.bench"
const base = mkdtempSync(join(tmpdir(), "setpoint-round-"))
const [site, targets, data] = ["site", "targets", "data"].map((name) => join(base, name)) as [
  string,
  string,
  string,
]
let worker: Worker | undefined
process.once("worker", (started) => {
  worker = started // The store's, which is opened first.
})

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))
const contentOf = (round: number, index: number) => `round ${round} of file ${index}\n`
const pathOf = (index: number) => join(targets, `file-${index}.conf`)

/** In one move, so that it is one revision. */
function declare(round: number): void {
  const documents = Array.from({ length: count }, (_, index) =>
    [
      "apiVersion: host.setpoint.dev/v1",
      "kind: File",
      `metadata: { name: file-${index} }`,
      `spec: { path: ${pathOf(index)}, content: ${JSON.stringify(contentOf(round, index))} }`,
    ].join("\n"),
  )
  writeFileSync(join(base, "next"), documents.join("\n---\n"))
  renameSync(join(base, "next"), join(site, "files.yaml"))
}

const commits = new CommitLog()

async function open(): Promise<LocalPlane> {
  const local = await openLocalPlane({
    directory: data,
    logger: newLogger({ clock, level: "warn", sink: (line) => console.error(line) }),
    roots: [targets],
    keyFile: join(base, "key"),
    version: "bench",
    onFatal: (fault) => console.error(fault.message),
  })
  const [namespace = "", name = ""] = loop.split(".")
  const object: ApiObject = {
    apiVersion: "setpoint.dev/v1alpha1",
    kind: "Loop",
    metadata: { name, namespace },
    spec: {
      mode: "Enforce",
      interval: "1h",
      limits: { changes: 1_000_000 }, // Nothing waits.
      source: { directory: { path: site } },
    },
  }
  const resource = { group: "setpoint.dev", version: "v1alpha1", resource: "loops" }
  const client = local.plane.client({ name: "bench", kind: "human" })
  await client.apply(resource, object, { fieldManager: "bench", force: true })
  return local
}

/** Every action has its receipt, every object was seen as declared, and a second passed since. */
async function untilQuiet({ plane }: LocalPlane, sequence: number): Promise<void> {
  const until = performance.now() + 300_000
  const { settled, queue, ledger } = plane.engine
  for (let quiet = 0; quiet < 20; await pause(50)) {
    const done = settled.count(loop)
    const entries = ledger.journalHead(loop).sequence - sequence
    const rests = queue.depth() === 0 && queue.running() === 0
    quiet = done === count && entries >= 2 * count && rests ? quiet + 1 : 0
    if (performance.now() > until) throw new Error(`only ${done} of ${count} converged in time`)
  }
}

function requireContent(round: number): void {
  for (let index = 0; index < count; index++) {
    if (readFileSync(pathOf(index), "utf8") !== contentOf(round, index))
      throw new Error(`${pathOf(index)} does not have the content of round ${round}`)
  }
}

const msSince = ({ user, system }: NodeJS.CpuUsage): number => (user + system) / 1000

/** Two rounds: the CPU of one that nobody looks into, and a profile of another. */
async function runRounds(local: LocalPlane, round: number): Promise<RoundRun> {
  commits.clear()
  const [all, main] = [process.cpuUsage(), process.threadCpuUsage()]
  const writer = await worker?.cpuUsage()
  await change(local, round)
  const cpuMs = msSince(process.cpuUsage(all))
  const mainMs = msSince(process.threadCpuUsage(main))
  const workerMs = msSince((await worker?.cpuUsage(writer)) ?? { user: 0, system: 0 })
  const rows = commits.rows()
  const replay = await commits.replay(join(base, `replay-${round}`), 3)
  const session = new Session()
  session.connect()
  await session.post("Profiler.enable")
  await session.post("Profiler.setSamplingInterval", { interval: 200 })
  await session.post("Profiler.start")
  await change(local, round + 1)
  const { profile } = await session.post("Profiler.stop")
  session.disconnect()
  return {
    ...attribute(profile),
    ...{ cpuMs, mainMs, workerMs, rows, replay },
  }
}

async function change(local: LocalPlane, round: number): Promise<void> {
  const { sequence } = local.plane.engine.ledger.journalHead(loop)
  declare(round)
  await untilQuiet(local, sequence)
}

mkdirSync(site)
mkdirSync(targets)
declare(0)
const local = await open()
commits.watch(local.data.store)
await untilQuiet(local, 0)
await change(local, 1) // Warms up.
const runs: RoundRun[] = []
for (let run = 1; run <= repetitions; run++) {
  runs.push(await runRounds(local, 2 * run))
  requireContent(2 * run + 1)
}
console.log(JSON.stringify(runs))
await local.close()
rmSync(base, { recursive: true, force: true })
