// The kind Firewall against the suite that every provider has to pass, on the real nft in a network
// namespace of its own.

import { afterAll, beforeAll, describe, test } from "vitest"
import type { JsonObject } from "../../base/json.ts"
import { systemClock } from "../../base/system.ts"
import { conformanceOf } from "../../provider/conformance/conformance.ts"
import type { ConformanceSubject } from "../../provider/conformance/subject.ts"
import { worldWith } from "../../provider/missing-handles.ts"
import { firewallKind } from "./firewall-kind.ts"
import { commandFaultModes, FaultyCommands } from "./testing/faulty-commands.ts"
import { missingForFirewall, Namespace } from "./testing/namespace.ts"

const full = process.env.SETPOINT_TEST_FULL === "1"
const missing = missingForFirewall()
let namespace: Namespace | undefined

const room = (): Namespace => {
  if (namespace === undefined) throw new Error("there is no namespace")
  return namespace
}

const accept = (id: string, port: number): JsonObject => ({
  ...{ id, protocol: "tcp", ports: [port], verdict: "accept", counter: true },
})

const specOf = (netns: string, table: string, rules: readonly JsonObject[]): JsonObject => ({
  ...{ family: "inet", table, host: { netns }, management: [] },
  sets: { admins: { type: "ipv4_addr", elements: ["10.0.0.0/8", "192.0.2.1"] } },
  chains: { input: { hook: "input", priority: 0, policy: "drop", rules } },
})

const subject: ConformanceSubject = {
  kind: firewallKind({ stateDirectory: "/nowhere", node: "node", clock: systemClock }),
  // Each mode tries every call of every act again.
  modes: full ? commandFaultModes : ["timeout", "lostReply"],
  ...(full ? {} : { skip: { "crash-anywhere": "npm test kills whole planes in test/scenarios" } }),
  limitMs: 30_000,
  async setup() {
    const netns = room()
    netns.nft("flush", "ruleset")
    const faulty = new FaultyCommands()
    const named = (identity: string) => identity.split("/").slice(1)
    let foreign = 0
    return {
      world: worldWith({ commands: faulty.commands }),
      samples: {
        first: specOf(netns.name, "setpoint_a", [accept("ssh", 22), accept("web", 80)]),
        second: specOf(netns.name, "setpoint_a", [accept("web", 8080), accept("ssh", 22)]),
        others: [
          specOf(netns.name, "setpoint_b", [accept("dns", 53)]),
          specOf(netns.name, "setpoint_c", []),
        ],
      },
      outside: {
        list: async () =>
          new Map([...netns.tables()].map(([name, value]) => [`${netns.name}/${name}`, value])),
        drift: async (identity) => {
          netns.nft("add", "rule", ...named(identity), "input", "tcp", "dport", "23", "accept")
        },
        remove: async (identity) => {
          netns.nft("delete", "table", ...named(identity))
        },
        addForeign: async () => {
          const name = `foreign_${++foreign}`
          netns.nft("add", "table", "inet", name)
          netns.nft("add", "chain", "inet", name, "input", "{ type filter hook input priority 0; }")
          return `${netns.name}/inet/${name}`
        },
        failNext: (mode) => faulty.failNext(mode),
        mutations: () => faulty.mutations,
      },
      close: async () => {},
    }
  },
}

describe.skipIf(missing !== undefined)(`Firewall obeys ${missing ?? ""}`, () => {
  beforeAll(() => {
    namespace = new Namespace("conf")
  })
  afterAll(() => namespace?.close())
  for (const { name, rule, run, skipped } of conformanceOf(subject, systemClock)) {
    if (skipped === undefined) test(`${name}: ${rule}`, run)
    else test.skip(`${name}: ${skipped}`, run)
  }
})
