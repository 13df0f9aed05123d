// etcd's creates of 1 KB by its own API: gRPC transactions that put a new key where there is none,
// synced before they are answered, one at a time on each connection, as with ours. Beside them what
// it does at most: one fixed put again and again, sent by h2load where that is installed.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { type BenchOptions, median } from "../result.ts"
import { putMessage } from "./create-message.ts"
import type { LoadResult } from "./load-result.ts"
import { isInstalled, type RunningEtcd, runOrder, startEtcd } from "./servers.ts"
import { outputOf } from "./wrk.ts"

const connections = 32
const bytes = 1024

export interface Rates {
  readonly ours: number
  /** etcd's. */
  readonly creates: number
  /** Undefined where h2load is missing. */
  readonly puts: number | undefined
}

/** etcd's revision: every write that happened raised it by one. */
async function revisionOf({ ask }: RunningEtcd): Promise<number> {
  const body = JSON.stringify({ key: Buffer.from("none").toString("base64") })
  const answer = await ask("/v3/kv/range", body)
  const found = JSON.parse(answer) as { readonly header: { readonly revision: string } }
  return Number(found.header.revision)
}

/** Neither generator looks at what was answered: the revision tells. */
async function allDone(etcd: RunningEtcd, run: () => Promise<LoadResult>): Promise<number> {
  const before = await revisionOf(etcd)
  const { answers, ms } = await run()
  const done = (await revisionOf(etcd)) - before
  if (done < answers) throw new Error(`${answers} answers, but only ${done} writes were done`)
  return (answers / ms) * 1000
}

async function creates({ url }: RunningEtcd, ms: number, tag: string): Promise<LoadResult> {
  return runOrder<LoadResult>("./etcd-load.ts", { url, connections, ms, bytes, tag })
}

async function puts({ url }: RunningEtcd, ms: number): Promise<LoadResult> {
  const folder = mkdtempSync(join(tmpdir(), "setpoint-put-"))
  try {
    const body = join(folder, "put")
    writeFileSync(body, putMessage("/registry/core/configmaps/bench/one", Buffer.alloc(bytes, 120)))
    const text = await outputOf("h2load", [
      ...["-D", String(Math.max(1, Math.round(ms / 1000))), "-c", String(connections), "-m", "1"],
      ...["-t", "1", "-d", body, "-H", "content-type: application/grpc", "-H", "te: trailers"],
      `${url}/etcdserverpb.KV/Put`,
    ])
    const answers = Number(/status codes: (\d+) 2xx/.exec(text)?.[1] ?? 0)
    const seconds = Number(/finished in ([\d.]+)s/.exec(text)?.[1] ?? Number.NaN)
    return { answers, ms: seconds * 1000, p50: 0, p99: 0 }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

export interface BesideEtcd {
  readonly options: BenchOptions
  readonly withTls: boolean
  /** Creates per second of the other server, by the same number of connections. */
  ours(ms: number, tag: string): Promise<number>
}

/**
 * Turn by turn in one run, both warm: the machine is not equally fast all the time, and either side
 * meets the same of it. The medians count.
 */
export async function createsInTurn({ options, withTls, ours }: BesideEtcd): Promise<Rates> {
  const { quick, progress } = options
  const [ms, rounds] = quick ? [1000, 1] : [5000, 5]
  const etcd = await startEtcd(withTls)
  try {
    await ours(2 * ms, "warm-up")
    await creates(etcd, 2 * ms, "warm-up")
    const [mine, theirs]: [number[], number[]] = [[], []]
    for (let round = 1; round <= rounds; round++) {
      mine.push(await ours(ms, `round-${round}`))
      theirs.push(await allDone(etcd, () => creates(etcd, ms, `round-${round}`)))
      const pair = [mine, theirs].map((rates) => `${Math.round(rates.at(-1) ?? 0)}/s`)
      progress(`creates in turn, ${round} of ${rounds}: setpoint ${pair[0]}, etcd ${pair[1]}`)
    }
    const put = isInstalled("h2load") ? await allDone(etcd, () => puts(etcd, ms)) : undefined
    return { ours: median(mine), creates: median(theirs), puts: put }
  } finally {
    await etcd.end()
  }
}
