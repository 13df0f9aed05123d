// The API under load, over TLS with full semantics (roles, admission, schema, durable before it
// answers): against kube-apiserver with etcd where both are installed, else its creates against
// etcd by etcd's own API. Load comes from other processes; one server runs at a time.

import { LightClient, type Place } from "./api/light-client.ts"
import type { What } from "./api/load.ts"
import type { LoadResult } from "./api/load-result.ts"
import { namespace, widget, widgetDefinition, widgetsPath } from "./api/objects.ts"
import {
  isInstalled,
  type Running,
  runOrder,
  startEtcd,
  startKubernetes,
  startSetpoint,
} from "./api/servers.ts"
import { createToLastWatcher, watchListMs } from "./api/watchers.ts"
import { alone, type Bench, type BenchOptions, type BenchResult, median } from "./result.ts"

interface Row {
  readonly name: string
  readonly unit: string
  readonly value: number | undefined
  /** More is better, else less. */
  readonly isRate: boolean
}

const rate = (results: readonly LoadResult[]): number =>
  results.reduce((sum, { answers, ms }) => sum + (answers / ms) * 1000, 0)

async function load(
  place: Place,
  what: What,
  connections: number,
  ms: number,
  widgets: number,
): Promise<number> {
  const processes = connections === 1 ? 1 : 2
  const orders = Array.from({ length: processes }, (_, index) => ({
    ...{ place, what, ms, widgets, connections: connections / processes },
    tag: `${what.toLowerCase()}-${connections}-${index}`,
  }))
  return rate(await Promise.all(orders.map((order) => runOrder<LoadResult>("./load.ts", order))))
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
  const count = async (name: string, what: What, connections: number) => {
    const value = await load(place, what, connections, ms, widgets)
    progress(`${server.name}: ${name}: ${Math.round(value)}/s`)
    rows.push({ name, unit: "per s", value, isRate: true })
  }
  const time = (name: string, value: number | undefined, unit = "ms") => {
    progress(`${server.name}: ${name}: ${value?.toFixed(1) ?? "refused"} ${unit}`)
    rows.push({ name, unit, value, isRate: false })
  }
  const lists = await repeated(5, () => listMs(place))
  time(`LIST of ${widgets}`, median(lists))
  const streams = await repeated(5, () => watchListMs(place))
  time(
    `WatchList of ${widgets}`,
    streams.includes(undefined) ? undefined : median(streams as number[]),
  )
  await count("GET, 32 connections", "get", 32)
  await count("create 1 KB, 1 connection", "createMap", 1)
  await count(creates32, "createMap", 32)
  await count("create custom resources, 32 connections", "createWidget", 32)
  await count("status patches, 32 connections", "status", 32)
  await count("server-side applies, 32 connections", "apply", 32)
  time("create to the last of 100 watchers", median(await createToLastWatcher(place, 100, rounds)))
  time("memory (RssAnon)", server.memory(), "MB")
  time("to ready", server.readyMs)
  return rows
}

const creates32 = "create 1 KB, 32 connections"

function compare(ours: readonly Row[], theirs: readonly Row[], peer: string): BenchResult[] {
  return ours.map(({ name, unit, value = 0, isRate }) => {
    const other = theirs.find((row) => row.name === name)?.value
    if (other === undefined) return alone(name, value, unit)
    // Always how many times better.
    return { name, value, unit, peer, ratio: isRate ? value / other : other / value }
  })
}

async function etcdPuts({ quick, progress }: BenchOptions): Promise<number> {
  const etcd = await startEtcd()
  try {
    const orders = [0, 1].map((index) => ({
      ...{ url: etcd.url, connections: 16, ms: quick ? 1000 : 5000, bytes: 1024 },
      tag: `p${index}`,
    }))
    const results = orders.map((order) => runOrder<LoadResult>("./etcd-load.ts", order))
    const value = rate(await Promise.all(results))
    progress(`etcd: put 1 KB, 32 connections: ${Math.round(value)}/s`)
    return value
  } finally {
    await etcd.end()
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

export const bench: Bench = async (options) => {
  const hasEtcd = isInstalled("etcd")
  const ours = await run(startSetpoint, options)
  if (hasEtcd && isInstalled("kube-apiserver")) {
    return compare(ours, await run(startKubernetes, options), "kube-apiserver (times better)")
  }
  if (!hasEtcd) return compare(ours, [], "")
  const puts = await etcdPuts(options)
  const theirs = [{ name: creates32, unit: "per s", value: puts, isRate: true }]
  return compare(ours, theirs, "etcd's own puts (times better)")
}
