// The servers under comparison, each started in a folder of its own on free ports and ended again:
// Setpoint as people run it, kube-apiserver with etcd, and etcd alone.

import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process"
import { generateKeyPairSync } from "node:crypto"
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { request as httpRequest } from "node:http"
import { request as httpsRequest } from "node:https"
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
  /** Processor time of its main thread so far, in microseconds; undefined where there is none. */
  mainThread?(): number
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

const microsecondsPerTick = 10_000

/** Steadier than time by the clock where others use the machine too. */
function mainThread({ pid }: ChildProcess): number {
  const text = readFileSync(`/proc/${pid}/task/${pid}/stat`, "utf8")
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ")
  return (Number(fields[11]) + Number(fields[12])) * microsecondsPerTick
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
  const program = fileURLToPath(new URL("../../bin/setpoint", import.meta.url))
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
    mainThread: () => mainThread(child),
    end: () => endAll([child], folder),
  }
}

/** Makes a key and a certificate for localhost in the folder. */
function selfSigned(folder: string): { readonly key: string; readonly certificate: string } {
  const [key, certificate] = [join(folder, "key.pem"), join(folder, "certificate.pem")]
  execFileSync(
    "openssl",
    [
      ...["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"],
      ...["-keyout", key, "-out", certificate, "-days", "2", "-subj", "/CN=localhost"],
    ],
    { stdio: "ignore" },
  )
  return { key, certificate }
}

/** A server that does nothing but TLS, HTTP and JSON: the limit of the runtime on this machine. */
export async function startBare(): Promise<Running> {
  const folder = mkdtempSync(join(tmpdir(), "setpoint-bare-"))
  const { key, certificate } = selfSigned(folder)
  const port = await freePort()
  const program = fileURLToPath(new URL("./bare-server.ts", import.meta.url))
  const started = performance.now()
  const child = spawn(process.execPath, [program, String(port), key, certificate], {
    stdio: "ignore",
  })
  const place = { host: "127.0.0.1", port, token: "" }
  await ready(place, [child])
  return {
    name: "a bare server",
    place,
    readyMs: performance.now() - started,
    memory: () => anonymousMb([child]),
    mainThread: () => mainThread(child),
    end: () => endAll([child], folder),
  }
}

export interface RunningEtcd {
  readonly url: string
  readonly child: ChildProcess
  /** Posts JSON to its gateway. */
  ask(path: string, body: string): Promise<string>
  end(): Promise<void>
}

/** By curl's way: over http or https, whoever signed the certificate. */
function post(url: string, body: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const send = url.startsWith("https:") ? httpsRequest : httpRequest
    const options = { method: body === "" ? "GET" : "POST", rejectUnauthorized: false }
    const asked = send(url, options, (answer) => {
      let text = ""
      answer.setEncoding("utf8")
      answer.on("data", (chunk: string) => {
        text += chunk
      })
      answer.on("end", () =>
        answer.statusCode === 200
          ? resolve(text)
          : reject(new Error(`${answer.statusCode} ${text}`)),
      )
    })
    asked.on("error", reject)
    asked.end(body)
  })
}

export async function startEtcd(withTls = false): Promise<RunningEtcd> {
  const folder = mkdtempSync(join(tmpdir(), "setpoint-etcd-"))
  const [client, peer] = [await freePort(), await freePort()]
  const url = `${withTls ? "https" : "http"}://127.0.0.1:${client}`
  const peerUrl = `http://127.0.0.1:${peer}`
  const pair = withTls ? selfSigned(folder) : undefined
  const tls = pair && ["--cert-file", pair.certificate, "--key-file", pair.key]
  const child = spawn(
    "etcd",
    [
      ...["--data-dir", join(folder, "etcd"), "--log-level", "error"],
      ...["--listen-client-urls", url, "--advertise-client-urls", url],
      ...["--listen-peer-urls", peerUrl, "--initial-advertise-peer-urls", peerUrl],
      ...["--initial-cluster", `default=${peerUrl}`],
      ...(tls ?? []),
    ],
    { stdio: "ignore" },
  )
  for (;;) {
    if (child.exitCode !== null) throw new Error(`etcd ended with ${child.exitCode}`)
    const answer = await post(`${url}/health`, "").catch(() => undefined)
    if (answer !== undefined) break
    await pause(20)
  }
  const ask = (path: string, body: string) => post(`${url}${path}`, body)
  return { url, child, ask, end: () => endAll([child], folder) }
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
