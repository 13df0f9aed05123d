// Real name servers for tests: bind9 and knot on a free loopback port, each with its zones in a
// directory of its own. They are stopped by their own process id.

import { type ChildProcess, execFileSync, spawn } from "node:child_process"
import { createSocket } from "node:dgram"
import { closeSync, mkdirSync, openSync, readFileSync, writeFileSync } from "node:fs"
import { createServer } from "node:net"
import { join } from "node:path"

export interface NameServerProcess {
  readonly port: number
  /** `127.0.0.1:PORT`. */
  readonly address: string
  readonly keyFile: string
  readonly log: () => string
  stop(signal?: NodeJS.Signals): Promise<void>
  start(): Promise<void>
  /** Everything of the zone but its SOA, as dig prints it: name, ttl, class, type, data. */
  dig(zone: string): readonly (readonly string[])[]
  /** By hand: lines of nsupdate, without server, zone and send. */
  nsupdate(zone: string, ...lines: readonly string[]): void
}

export interface NameServerSetup {
  readonly directory: string
  /** Zone text by zone name; SOA and NS are made when it does not begin with $TTL. */
  readonly zones: Readonly<Record<string, string>>
  /** Where NOTIFY goes. */
  readonly notifyPort?: number
}

export const testKey = {
  name: "setpoint.",
  algorithm: "hmac-sha256",
  secret: "c2V0cG9pbnQgdGVzdCBrZXkgb2YgMzIgYnl0ZXMhISE=",
} as const

export const plainZone = (records = "") =>
  `$TTL 300\n@ SOA ns1 host.example.net. 1 3600 600 86400 60\n@ NS ns1\nns1 A 127.0.0.1\n${records}`

export async function freePort(): Promise<number> {
  for (let tries = 0; tries < 50; tries++) {
    const server = createServer()
    const port = await new Promise<number>((resolve) =>
      server.listen(0, "127.0.0.1", () => {
        const address = server.address()
        resolve(typeof address === "object" && address !== null ? address.port : 0)
      }),
    )
    await new Promise((resolve) => server.close(resolve))
    const socket = createSocket("udp4")
    const free = await new Promise<boolean>((resolve) => {
      socket.once("error", () => resolve(false))
      socket.bind(port, "127.0.0.1", () => resolve(true))
    })
    socket.close()
    if (free) return port
  }
  throw new Error("no free port for a name server")
}

const { name: keyName, algorithm, secret } = testKey
const keyText = `key "${keyName}" {\n  algorithm ${algorithm};\n  secret "${secret}";\n};\n`

function bindConfig(setup: NameServerSetup, port: number): string {
  const notify =
    setup.notifyPort === undefined
      ? "notify no;"
      : `notify explicit; notify-delay 0; also-notify { 127.0.0.1 port ${setup.notifyPort}; };`
  const zones = Object.keys(setup.zones).map(
    (zone) =>
      `zone "${zone}" { type primary; file "${zone}.zone"; ` +
      `allow-transfer { key "${keyName}"; }; allow-update { key "${keyName}"; }; };`,
  )
  return [
    keyText,
    `options { directory "${setup.directory}"; listen-on port ${port} { 127.0.0.1; };`,
    "listen-on-v6 { none; }; recursion no; pid-file none; lock-file none; session-keyfile none;",
    `dnssec-validation no; managed-keys-directory "${setup.directory}"; ${notify} };`,
    "controls { };",
    ...zones,
  ].join("\n")
}

function knotConfig(setup: NameServerSetup, port: number): string {
  const notify = setup.notifyPort !== undefined
  return [
    "server:",
    `  listen: 127.0.0.1@${port}`,
    `  rundir: ${setup.directory}`,
    "  udp-workers: 1\n  tcp-workers: 1\n  background-workers: 1",
    "log:\n  - target: stderr\n    any: info",
    `database:\n  storage: ${setup.directory}/db`,
    "key:",
    `  - id: ${testKey.name}\n    algorithm: ${testKey.algorithm}\n    secret: ${testKey.secret}`,
    ...(notify ? [`remote:\n  - id: plane\n    address: 127.0.0.1@${setup.notifyPort}`] : []),
    "acl:",
    `  - id: ours\n    key: ${testKey.name}\n    action: [transfer, update]`,
    "zone:",
    ...Object.keys(setup.zones).map(
      (zone) =>
        `  - domain: ${zone}\n    storage: ${setup.directory}\n    file: ${zone}.zone\n` +
        `    acl: ours${notify ? "\n    notify: plane" : ""}`,
    ),
    "",
  ].join("\n")
}

export function startBind(setup: NameServerSetup): Promise<NameServerProcess> {
  return startServer(setup, bindConfig, (config, port) => ({
    program: "named",
    args: ["-g", "-n", "1", "-c", config, "-p", String(port)],
    ready: /all zones loaded[\s\S]*running/,
  }))
}

export function startKnot(setup: NameServerSetup): Promise<NameServerProcess> {
  return startServer(setup, knotConfig, (config) => ({
    program: "knotd",
    args: ["-c", config],
    ready: /server started/,
  }))
}

interface Program {
  readonly program: string
  readonly args: readonly string[]
  readonly ready: RegExp
}

async function startServer(
  setup: NameServerSetup,
  config: (setup: NameServerSetup, port: number) => string,
  programOf: (config: string, port: number) => Program,
): Promise<NameServerProcess> {
  const { directory, zones } = setup
  mkdirSync(join(directory, "db"), { recursive: true })
  const port = await freePort()
  const keyFile = join(directory, "setpoint.key")
  writeFileSync(keyFile, keyText, { mode: 0o600 })
  for (const [zone, text] of Object.entries(zones)) {
    const whole = text.startsWith("$TTL") ? text : plainZone(text)
    writeFileSync(join(directory, `${zone}.zone`), whole)
  }
  const file = join(directory, "server.conf")
  writeFileSync(file, config(setup, port))
  const program = programOf(file, port)
  let running: Started | undefined
  const start = async () => {
    running = await spawnServer(program, join(directory, "server.log"))
  }
  await start()
  return {
    ...{ port, address: `127.0.0.1:${port}`, keyFile, start },
    log: () => running?.log() ?? "",
    async stop(signal = "SIGTERM") {
      await running?.stop(signal)
    },
    dig: (zone) => digZone(port, zone),
    nsupdate(zone, ...lines) {
      const input = [`server 127.0.0.1 ${port}`, `zone ${zone}`, ...lines, "send", ""].join("\n")
      execFileSync("nsupdate", ["-v", "-k", keyFile], { input, stdio: ["pipe", "pipe", "pipe"] })
    },
  }
}

interface Started {
  log(): string
  stop(signal: NodeJS.Signals): Promise<void>
}

/** Its log goes to a file: a pipe that nobody reads for a while would stop the server. */
async function spawnServer({ program, args, ready }: Program, logFile: string): Promise<Started> {
  const file = openSync(logFile, "w")
  const child: ChildProcess = spawn(program, [...args], { stdio: ["ignore", file, file] })
  closeSync(file)
  const log = () => readFileSync(logFile, "utf8")
  let failed: unknown
  child.once("error", (error) => {
    failed = error
  })
  const ended = new Promise<void>((done) => child.once("exit", () => done()))
  while (!ready.test(log())) {
    if (failed !== undefined) throw failed
    if (child.exitCode !== null) throw new Error(`${program} ended:\n${log()}`)
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
  return {
    log,
    async stop(signal) {
      child.kill(signal)
      await ended
    },
  }
}

function digZone(port: number, zone: string): readonly (readonly string[])[] {
  const key = `${testKey.algorithm}:${testKey.name}:${testKey.secret}`
  const args = ["@127.0.0.1", "-p", String(port), "-y", key, "+noall", "+answer", "+onesoa"]
  const text = execFileSync("dig", [...args, zone, "AXFR"], {
    encoding: "utf8",
    maxBuffer: 256 * 1024 * 1024,
  })
  const records: string[][] = []
  for (const line of text.split("\n")) {
    if (line.startsWith(";") || line === "") continue
    const [name = "", ttl = "", of = "", type = "", ...data] = line.split(/[ \t]+/)
    if (type !== "SOA" && type !== "TSIG") records.push([name, ttl, of, type, data.join(" ")])
  }
  return records
}
