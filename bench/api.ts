// The API under load, over TLS with full semantics (roles, admission, schema, durable before it
// answers): against kube-apiserver with etcd where both are installed, and its creates against etcd
// by etcd's own API, with TLS too. Load comes from wrk where it is installed, else from two
// processes of Node; one server is asked at a time.

import { createsInTurn } from "./api/etcd-creates.ts"
import { LightClient, type Place } from "./api/light-client.ts"
import type { What } from "./api/load.ts"
import type { LoadResult } from "./api/load-result.ts"
import { namespace, widget, widgetDefinition, widgetsPath } from "./api/objects.ts"
import {
  isInstalled,
  type Running,
  runOrder,
  startBare,
  startKubernetes,
  startSetpoint,
} from "./api/servers.ts"
import { createToLastWatcher, watchListMs } from "./api/watchers.ts"
import { wrkLoad } from "./api/wrk.ts"
import { alone, type Bench, type BenchOptions, type BenchResult, median } from "./result.ts"

interface Row {
  readonly name: string
  readonly unit: string
  readonly value: number | undefined
  /** More is better, else less. */
  readonly isRate: boolean
}

/** `rate`: answers per second. */
interface Load {
  readonly answers: number
  readonly rate: number
}

const together = (results: readonly LoadResult[]): Load => ({
  answers: results.reduce((sum, { answers }) => sum + answers, 0),
  rate: results.reduce((sum, { answers, ms }) => sum + (answers / ms) * 1000, 0),
})

async function load(
  place: Place,
  what: What,
  connections: number,
  ms: number,
  widgets: number,
  name = what.toLowerCase(),
): Promise<Load> {
  if (isInstalled("wrk")) {
    const tag = `${name}-${connections}`
    return together([await wrkLoad({ place, what, connections, ms, widgets, tag })])
  }
  const processes = connections === 1 ? 1 : 2
  const orders = Array.from({ length: processes }, (_, index) => ({
    ...{ place, what, ms, widgets, connections: connections / processes },
    tag: `${name}-${connections}-${index}`,
  }))
  const run = (order: object) => runOrder<LoadResult>("./load.ts", order)
  return together(await Promise.all(orders.map(run)))
}

/** The newest resourceVersion: every write that changed something raised it. */
async function revisionOf(place: Place): Promise<number> {
  const client = await LightClient.open(place)
  const { body } = await client.send("GET", `${widgetsPath}?limit=1`)
  client.close()
  return Number(JSON.parse(body.toString("utf8")).metadata.resourceVersion)
}

/** An answer to a write that wrote nothing is no write. */
async function allWritten(place: Place, run: () => Promise<Load>): Promise<Load> {
  const before = await revisionOf(place)
  const load = await run()
  const done = (await revisionOf(place)) - before
  if (done >= load.answers) return load
  throw new Error(`${load.answers} answers, but only ${done} writes were done`)
}

async function prepare(place: Place, widgets: number): Promise<void> {
  const client = await LightClient.open(place)
  const body = JSON.stringify({
    apiVersion: "v1",
    kind: "Namespace",
    metadata: { name: namespace },
  })
  await client.send("POST", "/api/v1/namespaces", body)
  const path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
  await client.send("POST", path, widgetDefinition)
  for (;;) {
    const { status } = await client.send("POST", widgetsPath, widget("w-0"))
    if (status === 201) break
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  for (let index = 1; index < widgets; index++) {
    await client.send("POST", widgetsPath, widget(`w-${index}`))
  }
  client.close()
}

async function listMs(place: Place): Promise<number> {
  const client = await LightClient.open(place)
  const start = performance.now()
  await client.send("GET", widgetsPath)
  const ms = performance.now() - start
  client.close()
  return ms
}

async function repeated<T>(times: number, run: () => Promise<T>): Promise<T[]> {
  const results: T[] = []
  for (let time = 0; time < times; time++) results.push(await run())
  return results
}

async function measure(server: Running, { quick, progress }: BenchOptions): Promise<Row[]> {
  const { place } = server
  const [widgets, ms, rounds] = quick ? [300, 1000, 10] : [3000, 5000, 50]
  progress(`${server.name}: ready in ${Math.round(server.readyMs)} ms; making ${widgets} objects`)
  await prepare(place, widgets)
  const rows: Row[] = []
  const time = (name: string, value: number | undefined, unit = "ms") => {
    progress(`${server.name}: ${name}: ${value?.toFixed(1) ?? "refused"} ${unit}`)
    rows.push({ name, unit, value, isRate: false })
  }
  const count = async (name: string, what: What, connections: number) => {
    const before = server.mainThread?.() ?? 0
    const began = performance.now()
    const run = () => load(place, what, connections, ms, widgets)
    const { rate: value } = await (what === "get" ? run() : allWritten(place, run))
    const took = performance.now() - began
    progress(`${server.name}: ${name}: ${Math.round(value)}/s`)
    rows.push({ name, unit: "per s", value, isRate: true })
    if (name !== creates32 || server.mainThread === undefined) return
    const spent = (server.mainThread() - before) / (value * (took / 1000))
    time("a create's processor time on the main thread", spent, "us")
  }
  const lists = await repeated(5, () => listMs(place))
  time(`LIST of ${widgets}`, median(lists))
  const streams = await repeated(5, () => watchListMs(place))
  time(
    `WatchList of ${widgets}`,
    streams.includes(undefined) ? undefined : median(streams as number[]),
  )
  await count("GET, 32 connections", "get", 32)
  // Both sides come to the measured creates as a server that has run for a while.
  await load(place, "createMap", 1, warmUp(ms), widgets, "warm-up")
  await count("create 1 KB, 1 connection", "createMap", 1)
  await load(place, "createMap", 32, warmUp(ms), widgets, "warm-up")
  await count(creates32, "createMap", 32)
  await count("create custom resources, 32 connections", "createWidget", 32)
  await count("status patches, 32 connections", "status", 32)
  await count("server-side applies, 32 connections", "apply", 32)
  time("create to the last of 100 watchers", median(await createToLastWatcher(place, 100, rounds)))
  time("memory (RssAnon)", server.memory(), "MB")
  time("to ready", server.readyMs)
  return rows
}

const warmUp = (ms: number): number => 2 * ms

const creates32 = "create 1 KB, 32 connections"

interface Peer {
  readonly name: string
  /** How many times better each row has to be. */
  readonly least?: number
}

function compare(
  ours: readonly Row[],
  theirs: readonly Row[],
  { name: peer, least = 0 }: Peer,
): BenchResult[] {
  return ours.map(({ name, unit, value = 0, isRate }) => {
    const other = theirs.find((row) => row.name === name)
    if (other?.value === undefined) {
      const note = other === undefined ? {} : { note: `refused by ${peer}` }
      return { ...alone(name, value, unit), ...note }
    }
    // Always how many times better.
    const ratio = isRate ? value / other.value : other.value / value
    return { name, value, unit, peer: `${peer} (times better)`, ratio, least }
  })
}

/** What this runtime could do at most here, had the API nothing to do. */
async function bareCreates({ quick, progress }: BenchOptions): Promise<BenchResult[]> {
  if (!isInstalled("openssl")) return []
  const server = await startBare()
  try {
    const ms = quick ? 1000 : 5000
    await load(server.place, "createMap", 32, warmUp(ms), 1)
    const { rate: value } = await load(server.place, "createMap", 32, ms, 1)
    progress(`a bare server: ${creates32}: ${Math.round(value)}/s`)
    return [
      alone("the same creates by a server without an API: the runtime's limit", value, "per s"),
    ]
  } finally {
    await server.end()
  }
}

async function run(start: () => Promise<Running>, options: BenchOptions): Promise<Row[]> {
  const server = await start()
  try {
    return await measure(server, options)
  } finally {
    await server.end()
  }
}

/** Of each row the median of what it was; undefined where it was refused. */
function medians(runs: readonly (readonly Row[])[]): Row[] {
  const [first = []] = runs
  return first.map((row, index) => {
    const values = runs.flatMap((rows) => rows[index]?.value ?? [])
    return { ...row, value: values.length === 0 ? undefined : median(values) }
  })
}

/**
 * Both servers in turn, each started anew: the machine is not equally fast all the time, and either
 * side meets the same of it.
 */
async function besideKubernetes(
  options: BenchOptions,
): Promise<{ readonly ours: Row[]; readonly theirs: Row[] }> {
  const [ours, theirs]: [Row[][], Row[][]] = [[], []]
  for (let turn = 0; turn < (options.quick ? 1 : 3); turn++) {
    ours.push(await run(startSetpoint, options))
    theirs.push(await run(startKubernetes, options))
  }
  return { ours: medians(ours), theirs: medians(theirs) }
}

/** The one row that etcd alone can be asked for: creates, by its own API. */
async function againstEtcd(options: BenchOptions): Promise<BenchResult[]> {
  const server = await startSetpoint()
  try {
    await prepare(server.place, 1)
    const rates = await createsInTurn({
      options,
      withTls: isInstalled("openssl"),
      ours: async (ms, tag) => (await load(server.place, "createMap", 32, ms, 1, tag)).rate,
    })
    const gate = isInstalled("kube-apiserver") ? {} : { least: 1.3 }
    const row = (value: number): Row[] => [
      { name: `${creates32}, in turn with etcd's`, unit: "per s", value, isRate: true },
    ]
    const puts =
      rates.puts === undefined ? [] : [alone("etcd's puts to one key", rates.puts, "per s")]
    return [
      ...compare(row(rates.ours), row(rates.creates), { name: "etcd's own creates", ...gate }),
      alone("etcd's own creates", rates.creates, "per s"),
      ...puts,
    ]
  } finally {
    await server.end()
  }
}

async function setpointRows(options: BenchOptions): Promise<BenchResult[]> {
  if (!isInstalled("etcd") || !isInstalled("kube-apiserver")) {
    return compare(await run(startSetpoint, options), [], { name: "" })
  }
  const { ours, theirs } = await besideKubernetes(options)
  return compare(ours, theirs, { name: "kube-apiserver", least: 2 })
}

export const bench: Bench = async (options) => {
  const rows = await setpointRows(options)
  const etcd = isInstalled("etcd") ? await againstEtcd(options) : []
  return [...rows, ...etcd, ...(await bareCreates(options))]
}
