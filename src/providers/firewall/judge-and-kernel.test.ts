// The judge that says whether a management path stays is compared with the kernel: random rules,
// real packets, and counters behind the rules that tell which packets came through.

import { type ChildProcess, spawn } from "node:child_process"
import { createInterface, type Interface } from "node:readline"
import fc from "fast-check"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { parseAddresses } from "./address.ts"
import { wrongWith } from "./check-spec.ts"
import { addAll, compileTable, scriptOf } from "./compile.ts"
import { judgePacket } from "./evaluate.ts"
import { type FirewallSpec, firewallSpec } from "./firewall-spec.ts"
import { missingForFirewall, Namespace } from "./testing/namespace.ts"

const full = process.env.SETPOINT_TEST_FULL === "1"
const missing = missingForFirewall()
const sources = ["127.0.0.1", "127.0.0.2", "127.1.0.3"] as const
const ports = [1001, 1002, 1003] as const
const packets = sources.flatMap((source) => ports.map((port) => ({ source, port })))

/** Sends one datagram for each line "source port", and says when it is out. */
const senderText = `
require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
  const [source, port] = line.split(" ")
  const socket = require("node:dgram").createSocket("udp4")
  socket.on("error", () => {})
  socket.bind(0, source, () => socket.send("x", Number(port), "127.0.0.1", () => {
    socket.close()
    console.log(line)
  }))
})
console.log("ready")`

const some = <T>(...values: readonly T[]) => fc.subarray([...values], { minLength: 1 })

const rule = fc.record(
  {
    protocol: fc.constantFrom("tcp", "udp", "icmp"),
    ports: some<string | number>(1001, 1002, "1003-1009"),
    sources: fc.constantFrom(["127.0.0.2"], ["127.0.0.0/16"], ["@some"], ["127.1.0.1-127.1.0.9"]),
    destinations: fc.constantFrom(["127.0.0.1"], ["10.0.0.0/8"]),
    inInterfaces: some("lo", "eth*"),
    state: some("new", "established", "invalid"),
    verdict: fc.constantFrom("accept", "drop", "return", "jump", "continue"),
  },
  { requiredKeys: ["verdict"] },
)

const chains = fc.record({
  policy: fc.constantFrom("accept", "drop"),
  input: fc.array(rule, { maxLength: 5 }),
  sub: fc.array(rule, { maxLength: 3 }),
})

/** A spec that is not refused; parts of rules that do not fit together are left out. */
function specOf({ policy, input, sub }: typeof chains extends fc.Arbitrary<infer T> ? T : never) {
  const fitting = (rules: typeof input, jumps: boolean) =>
    rules.map(({ ports: given, ...one }, index) => {
      const ported = one.protocol === "tcp" || one.protocol === "udp"
      const verdict = one.verdict === "jump" && !jumps ? "accept" : one.verdict
      const chain = verdict === "jump" ? { chain: "sub" } : {}
      const own = given === undefined || !ported ? {} : { ports: given }
      return { ...one, ...own, id: `r${index}`, verdict, ...chain }
    })
  return firewallSpec.parse({
    table: "setpoint_judged",
    sets: { some: { type: "ipv4_addr", elements: ["127.0.0.1", "127.1.0.0/24"] } },
    chains: {
      input: { hook: "input", policy, rules: fitting(input, true) },
      sub: { rules: fitting(sub, false) },
    },
  })
}

function judged(spec: FirewallSpec): string[] {
  const [local] = sources
  return packets
    .filter(({ source, port }) => {
      const [from, to] = [parseAddresses(source), parseAddresses(local)]
      if (from === undefined || to === undefined) throw new Error("not understood")
      const { verdicts } = judgePacket(spec, {
        ...{ hook: "input", protocol: "udp", source: from, destination: to, port },
        ...{ state: "new", inInterface: "lo", outInterface: "lo" },
      })
      expect(verdicts.size).toBe(1)
      return verdicts.has("accept")
    })
    .map(({ source, port }) => `${source} ${port}`)
}

describe.skipIf(missing !== undefined)(`the judge and the kernel ${missing ?? ""}`, () => {
  let space: Namespace
  let sender: ChildProcess
  let lines: Interface

  const nextLine = () => new Promise<string>((resolve) => lines.once("line", resolve))

  beforeAll(async () => {
    space = new Namespace("judge")
    const args = ["netns", "exec", space.name, process.execPath, "-e", senderText]
    sender = spawn("ip", args, { stdio: ["pipe", "pipe", "inherit"] })
    if (sender.stdout === null) throw new Error("no output")
    lines = createInterface({ input: sender.stdout })
    await nextLine()
  })
  afterAll(() => {
    sender?.kill("SIGKILL")
    space?.close()
  })

  /** Which packets come through these rules, by counters in a later table. */
  async function cameThrough(spec: FirewallSpec): Promise<string[]> {
    const { family, table } = spec
    const add = { add: { table: { family, name: table } } }
    space.nft("flush", "ruleset")
    const script = scriptOf([add, ...addAll(spec, compileTable(spec))])
    space.inside(["sh", "-c", "cat | nft -j -f -"], script)
    const counted = packets.map(
      ({ source, port }) => `ip saddr ${source} udp dport ${port} counter`,
    )
    space.inside(
      ["nft", "-f", "-"],
      `table inet later {
        chain input {
          type filter hook input priority 100;
          ${counted.join("\n")}
        }
      }`,
    )
    for (const { source, port } of packets) {
      const sent = nextLine()
      sender.stdin?.write(`${source} ${port}\n`)
      await sent
    }
    const found = space.nft("list", "table", "inet", "later")
    const passed = /saddr (\S+) udp dport (\d+) counter packets [1-9]/g
    return [...found.matchAll(passed)].map(([, source, port]) => `${source} ${port}`)
  }

  test("say the same of every packet", { timeout: 400_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(chains, async (given) => {
        const spec = specOf(given)
        fc.pre(wrongWith(spec) === undefined)
        expect(await cameThrough(spec)).toEqual(judged(spec))
      }),
      { numRuns: full ? 300 : 20 },
    )
  })
})
