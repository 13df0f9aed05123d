// A real plane keeps the rules of real hosts, and real packets say whether they hold.

import { afterAll, beforeAll, describe, expect, test } from "vitest"
import type { JsonObject } from "../../src/base/json.ts"
import { findCondition } from "../../src/object/conditions.ts"
import type { Condition } from "../../src/object/object.ts"
import { accept, closedBut, firewallResource, writeManifest } from "./firewall/manifests.ts"
import { firewallTools, NetRig, type Talk } from "./firewall/net-rig.ts"
import { PlaneRig } from "./plane/plane-rig.ts"
import { waitFor } from "./plane/wait-for.ts"

const tools = firewallTools()
let net: NetRig
let rig: PlaneRig
/** The admin's session on db, open from the beginning to the end of everything here. */
let session: Talk

const table = "setpoint_db"

const declare = (spec: JsonObject) =>
  writeManifest(rig.manifest("db"), "Firewall", "db", {
    ...{ table, host: { netns: net.netns("db") }, ...spec },
  })

const pg = () => accept("pg", 5432, net.address("web"))
const ssh = () => accept("ssh", 22, net.address("admin"))

/** The same rules, but what belongs to open connections is dropped. */
const deafBut = (...rules: readonly JsonObject[]): JsonObject => {
  const [, ...others] = closedBut(...rules).input.rules
  const answers = { id: "answers", state: ["established", "related"], verdict: "drop" }
  return { input: { hook: "input", policy: "drop", rules: [answers, ...others] } }
}

/** The plane lives on the admin's host, so what it tries are packets of the admin's. */
const start = () => {
  const args = ["--management-path", `${net.address("web")}:8443`]
  return rig.start({ prefix: ["ip", "netns", "exec", net.netns("admin")], args })
}

const rules = () => net.nft("db", "list", "table", "inet", table)
const hasRule = (text: string) => rules().includes(text)

async function ready(
  name = "db",
): Promise<{ readonly status?: string; readonly message?: string }> {
  const object = await rig.client.get({ ...firewallResource, namespace: "default", name })
  const conditions = object?.status?.conditions as readonly Condition[] | undefined
  return findCondition(conditions, "Ready") ?? {}
}

const becomes = (what: string, text: string, name?: string) =>
  waitFor(what, async () => {
    const { message = "" } = await ready(name)
    return message.includes(text) || message
  })

/** A busy machine may take longer than one try. */
const isReached = (from: string, to: string, port: number) =>
  waitFor(`${from} reaches ${to} on ${port}`, () => net.reaches(from, to, port))

describe.skipIf(tools.missing)(`firewalls on real hosts ${tools.name}`, () => {
  beforeAll(async () => {
    net = new NetRig("db", "web", "admin")
    rig = new PlaneRig()
    await Promise.all([net.listen("db", 22, 5432, 8080), start()])
    await rig.loosen({ limits: { changes: 100 } })
    declare({ chains: closedBut(ssh(), pg()) })
    await rig.converged(1)
    session = await net.talk("admin", "db", 22)
  })

  afterAll(async () => {
    await rig?.close()
    net?.close()
  })

  test("packets are let through and dropped as declared", async () => {
    await isReached("web", "db", 5432)
    await isReached("admin", "db", 22)
    expect(await net.reaches("web", "db", 22)).toBe(false)
    expect(await net.reaches("admin", "db", 8080)).toBe(false)
  })

  test("a rule added by hand is gone soon, and tables of others stay", async () => {
    net.nft("db", "add", "table", "inet", "theirs")
    const rule = ["tcp", "dport", "8080", "accept"]
    net.nft("db", "insert", "rule", "inet", table, "input", ...rule)
    expect(hasRule("tcp dport 8080 accept")).toBe(true)
    const ms = await waitFor("the rule goes", () => !hasRule("tcp dport 8080 accept"), {
      everyMs: 5,
    })
    console.info(`a rule added by hand was gone after ${Math.round(ms)} ms`)
    expect(await net.reaches("web", "db", 8080)).toBe(false)
    expect(net.nft("db", "list", "tables")).toContain("table inet theirs")
  })

  test("the whole table taken away by hand comes back", async () => {
    net.nft("db", "delete", "table", "inet", table)
    await waitFor("the table comes back", () => net.nft("db", "list", "tables").includes(table))
    expect(await net.reaches("web", "db", 22)).toBe(false)
  })

  test("rules that would cut the management path are refused before they are set", async () => {
    const management = [{ from: net.address("admin"), port: 22 }]
    declare({ management, chains: closedBut(pg()) })
    await becomes("it is refused", "management path")
    expect(hasRule("setpoint:ssh")).toBe(true)
    await isReached("admin", "db", 22)
    declare({ management, chains: deafBut(ssh(), pg()) })
    await becomes("what is open is not cut either", "established packets of the management path")
    await session.goesOn()
    declare({ management, chains: closedBut(ssh(), pg()) })
    await waitFor("it is ready again", async () => (await ready()).status === "True")
  })

  test("rules on the plane's own host leave its API and the operator's paths open", async () => {
    const own = (chains: JsonObject) =>
      writeManifest(rig.manifest("own"), "Firewall", "own", { table: "setpoint_own", chains })
    const web = accept("web", 8443, net.address("web"))
    own({ input: { hook: "input", policy: "drop", rules: [web] } })
    await becomes("it is refused for the API", "management path 127.0.0.1 to port", "own")
    own(closedBut())
    await becomes(
      "it is refused for the operator",
      `path ${net.address("web")} to port 8443`,
      "own",
    )
    own(closedBut(web))
    await waitFor("it is ready", async () => (await ready("own")).status === "True")
    expect(net.nft("admin", "list", "tables")).toContain("setpoint_own")
    expect(net.nft("db", "list", "tables")).not.toContain("setpoint_own")
  })

  test("rules after which the plane finds no way are taken back", async () => {
    const probe = { tcp: { address: net.address("db"), port: 22 } }
    declare({ confirm: { probe, withinSeconds: 2 }, chains: closedBut(pg()) })
    await becomes("they are taken back", "the old rules are back")
    expect(hasRule("setpoint:ssh")).toBe(true)
    await isReached("admin", "db", 22)
    declare({ confirm: { probe, withinSeconds: 5 }, chains: closedBut(ssh()) })
    await waitFor("proven rules stay", async () => (await ready()).status === "True")
    expect(hasRule("setpoint:pg")).toBe(false)
  })

  test("an open control connection outlives rules that cut it, which go back", async () => {
    const moved = accept("ssh", 8080, net.address("web"))
    const probe = { tcp: { address: net.address("db"), port: 22 } }
    declare({ confirm: { probe, withinSeconds: 2 }, chains: deafBut(moved) })
    await becomes("they are taken back", "the old rules are back")
    await session.goesOn()
    declare({ chains: closedBut(ssh()) })
    await waitFor("it is ready again", async () => (await ready()).status === "True")
  })

  test("rules that nobody confirmed go back although the plane was killed", async () => {
    const probe = { tcp: { address: "10.77.0.99", port: 1 } }
    const moved = accept("ssh", 8080, net.address("web"))
    declare({ confirm: { probe, withinSeconds: 3 }, chains: closedBut(moved) })
    await waitFor("the rules are set", () => hasRule("tcp dport 8080"))
    await rig.end("SIGKILL")
    expect(await net.reaches("admin", "db", 22)).toBe(false)
    const ms = await waitFor("the old rules are back", () => hasRule("tcp dport 22 "))
    console.info(`the old rules were back ${Math.round(ms)} ms after the plane was killed`)
    await isReached("admin", "db", 22)
    await waitFor("nothing of the plane is left on the host", () => {
      const left = net.programs("db").filter((text) => /monitor|watchdog/.test(text))
      return left.length === 0 || left.join("; ")
    })
    await session.goesOn()
  })
})
