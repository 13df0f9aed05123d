// What is judged of a management path over IPv6 is what happens on a real link: two namespaces that
// know nothing of each other, and a connection from one to the other.

import { type ChildProcess, spawn, spawnSync } from "node:child_process"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { addAll, compileTable, scriptOf } from "./compile.ts"
import { type FirewallSpec, firewallSpec, flowSpec } from "./firewall-spec.ts"
import { cutBy } from "./management.ts"
import { missingForFirewall, Namespace, run } from "./testing/namespace.ts"

const missing = missingForFirewall()
const [host, admin] = ["2001:db8::1", "2001:db8::2"]
const flow = flowSpec.parse({ from: admin, port: 22, interface: "to-admin" })
const types = ["nd-neighbor-solicit", "nd-neighbor-advert"]

const answers = { id: "answers", state: ["established"], verdict: "accept" }
const ssh = { id: "ssh", protocol: "tcp", ports: [22], verdict: "accept" }
const discovery = { id: "nd", protocol: "icmpv6", icmpTypes: types, verdict: "accept" }
const found = { ...discovery, icmpTypes: types.slice(0, 1) }

const table = (input: readonly object[], output?: readonly object[]): FirewallSpec =>
  firewallSpec.parse({
    table: "setpoint_six",
    chains: {
      input: { hook: "input", policy: "drop", rules: input },
      ...(output === undefined ? {} : { out: { hook: "output", policy: "drop", rules: output } }),
    },
  })

describe.skipIf(missing !== undefined)(`neighbours and the kernel ${missing ?? ""}`, () => {
  let managed: Namespace
  let manager: Namespace
  let server: ChildProcess

  beforeAll(async () => {
    managed = new Namespace("managed")
    manager = new Namespace("manager")
    run([
      ...["ip", "link", "add", "to-admin", "netns", managed.name, "type", "veth"],
      ...["peer", "name", "to-host", "netns", manager.name],
    ])
    for (const [space, link, address] of [
      [managed, "to-admin", host],
      [manager, "to-host", admin],
    ] as const) {
      space.exec("ip", "link", "set", link, "up")
      space.exec("ip", "addr", "add", `${address}/64`, "dev", link, "nodad")
    }
    const text = `require("node:net").createServer((socket) => socket.on("error", () => {}))
      .listen(22, "::", () => console.log("listening"))`
    const args = ["netns", "exec", managed.name, process.execPath, "-e", text]
    server = spawn("ip", args, { stdio: ["ignore", "pipe", "inherit"] })
    await new Promise((resolve) => server.stdout?.once("data", resolve))
  })
  afterAll(() => {
    server?.kill("SIGKILL")
    managed?.close()
    manager?.close()
  })

  function reaches(spec: FirewallSpec): boolean {
    const add = { add: { table: { family: spec.family, name: spec.table } } }
    managed.nft("flush", "ruleset")
    const script = scriptOf([add, ...addAll(spec, compileTable(spec))])
    managed.inside(["sh", "-c", "cat | nft -j -f -"], script)
    for (const space of [managed, manager]) space.exec("ip", "-6", "neigh", "flush", "all")
    const connect = 'exec 3<>"/dev/tcp/$1/22"'
    const bash = ["timeout", "8", "bash", "-c", connect, "bash", host]
    return spawnSync("ip", ["netns", "exec", manager.name, ...bash]).status === 0
  }

  test.each<[string, FirewallSpec, boolean]>([
    ["a port alone", table([ssh]), false],
    ["a port and neighbour discovery", table([discovery, ssh]), true],
    ["neighbours that a state lets in", table([{ ...discovery, state: ["new"] }, ssh]), false],
    ["neighbours that get no answer", table([discovery, ssh], [answers]), false],
    ["neighbours both ways", table([discovery, ssh], [answers, discovery]), true],
    ["only questions of neighbours", table([found, ssh], [answers]), false],
  ])("agree about %s", { timeout: 60_000 }, (_, spec, open) => {
    expect(cutBy(spec, [flow]) === undefined).toBe(open)
    expect(reaches(spec)).toBe(open)
  })
})
