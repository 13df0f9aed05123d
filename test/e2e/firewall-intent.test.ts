// One sentence about roles is kept on three hosts, by packets, also while one of them drifts.

import { afterAll, beforeAll, describe, expect, test } from "vitest"
import type { Condition } from "../../src/object/object.ts"
import { intentResource, writeManifest } from "./firewall/manifests.ts"
import { firewallTools, NetRig } from "./firewall/net-rig.ts"
import { PlaneRig } from "./plane/plane-rig.ts"
import { waitFor } from "./plane/wait-for.ts"

const tools = firewallTools()
const names = ["web", "db", "ops"] as const
let net: NetRig
let rig: PlaneRig

const declare = () =>
  writeManifest(rig.manifest("site"), "NetworkIntent", "site", {
    hosts: names.map((name) => ({
      ...{ name, roles: [name], addresses: [net.address(name)], host: { netns: net.netns(name) } },
    })),
    allow: [
      { name: "web-db", from: "web", to: "db", ports: [5432] },
      { name: "ops-web", from: "ops", to: "web", ports: [8080] },
    ],
    management: [{ from: net.address("ops"), port: 22 }],
  })

/** "web db 5432" for each connection that can be opened. */
async function open(): Promise<string[]> {
  const tries = names.flatMap((from) =>
    names
      .filter((to) => to !== from)
      .flatMap((to) => [22, 5432, 8080].map((port) => ({ from, to, port }))),
  )
  const found = await Promise.all(
    tries.map(async ({ from, to, port }) => {
      return (await net.reaches(from, to, port)) ? [`${from} ${to} ${port}`] : []
    }),
  )
  return found.flat().sort()
}

const said = ["web db 5432", "ops web 22", "ops web 8080", "ops db 22"]

/** A busy machine may need longer for a connection than one try gives it. */
const onlyWhatIsSaid = () =>
  waitFor("exactly what is said gets through", async () => {
    const found = (await open()).join(", ")
    return found === [...said].sort().join(", ") || found
  })

const intent = () => rig.client.get({ ...intentResource, namespace: "default", name: "site" })

const isReady = async () => {
  const conditions = (await intent())?.status?.conditions as readonly Condition[] | undefined
  const ready = conditions?.find(({ type }) => type === "Ready")
  return ready?.status === "True" || `${ready?.reason} ${ready?.message}`
}

const rulesOf = (host: string) => net.nft(host, "-s", "-a", "list", "ruleset")

describe.skipIf(tools.missing)(`an intent over three hosts ${tools.name}`, () => {
  beforeAll(async () => {
    net = new NetRig(...names)
    rig = new PlaneRig()
    declare()
    await Promise.all([...names.map((name) => net.listen(name, 22, 5432, 8080)), rig.start()])
    await waitFor("the intent is Ready", isReady)
  })

  afterAll(async () => {
    await rig?.close()
    net?.close()
  })

  test("exactly what it says gets through, and it says why each rule is there", async () => {
    await onlyWhatIsSaid()
    const because = (await intent())?.status?.because
    expect(because).toContainEqual({
      ...{ host: "db", rule: "web-db-v4", because: "web-db: web may reach db on 5432" },
    })
  })

  test("it holds through drift on one of them, and the others are left alone", async () => {
    const others = ["web", "ops"].map(rulesOf)
    const table = /table inet (\S+)/.exec(rulesOf("db"))?.[1] ?? ""
    net.nft("db", "flush", "chain", "inet", table, "input")
    const ms = await waitFor("the rules of db come back", () => rulesOf("db").includes("others-v4"))
    console.info(`the rules of one host were back after ${Math.round(ms)} ms`)
    net.nft("db", "delete", "table", "inet", table)
    await waitFor("the table of db comes back", () => rulesOf("db").includes("others-v4"))
    await onlyWhatIsSaid()
    expect(["web", "ops"].map(rulesOf)).toEqual(others)
  })
})
