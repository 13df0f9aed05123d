// The servers under comparison, each started in a folder of its own on free ports and ended again:
// Setpoint as people run it, kube-apiserver with etcd, and etcd alone.

import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process"
import { generateKeyPairSync } from "node:crypto"
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { LightClient, type Place } from "./light-client.ts"

export interface Running {
  readonly name: string
  readonly place: Place
  readonly readyMs: number
  /** Anonymous memory of all of its processes, in MB. */
  memory(): number
  end(): Promise<void>
}

export const isInstalled = (program: string): boolean =>
  spawnSync("sh", ["-c", 'command -v "$1"', "sh", program]).status === 0

export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once("error", reject)
    server.listen(0, "127.0.0.1", () => {
      const address = server.address()
      const port = typeof address === "object" && address !== null ? address.port : 0
      server.close(() => resolve(port))
    })
  })
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

async function ready(place: Place, children: readonly ChildProcess[]): Promise<void> {
  for (;;) {
    const dead = children.find((child) => child.exitCode !== null)
    if (dead !== undefined) throw new Error(`${dead.spawnfile} ended with ${dead.exitCode}`)
    try {
      const client = await LightClient.open(place)
      const { status } = await client.send("GET", "/readyz")
      client.close()
      if (status === 200) return
    } catch {
      // Not listening yet.
    }
    await pause(5)
  }
}

function anonymousMb(children: readonly ChildProcess[]): number {
  const kilobytes = children.map(({ pid }) => {
    const status = readFileSync(`/proc/${pid}/status`, "utf8")
    return Number(/RssAnon:\s+(\d+)/.exec(status)?.[1] ?? 0)
  })
  return kilobytes.reduce((sum, one) => sum + one, 0) / 1024
}

async function endAll(children: readonly ChildProcess[], folder: string): Promise<void> {
  for (const child of [...children].reverse()) {
    const gone = new Promise((resolve) => child.once("exit", resolve))
    if (child.exitCode === null && child.signalCode === null) {
      child.kill("SIGTERM")
      const late = setTimeout(() => child.kill("SIGKILL"), 10_000)
      await gone
      clearTimeout(late)
    }
  }
  rmSync(folder, { recursive: true, force: true })
}

export async function startSetpoint(): Promise<Running> {
  const folder = mkdtempSync(join(tmpdir(), "setpoint-bench-"))
  const data = join(folder, "data")
  const port = await freePort()
  const program = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url))
  const started = performance.now()
  const child = spawn(
    process.execPath,
    [program, "serve", "--data", data, "--listen", `127.0.0.1:${port}`],
    { stdio: "ignore", env: { ...process.env, XDG_CONFIG_HOME: join(folder, "config") } },
  )
  await ready({ host: "127.0.0.1", port, token: "" }, [child])
  const readyMs = performance.now() - started
  const token = readFileSync(join(data, "token"), "utf8").trim()
  return {
    name: "setpoint",
    place: { host: "127.0.0.1", port, token },
    readyMs,
    memory: () => anonymousMb([child]),
    end: () => endAll([child], folder),
  }
}

export interface RunningEtcd {
  readonly url: string
  readonly child: ChildProcess
  end(): Promise<void>
}

export async function startEtcd(): Promise<RunningEtcd> {
  const folder = mkdtempSync(join(tmpdir(), "setpoint-etcd-"))
  const [client, peer] = [await freePort(), await freePort()]
  const url = `http://127.0.0.1:${client}`
  const peerUrl = `http://127.0.0.1:${peer}`
  const child = spawn(
    "etcd",
    [
      ...["--data-dir", join(folder, "etcd"), "--log-level", "error"],
      ...["--listen-client-urls", url, "--advertise-client-urls", url],
      ...["--listen-peer-urls", peerUrl, "--initial-advertise-peer-urls", peerUrl],
      ...["--initial-cluster", `default=${peerUrl}`],
    ],
    { stdio: "ignore" },
  )
  for (;;) {
    if (child.exitCode !== null) throw new Error(`etcd ended with ${child.exitCode}`)
    const answer = await fetch(`${url}/health`).catch(() => undefined)
    if (answer?.ok === true) break
    await pause(20)
  }
  return { url, child, end: () => endAll([child], folder) }
}

export async function startKubernetes(): Promise<Running> {
  const folder = mkdtempSync(join(tmpdir(), "setpoint-kube-"))
  mkdirSync(join(folder, "certs"))
  const key = join(folder, "sa.key")
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 })
  writeFileSync(key, privateKey.export({ type: "pkcs8", format: "pem" }), { mode: 0o600 })
  const token = "bench"
  writeFileSync(join(folder, "tokens.csv"), `${token},bench,1,"system:masters"\n`)
  const port = await freePort()
  const started = performance.now()
  const etcd = await startEtcd()
  const child = spawn(
    "kube-apiserver",
    [
      `--etcd-servers=${etcd.url}`,
      ...["--bind-address=127.0.0.1", `--secure-port=${port}`],
      `--cert-dir=${join(folder, "certs")}`,
      ...[`--service-account-key-file=${key}`, `--service-account-signing-key-file=${key}`],
      "--service-account-issuer=https://127.0.0.1",
      `--token-auth-file=${join(folder, "tokens.csv")}`,
      ...["--authorization-mode=RBAC", "--service-cluster-ip-range=10.0.0.0/24"],
      ...["--disable-admission-plugins=ServiceAccount", "--endpoint-reconciler-type=none"],
    ],
    { stdio: "ignore" },
  )
  const place = { host: "127.0.0.1", port, token }
  await ready(place, [etcd.child, child])
  return {
    name: "kube-apiserver and etcd",
    place,
    readyMs: performance.now() - started,
    memory: () => anonymousMb([etcd.child, child]),
    end: async () => {
      await endAll([child], folder)
      await etcd.end()
    },
  }
}

/** Runs a script of this folder with an order as JSON; its answer is JSON too. */
export function runOrder<T>(script: string, order: object): Promise<T> {
  const path = fileURLToPath(new URL(script, import.meta.url))
  const child = spawn(process.execPath, [path, JSON.stringify(order)], {
    stdio: ["ignore", "pipe", "inherit"],
  })
  let text = ""
  child.stdout.on("data", (chunk: Buffer) => {
    text += chunk.toString("utf8")
  })
  return new Promise((resolve, reject) => {
    child.once("exit", (code) => {
      if (code === 0) resolve(JSON.parse(text) as T)
      else reject(new Error(`${script} ended with ${code}`))
    })
  })
}

export const programVersion = (program: string): string =>
  execFileSync(program, ["--version"], { encoding: "utf8" }).split("\n")[0] ?? program
