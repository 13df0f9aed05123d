// RecordSet against the suite that every provider has to pass, on a real bind9. The back door is a
// client of its own, so that nothing the provider remembers helps it.

import { afterAll, beforeAll, describe, test } from "vitest"
import { requireTool } from "../../../test/tools.ts"
import { systemClock, systemRandom } from "../../base/system.ts"
import { createSockets } from "../../provider/adapter/sockets.ts"
import { conformanceOf } from "../../provider/conformance/conformance.ts"
import type { ConformanceSubject } from "../../provider/conformance/subject.ts"
import { worldWith } from "../../provider/missing-handles.ts"
import { type NameServerProcess, startBind, testKey } from "./adapter/testing/name-servers.ts"
import { makeTempDir } from "./adapter/testing/temp-dir.ts"
import { dnsKinds } from "./dns-kinds.ts"
import { BackDoor } from "./testing/back-door.ts"
import { faultySockets } from "./testing/faulty-sockets.ts"

const tool = requireTool("named: -v")
const temp = makeTempDir()
let bind: NameServerProcess | undefined

beforeAll(async () => {
  if (tool.missing) return
  bind = await startBind({ directory: temp.path, zones: { "example.org": "" } })
}, 30_000)

afterAll(async () => {
  await bind?.stop("SIGKILL")
  temp.remove()
})

let drifts = 0
const driftOf = (identity: string): string =>
  identity.endsWith(" TXT") ? `drift ${++drifts}` : `203.0.113.${(++drifts % 250) + 1}`

const kinds = dnsKinds({ clock: systemClock, random: systemRandom })
const kind = kinds.find((one) => one.kind === "RecordSet")
if (kind === undefined) throw new Error("no kind RecordSet")

const subject: ConformanceSubject = {
  kind,
  async setup() {
    const port = bind?.port ?? 0
    const door = new BackDoor(port, { clock: systemClock, random: systemRandom })
    await door.clear()
    const faulty = faultySockets(createSockets())
    const place = { name: "Example.ORG", server: `127.0.0.1:${port}`, key: testKey }
    const set = (name: string, type: string, ttl: number, ...values: string[]) => ({
      zone: { ...place, policy: "sync", ignore: [], ownership: "txt" },
      ...{ name, type, ttl, values },
    })
    return {
      world: worldWith({ sockets: faulty.sockets }),
      samples: {
        first: set("WWW", "A", 300, "192.0.2.2", "192.0.2.1"),
        second: set("www", "a", 60, "192.0.2.3"),
        others: [
          set("mail.example.org.", "TXT", 300, `v=spf1 ${"a".repeat(300)}`),
          set("*.wild", "A", 300, "192.0.2.9"),
          set("six", "AAAA", 300, "2001:DB8:0:0::1"),
        ],
      },
      outside: {
        list: () => door.list(),
        async drift(identity) {
          await door.update([door.gone(identity), door.record(identity, driftOf(identity))])
        },
        remove: (identity) => door.update([door.gone(identity)]),
        addForeign: () => door.addForeign(),
        failNext: faulty.failNext,
        mutations: faulty.mutations,
      },
      close: async () => {},
    }
  },
}

describe.skipIf(tool.missing)("RecordSet obeys", () => {
  for (const { name, rule, run, skipped } of conformanceOf(subject, systemClock)) {
    if (skipped === undefined) test(`${name}: ${rule}`, run, 60_000)
    else test.skip(`${name}: ${skipped}`, run)
  }
})
