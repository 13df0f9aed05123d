// Tables of the real nft as specs: what comes out is as declared at once, and what a Firewall could
// not say is not taken at all.

import { afterAll, describe, expect, it } from "vitest"
import type { JsonObject } from "../../base/json.ts"
import { systemClock } from "../../base/system.ts"
import { importKind } from "../../provider/import-kind.ts"
import { FirewallDriver } from "./testing/drive-firewall.ts"
import { missingForFirewall, Namespace } from "./testing/namespace.ts"

const own = {
  family: "inet",
  table: "setpoint_edge",
  management: [],
  sets: { admins: { type: "ipv4_addr", elements: ["10.0.0.0/8", "192.0.2.1-192.0.2.9"] } },
  chains: {
    input: {
      hook: "input",
      priority: 10,
      policy: "drop",
      rules: [
        { id: "known", state: ["established", "related"], verdict: "accept" },
        { id: "lo", inInterfaces: ["lo"], verdict: "accept", comment: "loops back" },
        {
          id: "ssh",
          protocol: "tcp",
          ports: [22, "8000-8099"],
          sources: ["@admins"],
          verdict: "jump",
          chain: "log",
        },
        {
          id: "ping",
          protocol: "icmp",
          icmpTypes: ["echo-request"],
          limit: { rate: 5, per: "second" },
          verdict: "accept",
        },
        {
          id: "six",
          sources: ["2001:db8::/32"],
          protocol: "udp",
          verdict: "reject",
          counter: true,
        },
      ],
    },
    log: { rules: [{ id: "say", log: { prefix: "ssh " }, verdict: "continue" }] },
  },
} as const

describe.skipIf(missingForFirewall() !== undefined)("importing tables", () => {
  const room = new Namespace("imp")
  const driver = new FirewallDriver(systemClock, "/nowhere")
  const { signal } = new AbortController()
  const take = (table: string, more: Record<string, string> = {}) =>
    importKind(driver.kind, { table, netns: room.name, ...more }, { world: driver.world, signal })
  afterAll(() => room.close())

  it("says our own tables so that nothing differs", async () => {
    const declared = { ...own, host: { netns: room.name } } as object as JsonObject
    expect(await driver.act("create", declared as never)).toMatchObject({ kind: "done" })
    const { objects, skipped } = await take("all")
    expect(skipped).toEqual([])
    const { adopt: _, ...spec } = objects[0]?.spec ?? {}
    const seen = await driver.observe(spec as never)
    const wanted = driver.kind.normalize?.(driver.target(spec as never).desired)
    expect(seen).toMatchObject({ kind: "present", value: wanted })
  })

  it("writes others' tables for a new one, and leaves theirs alone", async () => {
    room.inside(
      ["nft", "-f", "-"],
      `table ip filter {
        chain in { type filter hook input priority 0; policy accept;
          tcp dport 80 accept comment "web"
          ip saddr 10.0.0.0/8 drop
        }
      }`,
    )
    const before = room.texts().get("ip/filter")
    const { objects, skipped } = await take("filter", { family: "ip" })
    expect(objects[0]?.spec).toMatchObject({
      table: "setpoint_filter",
      chains: {
        in: {
          rules: [
            { id: "rule-1", protocol: "tcp", ports: [80], verdict: "accept", comment: "web" },
            { id: "rule-2", sources: ["10.0.0.0/8"], verdict: "drop" },
          ],
        },
      },
    })
    expect(skipped[0]?.why).toContain("written for a new table setpoint_filter")
    expect(room.texts().get("ip/filter")).toBe(before)
  })

  it("takes no part of a table that it can't say as a whole", async () => {
    const tables = [
      "table inet a { chain in { tcp dport != 80 accept; }; }",
      "table inet b { chain in { type nat hook prerouting priority 0; }; }",
      "table inet c { map m { type ipv4_addr : verdict; }; }",
      "table inet d { chain in { meta mark 1 accept; }; }",
      "table inet e { chain out { }; chain in { tcp dport 80 goto out; }; }",
    ]
    for (const [index, text] of tables.entries()) {
      room.inside(["nft", "-f", "-"], text)
      const { objects, skipped } = await take("abcde"[index] ?? "")
      expect([objects, skipped.length]).toEqual([[], 1])
    }
    await expect(take("nowhere")).rejects.toMatchObject({ code: "SPT-FW-001" })
  })
})
