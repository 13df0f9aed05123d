// etcd's puts of 1 KB by its own API, over TLS as ours and synced before it answers, from
// generators that cost little: gRPC by h2load, and the JSON gateway by wrk. The faster of them
// counts. Each connection has one request under way, as with ours.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { BenchOptions } from "../result.ts"
import type { LoadResult } from "./load-result.ts"
import { putMessage } from "./put-message.ts"
import { isInstalled, type RunningEtcd, runOrder, startEtcd } from "./servers.ts"
import { outputOf, wrk } from "./wrk.ts"

const connections = 32
const key = "/registry/core/configmaps/bench/createmap-32-0000001"
const value = Buffer.alloc(1024, 120)

/** etcd's revision: every put that happened raised it by one. */
async function revisionOf({ ask }: RunningEtcd): Promise<number> {
  const body = JSON.stringify({ key: Buffer.from("none").toString("base64") })
  const answer = await ask("/v3/kv/range", body)
  const found = JSON.parse(answer) as { readonly header: { readonly revision: string } }
  return Number(found.header.revision)
}

async function byGrpc(etcd: RunningEtcd, ms: number): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), "setpoint-put-"))
  try {
    const body = join(folder, "put")
    writeFileSync(body, putMessage(key, value))
    const before = await revisionOf(etcd)
    const text = await outputOf("h2load", [
      ...["-D", String(Math.max(1, Math.round(ms / 1000))), "-c", String(connections), "-m", "1"],
      ...["-t", "1", "-d", body, "-H", "content-type: application/grpc", "-H", "te: trailers"],
      `${etcd.url}/etcdserverpb.KV/Put`,
    ])
    const answers = Number(/status codes: (\d+) 2xx/.exec(text)?.[1] ?? 0)
    const seconds = Number(/finished in ([\d.]+)s/.exec(text)?.[1] ?? Number.NaN)
    // h2load does not look at the trailers that say whether a put was done.
    const done = (await revisionOf(etcd)) - before
    if (done < answers) throw new Error(`${answers} answers, but only ${done} puts were done`)
    return answers / seconds
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function byGateway(etcd: RunningEtcd, ms: number): Promise<number> {
  const body = JSON.stringify({
    key: Buffer.from(key).toString("base64"),
    value: value.toString("base64"),
  })
  const { answers, ms: took } = await wrk(etcd.url, "./put.lua", connections, ms, [body])
  return (answers / took) * 1000
}

/** From two processes of Node, where neither program is installed. */
async function byNode(etcd: RunningEtcd, ms: number): Promise<number> {
  const orders = [0, 1].map((index) => ({
    ...{ url: etcd.url, connections: connections / 2, ms, bytes: value.length },
    tag: `p${index}`,
  }))
  const results = await Promise.all(
    orders.map((order) => runOrder<LoadResult>("./etcd-load.ts", order)),
  )
  return results.reduce((sum, { answers, ms: took }) => sum + (answers / took) * 1000, 0)
}

export async function etcdPuts(
  { quick, progress }: BenchOptions,
  withTls: boolean,
): Promise<number> {
  const ms = quick ? 1000 : 5000
  const etcd = await startEtcd(withTls)
  const tls = withTls ? "with TLS" : "without TLS"
  const found: number[] = []
  const take = async (how: string, run: (ms: number) => Promise<number>) => {
    // The same warm-up as ours.
    await run(2 * ms)
    const rate = await run(ms)
    progress(`etcd ${tls}: put 1 KB, 32 connections, ${how}: ${Math.round(rate)}/s`)
    found.push(rate)
  }
  try {
    if (isInstalled("h2load")) await take("gRPC by h2load", (time) => byGrpc(etcd, time))
    if (isInstalled("wrk")) await take("the JSON gateway by wrk", (time) => byGateway(etcd, time))
    if (found.length === 0) await take("gRPC by Node", (time) => byNode(etcd, time))
    return Math.max(...found)
  } finally {
    await etcd.end()
  }
}
