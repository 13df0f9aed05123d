// What is not proven is not believed: wrong keys, cut transfers, a server that went away. And
// what a server says by NOTIFY is a hint that wakes exactly what changed.

import { afterAll, beforeAll, describe, expect, test, vi } from "vitest"
import { systemClock, systemRandom } from "../../src/base/system.ts"
import type { Closeable } from "../../src/contract/world.ts"
import { openScenarioPlane } from "../../src/plane/testing/scenario-plane.ts"
import { createSockets } from "../../src/provider/adapter/sockets.ts"
import { worldWith } from "../../src/provider/missing-handles.ts"
import {
  type CuttingProxy,
  startProxy,
} from "../../src/providers/dns/adapter/testing/cutting-proxy.ts"
import {
  freePort,
  type NameServerProcess,
  startBind,
  startKnot,
  testKey,
} from "../../src/providers/dns/adapter/testing/name-servers.ts"
import { makeTempDir } from "../../src/providers/dns/adapter/testing/temp-dir.ts"
import { dnsKinds } from "../../src/providers/dns/dns-kinds.ts"
import { requireTool } from "../tools.ts"
import { KindCalls } from "./dns/kind-calls.ts"

vi.setConfig({ testTimeout: 60_000, hookTimeout: 30_000 })

const zone = "example.org"
const turn = () => new Promise((resolve) => setTimeout(resolve, 50))
const servers = [
  { name: "bind9", start: startBind, tool: requireTool("named: -v", "dig: -v", "nsupdate: -V") },
  { name: "knot", start: startKnot, tool: requireTool("knotd: -V", "dig: -v", "nsupdate: -V") },
]

describe.each(servers)("$name", ({ start, tool }) => {
  const temp = makeTempDir()
  let server: NameServerProcess
  let proxy: CuttingProxy
  let notifyPort = 0
  let early: Closeable | undefined

  beforeAll(async () => {
    if (tool.missing) return
    notifyPort = await freePort()
    const records = Array.from({ length: 3000 }, (_, n) => `r${n} A 192.0.2.1`).join("\n")
    // A server whose first NOTIFY is not answered sends no other one for a while.
    early = createSockets().listen({ host: "127.0.0.1", port: notifyPort }, (payload) => {
      const answer = Buffer.from(payload)
      answer.writeUInt16BE(answer.readUInt16BE(2) | 0x8000, 2)
      return answer
    })
    server = await start({ directory: temp.path, zones: { [zone]: records }, notifyPort })
    proxy = await startProxy(server.port)
  })

  afterAll(async () => {
    early?.close()
    await proxy?.close()
    await server?.stop("SIGKILL")
    temp.remove()
  })

  test.skipIf(tool.missing).each([
    ["another secret", { ...testKey, secret: "AAAAAAAAAAAAAAAAAAAAAA==" }],
    ["another name", { ...testKey, name: "somebody." }],
    ["another algorithm", { ...testKey, algorithm: "hmac-sha512" }],
    ["no key", undefined],
  ])("with %s shows nothing and changes nothing", async (_, key) => {
    const kind = new KindCalls(server, zone, { key: key === undefined ? null : { ...key } })
    await expect(kind.look()).rejects.toThrow(/^cannot /)
    await expect(kind.act("create", "new", "A", ["192.0.2.1"])).rejects.toThrow(/^cannot /)
    expect(server.dig(zone).some(([name]) => name === "new.example.org.")).toBe(false)
  })

  test.skipIf(tool.missing)("cut anywhere is no list", async () => {
    for (const bytes of [0, 1, 2, 100, 20_000, 60_000]) {
      const kind = new KindCalls(proxy, zone)
      proxy.cutAfter = bytes
      await expect(kind.look(), `after ${bytes} bytes`).rejects.toThrow(/ended early/)
    }
    proxy.cutAfter = undefined
    expect((await new KindCalls(proxy, zone).look()).complete).toBe(true)
  })

  test.skipIf(tool.missing)("whose answer to an update is cut leaves doubt", async () => {
    const kind = new KindCalls(proxy, zone)
    await kind.look()
    proxy.cutAfter = 20
    await expect(kind.act("create", "cut", "A", ["192.0.2.1"])).rejects.toThrow(/ended early/)
    proxy.cutAfter = undefined
    expect((await kind.seen("cut", "A"))?.mark).toBe("7d1c2f9e-0000-4000-8000-000000000001")
  })

  test.skipIf(tool.missing)("leaves what another owner has marked", async () => {
    const kind = new KindCalls(server, zone)
    await kind.look()
    const mine = { name: "owned", type: "A", values: ["192.0.2.9"] }
    await kind.batch([{ verb: "create", ...mine, uid: "somebody-else" }])
    const token = await kind.tokenOf("owned", "A")
    const [update, remove] = await kind.batch([
      { verb: "update", ...mine, values: ["192.0.2.10"], token, applied: true },
      { verb: "delete", ...mine, token, applied: true },
    ])
    expect([update, remove]).toMatchObject([{ kind: "failed" }, { kind: "failed" }])
    const [adopted] = await kind.batch([{ verb: "update", ...mine, ttl: 60, token }])
    expect(adopted?.kind).toBe("done")
    expect((await kind.seen("owned", "A"))?.mark).toBe("7d1c2f9e-0000-4000-8000-000000000001")
  })

  test.skipIf(tool.missing)("deletes nothing that was marked since it was read", async () => {
    server.nsupdate(zone, "update add plain.example.org. 300 A 192.0.2.44")
    const [ours, theirs] = [new KindCalls(server, zone), new KindCalls(server, zone)]
    const plain = { name: "plain", type: "A", values: ["192.0.2.44"] }
    const token = await ours.tokenOf("plain", "A")
    const adoption = { verb: "update", ...plain, token, uid: "somebody-else" } as const
    expect(await theirs.batch([adoption])).toMatchObject([{ kind: "done" }])
    const removal = { verb: "delete", ...plain, token, applied: true } as const
    expect(await ours.batch([removal])).toMatchObject([{ kind: "failed" }])
    expect((await ours.seen("plain", "A"))?.mark).toBe("somebody-else")
  })

  test.skipIf(tool.missing)("tells by NOTIFY of exactly what changed", async () => {
    const kind = new KindCalls(server, zone, { notify: `127.0.0.1:${notifyPort}` })
    await kind.look()
    early?.close()
    await turn() // Its address is free then.
    const woken: string[] = []
    const world = worldWith({ sockets: createSockets() })
    const handles = ["r1", "r2"].map((name) => {
      const target = kind.target({ name, type: "A", values: ["192.0.2.1"] })
      return kind.kind.watch?.(target, world, () => woken.push(name))
    })
    try {
      await turn() // They listen now; nsupdate lets nothing else happen here.
      server.nsupdate(zone, "update add r2.example.org. 300 A 192.0.2.2")
      await vi.waitFor(() => expect(woken).toEqual(["r2"]), { timeout: 20_000, interval: 20 })
    } finally {
      for (const handle of handles) handle?.close()
    }
  })

  test.skipIf(tool.missing)("is reached with a key that only a Secret holds", async () => {
    const world = worldWith({ sockets: createSockets() })
    const plane = await openScenarioPlane({
      kinds: () => dnsKinds({ clock: systemClock, random: systemRandom }),
      composites: () => [],
      ...{ kind: "RecordSet", reads: world, acts: world, loop: {} },
      ...{ clock: systemClock, random: systemRandom },
    })
    const object = (apiVersion: string, kind: string, name: string, rest: object) => ({
      ...{ apiVersion, kind, metadata: { name }, ...rest },
    })
    const data = Object.entries(testKey).map(([name, text]) => [name, btoa(text)])
    const place = { name: zone, server: server.address }
    const keyFrom = { kind: "Secret", name: "key", field: "data" }
    const set = { name: "secretly", type: "TXT", ttl: 60, values: ["it works"] }
    try {
      plane.declare([
        object("v1", "Secret", "key", { data: Object.fromEntries(data) }),
        object("dns.setpoint.dev/v1", "DnsZone", "zone", { spec: { ...place, keyFrom } }),
        object("dns.setpoint.dev/v1", "RecordSet", "one", {
          spec: { zoneFrom: { name: "zone" }, ...set },
        }),
      ])
      const there = () => server.dig(zone).some(([name]) => name === "secretly.example.org.")
      await vi.waitFor(() => expect(there()).toBe(true), { timeout: 30_000, interval: 200 })
      const told = JSON.stringify([await plane.journal(), await plane.objects()])
      expect(told.includes(testKey.secret)).toBe(false)
    } finally {
      await plane.close()
    }
  })

  test.skipIf(tool.missing)(
    "that went away is unknown, and what it held is there again",
    async () => {
      const kind = new KindCalls(server, zone)
      const before = (await kind.look()).items.length
      await server.stop("SIGKILL")
      await expect(kind.look()).rejects.toThrow(/^cannot exchange messages/)
      await expect(kind.act("create", "new", "A", ["192.0.2.1"])).rejects.toThrow(/^cannot /)
      await server.start()
      expect((await kind.look()).items.length).toBe(before)
    },
  )
})
