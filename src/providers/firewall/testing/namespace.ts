// A network namespace of its own for tests, with a back door to its ruleset. Removed by `close`;
// what can't be made here (no root, no nft, no ip) is said by `missingForFirewall`.

import { type ChildProcess, execFileSync, spawn } from "node:child_process"
import { isArray, isObject, type Json, type JsonObject } from "../../../base/json.ts"

export const run = (argv: readonly string[], input?: string): string => {
  const [program = "", ...args] = argv
  return execFileSync(program, args, {
    encoding: "utf8",
    stdio: ["pipe", "pipe", "pipe"],
    ...(input === undefined ? {} : { input }),
  })
}

/** Why firewall tests can't run on this machine; undefined when they can. */
export function missingForFirewall(): string | undefined {
  try {
    run(["unshare", "-n", "nft", "list", "tables"])
    const name = `spt-try-${process.pid}`
    run(["ip", "netns", "add", name])
    run(["ip", "netns", "del", name])
    return undefined
  } catch (error) {
    const said = error instanceof Error ? error.message.split("\n")[0] : String(error)
    return `nft in network namespaces, as root: ${said}`
  }
}

let made = 0

export class Namespace {
  readonly name: string
  readonly #holder: ChildProcess

  constructor(label = "t") {
    this.name = `spt-${label}-${process.pid}-${++made}`
    run(["ip", "netns", "add", this.name])
    this.exec("ip", "link", "set", "lo", "up")
    const args = ["netns", "exec", this.name, "sleep", "3600"]
    this.#holder = spawn("ip", args, { stdio: "ignore" })
  }

  /** By the process that holds it, whatever became of its name. */
  inside(argv: readonly string[], input?: string): string {
    return run(["nsenter", "-t", String(this.#holder.pid), "-n", ...argv], input)
  }

  /** What nft prints of each table, by family and name. */
  texts(): Map<string, string> {
    const tables = this.inside(["nft", "list", "ruleset"]).split(/^(?=table )/m)
    const named = tables.filter((text) => text.startsWith("table "))
    return new Map(named.map((text) => [text.split(" ").slice(1, 3).join("/"), text]))
  }

  exec(...argv: readonly string[]): string {
    return run(["ip", "netns", "exec", this.name, ...argv])
  }

  nft(...argv: readonly string[]): string {
    return this.exec("nft", ...argv)
  }

  /** Everything in the ruleset, without handles and counters, by family and table. */
  tables(): Map<string, Json> {
    const text = this.nft("-j", "list", "ruleset")
    const listed = (JSON.parse(text) as { nftables: readonly JsonObject[] }).nftables
    const found = new Map<string, Json[]>()
    for (const entry of listed) {
      const [kind = "", value] = Object.entries(entry)[0] ?? []
      if (kind === "metainfo" || !isObject(value)) continue
      const table = kind === "table" ? value.name : value.table
      const key = `${String(value.family)}/${String(table)}`
      found.set(key, [...(found.get(key) ?? []), { [kind]: still(value) }])
    }
    return new Map<string, Json>(found)
  }

  close(): void {
    this.#holder.kill("SIGKILL")
    run(["ip", "netns", "del", this.name])
  }
}

const changing = new Set(["handle", "packets", "bytes", "expires"])

function still(value: Json): Json {
  if (isArray(value)) return value.map(still)
  if (!isObject(value)) return value
  const kept = Object.entries(value).filter(([name]) => !changing.has(name))
  return Object.fromEntries(kept.map(([name, one]) => [name, still(one ?? null)]))
}
