// A load generator in a process of its own: so many connections, each one request after the other,
// for a while. Prints the number of answers and the latencies as JSON.
//   node load.ts '{"place":…,"what":"create","connections":16,"ms":4000,"tag":"a"}'

import { LightClient, type Place } from "./light-client.ts"
import { printLoad } from "./load-result.ts"
import { configMap, configMapsPath, widget, widgetsPath } from "./objects.ts"

export type What = "createMap" | "createWidget" | "get" | "status" | "apply"

export interface LoadOrder {
  readonly place: Place
  readonly what: What
  readonly connections: number
  readonly ms: number
  /** Makes the names of this process its own. */
  readonly tag: string
  /** How many widgets "w-N" exist, for the others than create. */
  readonly widgets: number
}

async function one(client: LightClient, order: LoadOrder, id: string, n: number): Promise<number> {
  const { what, widgets, tag } = order
  const path = `${widgetsPath}/w-${n % widgets}`
  if (what === "createMap") {
    return (await client.send("POST", configMapsPath, configMap(`${tag}-${id}-${n}`))).status
  }
  if (what === "createWidget") {
    return (await client.send("POST", widgetsPath, widget(`${tag}-${id}-${n}`))).status
  }
  if (what === "get") return (await client.send("GET", path)).status
  if (what === "status") {
    const body = JSON.stringify({ status: { ready: n, phase: `${tag}${id}` } })
    const type = "application/merge-patch+json"
    return (await client.send("PATCH", `${path}/status`, body, type)).status
  }
  // Another size than last time, or nothing would be written.
  const body = widget(`w-${n % widgets}`, (n + Math.floor(n / widgets)) % 1000)
  const query = `?fieldManager=bench&force=true`
  return (await client.send("PATCH", path + query, body, "application/apply-patch+yaml")).status
}

async function connection(order: LoadOrder, id: number, until: number): Promise<number[]> {
  const client = await LightClient.open(order.place)
  const times: number[] = []
  // Connections begin at different objects, so that they do not fight for one.
  for (let n = id * 97; performance.now() < until; n++) {
    const start = performance.now()
    const status = await one(client, order, String(id), n)
    if (status !== 200 && status !== 201)
      throw new Error(`${order.what} was answered with ${status}`)
    times.push(performance.now() - start)
  }
  client.close()
  return times
}

const order = JSON.parse(process.argv[2] ?? "{}") as LoadOrder
await printLoad(order.connections, order.ms, (id, until) => connection(order, id, until))
