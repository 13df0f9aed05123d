// Hosts for firewall tests: network namespaces with one interface each, joined by a bridge in a
// namespace of its own. Packets are real; nothing of the machine's own network is touched, and
// `close` takes everything away.

import { type ChildProcess, execFileSync, spawn } from "node:child_process"
import { readFileSync } from "node:fs"
import { missingForFirewall, Namespace } from "../../../src/providers/firewall/testing/namespace.ts"
import { requireTool, type ToolCheck } from "../../tools.ts"
import { waitFor } from "../plane/wait-for.ts"

export function firewallTools(): ToolCheck {
  const tools = requireTool("nft", "ip", "unshare", "bash", "timeout")
  if (tools.missing) return tools
  return missingForFirewall() === undefined ? tools : requireTool("nft: list tables")
}

export interface Talk {
  /** Answers come, over the same connection as ever. */
  goesOn(): Promise<void>
}

export class NetRig {
  readonly #hosts = new Map<string, { readonly space: Namespace; readonly address: string }>()
  readonly #bridge: Namespace
  readonly #servers: ChildProcess[] = []

  constructor(...names: readonly string[]) {
    this.#bridge = new Namespace("net")
    this.#bridge.exec("ip", "link", "add", "br0", "type", "bridge")
    this.#bridge.exec("ip", "link", "set", "br0", "up")
    for (const [index, name] of names.entries()) this.#join(name, `10.77.0.${index + 1}`)
  }

  #join(name: string, address: string): void {
    const space = new Namespace(name)
    const port = `p-${name}`
    const [inside, outside] = [space.name, this.#bridge.name]
    execFileSync("ip", [
      ...["-n", outside, "link", "add", port, "type", "veth"],
      ...["peer", "name", "eth0", "netns", inside],
    ])
    this.#bridge.exec("ip", "link", "set", port, "master", "br0", "up")
    space.exec("ip", "address", "add", `${address}/24`, "dev", "eth0")
    space.exec("ip", "link", "set", "eth0", "up")
    this.#hosts.set(name, { space, address })
  }

  #host(name: string) {
    const host = this.#hosts.get(name)
    if (host === undefined) throw new Error(`no host ${name}`)
    return host
  }

  /** The name of its namespace. */
  netns(name: string): string {
    return this.#host(name).space.name
  }

  address(name: string): string {
    return this.#host(name).address
  }

  nft(name: string, ...argv: readonly string[]): string {
    return this.#host(name).space.nft(...argv)
  }

  /** Resolves when the host takes connections on these ports. */
  async listen(name: string, ...ports: readonly number[]): Promise<void> {
    const text = `
      const ports = process.argv.slice(1).map(Number)
      let left = ports.length
      for (const port of ports) require("node:net").createServer((socket) => {
        socket.on("error", () => {})
        socket.pipe(socket)
      }).listen(port, () => --left || console.log("ready"))`
    const node = [process.execPath, "-e", text, "--", ...ports.map(String)]
    const child = spawn("ip", ["netns", "exec", this.netns(name), ...node], {
      stdio: ["ignore", "pipe", "inherit"],
    })
    this.#servers.push(child)
    await new Promise<void>((resolve, reject) => {
      child.stdout.once("data", () => resolve())
      child.once("exit", (code) => reject(new Error(`the server on ${name} ended with ${code}`)))
    })
  }

  /** Whether a connection can be opened; a packet that is dropped has a second to come. */
  reaches(from: string, to: string, port: number): Promise<boolean> {
    const connect = 'exec 3<>"/dev/tcp/$1/$2"'
    const bash = ["timeout", "1", "bash", "-c", connect, "bash", this.address(to), String(port)]
    const args = ["netns", "exec", this.netns(from), ...bash]
    const child = spawn("ip", args, { timeout: 20_000, stdio: "ignore" })
    return new Promise((resolve, reject) => {
      child.once("error", reject)
      child.once("exit", (code) => resolve(code === 0))
    })
  }

  /** A connection that stays open, and over which something is said all the time. */
  async talk(from: string, to: string, port: number): Promise<Talk> {
    const text = `
      const [address, port] = process.argv.slice(1)
      const socket = require("node:net").connect(Number(port), address)
      setInterval(() => socket.write("."), 50)
      socket.on("data", (words) => process.stdout.write(words))
      socket.on("error", () => process.exit(1)).on("close", () => process.exit(1))`
    const node = [process.execPath, "-e", text, "--", this.address(to), String(port)]
    const child = spawn("ip", ["netns", "exec", this.netns(from), ...node], {
      stdio: ["ignore", "pipe", "inherit"],
    })
    this.#servers.push(child)
    let answers = 0
    child.stdout.on("data", (words) => {
      answers += String(words).length
    })
    const goesOn = async () => {
      const before = answers
      await waitFor(`${from} is answered by ${to}`, () => {
        if (child.exitCode !== null) throw new Error(`the connection ended after ${answers} words`)
        return answers >= before + 5 || answers - before
      })
    }
    await goesOn()
    return { goesOn }
  }

  /** The command lines of everything that runs there. */
  programs(name: string): string[] {
    const pids = execFileSync("ip", ["netns", "pids", this.netns(name)], { encoding: "utf8" })
    return pids.split("\n").flatMap((pid) => {
      try {
        return pid === ""
          ? []
          : [readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ")]
      } catch {
        return [] // It has ended meanwhile.
      }
    })
  }

  close(): void {
    for (const child of this.#servers) child.kill("SIGKILL")
    for (const { space } of this.#hosts.values()) space.close()
    this.#bridge.close()
  }
}
