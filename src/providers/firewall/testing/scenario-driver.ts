// Real nftables in a network namespace of its own, for the scenario suite. The back door enters the
// namespace by the process that holds it, so that it works also when the name is gone.

import { sleep } from "../../../base/clock.ts"
import type { JsonObject } from "../../../base/json.ts"
import type { CommandRequest } from "../../../contract/commands.ts"
import { nodeCommands } from "../../../provider/adapter/commands.ts"
import { worldWith } from "../../../provider/missing-handles.ts"
import type { ScenarioDriver } from "../../../provider/scenarios/driver.ts"
import { firewallKind } from "../firewall-kind.ts"
import { Namespace, run as root } from "./namespace.ts"
import { sampleFacts, sampleTable, sampleText } from "./sample-tables.ts"

/** nft without the right to: what a plane gets that is not root. */
const powerless = ["setpriv", "--bounding-set", "-net_admin", "--inh-caps", "-net_admin"]

const askedEveryMs = 60 // The suite asks without end while it waits, and each costs a process.

const place = ({ family, table }: JsonObject) => `${String(family)} ${String(table)}`

export const firewallScenarios = (targetsMax: number): ScenarioDriver => ({
  ...{ kind: "Firewall", targetsMax, deadlineMs: 300_000 },
  steady: {
    management: "it says which rules are refused and is no part of the table",
    confirm: "it says how a change is proven and is no part of the table",
  },
  skip: { "partial-answer": "the kernel answers with a whole table or with an error" },
  async open({ directory, clock }) {
    const space = new Namespace("scen")
    const real = nodeCommands()
    const options = { stateDirectory: `${directory}/firewall`, node: process.execPath, clock }
    let prefix: readonly string[] = []
    const as = (one: CommandRequest) => ({ ...one, argv: [...prefix, ...one.argv] })
    const look: typeof real.look = (one, signal) => real.look(as(one), signal)
    const run: typeof real.run = (one, signal) => real.run(as(one), signal)
    const nft = (text: string) => void space.inside(["nft", "-f", "-"], text)
    const spec = (n: number, version: 0 | 1) => sampleTable(space.name, n, version)
    const close = async () => {
      real.close()
      space.close()
    }
    return {
      kinds: () => [firewallKind(options)],
      world: worldWith({ commands: { ...real, look, run } }),
      ...{ spec, importScope: { table: "all", netns: space.name } },
      async facts() {
        await sleep(clock, askedEveryMs)
        return new Map([...space.texts()].map(([one, text]) => sampleFacts(space.name, one, text)))
      },
      drifts: {
        "chains.more": (one) => nft(`add rule ${place(one)} input tcp dport 23 accept`),
        "chains.fewer": (one) => nft(`flush chain ${place(one)} input`),
        "chains.policy": (one) => nft(`add chain ${place(one)} input { policy drop; }`),
        "sets.elements": (one) => nft(`add element ${place(one)} admins { 203.0.113.9 }`),
      },
      make(wanted) {
        const n = Number(String(wanted.table).slice("setpoint_".length))
        const isFirst = JSON.stringify(spec(n, 0)) === JSON.stringify(wanted)
        nft(sampleText(n, isFirst ? 0 : 1))
      },
      remove: (one) => nft(`delete table ${place(one)}`),
      foreign: () =>
        nft("add table inet theirs\nadd chain inet theirs input\nadd table ip setpoint_0"),
      troubles: {
        async credentials() {
          prefix = powerless
          return async () => {
            prefix = []
          }
        },
        async "server-stopped"() {
          root(["mount", "--bind", "/dev/null", `/run/netns/${space.name}`])
          return async () => void root(["umount", `/run/netns/${space.name}`])
        },
      },
      close,
    }
  },
})
