import { afterEach, describe, expect, it } from "vitest"
import type { JsonObject } from "../../base/json.ts"
import { disarm } from "../../base/protections.ts"
import { systemClock, systemRandom } from "../../base/system.ts"
import { worldWith } from "../../provider/missing-handles.ts"
import { dnsKinds } from "./dns-kinds.ts"
import type { ZonePlace, ZoneSpec } from "./dns-spec.ts"
import { makeKey } from "./tsig-key.ts"
import { ZoneMemory } from "./zone-memory.ts"

const armed: (() => void)[] = []
afterEach(() => {
  for (const arm of armed.splice(0)) arm()
})

const options = { clock: systemClock, random: systemRandom }
const zone: ZoneSpec = {
  ...{ name: "example.org", server: "192.0.2.1", policy: "sync", ignore: [], ownership: "txt" },
}
const recorded: ZonePlace = { name: "example.org.", server: "192.0.2.1:53" }
const secret = "c2VjcmV0"
const key = makeKey("example.org.", { name: "k", secret })
const from = (name: string): ZonePlace =>
  Object.assign({}, zone, { keyFrom: { kind: "Secret", name, field: "data" } })
const notKnown = /its key is not known yet/

/** A DnsZone of the namespace `ours` has its key from the Secret `k`; then this one asks. */
async function keyFor(namespace: string, place: ZonePlace) {
  const memory = new ZoneMemory(options)
  const own = { ...from("k"), key: { name: "k", algorithm: "hmac-sha256", secret } } as const
  memory.learnKey(memory.accessOf("dnszones.dns.setpoint.dev/ours/zone", own), key)
  const access = memory.accessOf(`recordsets.dns.setpoint.dev/${namespace}/www`, place)
  return memory.keyOf(access, worldWith({}))
}

describe("the key that a DnsZone has", () => {
  it("signs for sets that refer to the zone, and for those that are only recorded", async () => {
    expect(await keyFor("ours", from("k"))).toBe(key)
    expect(await keyFor("ours", recorded)).toEqual(key)
  })

  it("signs for sets of another namespace that refer to this very DnsZone", async () => {
    expect(await keyFor("theirs", { ...from("k"), namespace: "ours" })).toBe(key)
  })

  it("does not sign for a set that only names the same zone and server", async () => {
    expect(await keyFor("ours", zone)).toBeUndefined()
    expect(await keyFor("theirs", zone)).toBeUndefined()
  })

  it("does not sign for a DnsZone of another namespace, whatever that refers to", async () => {
    await expect(keyFor("theirs", from("k"))).rejects.toThrow(notKnown)
    await expect(keyFor("theirs", from("nothing"))).rejects.toThrow(notKnown)
  })

  it("does not sign for what another namespace has recorded", async () => {
    await expect(keyFor("theirs", recorded)).rejects.toThrow(notKnown)
  })

  it("does not sign for who refers to another Secret", async () => {
    await expect(keyFor("ours", from("nothing"))).rejects.toThrow(notKnown)
  })

  it("(twin) would sign for whoever names the zone", async () => {
    armed.push(disarm("keys-are-given-by-reference"))
    expect(await keyFor("ours", zone)).toBe(key)
    expect(await keyFor("theirs", from("k"))).toBe(key)
  })
})

describe("what is said of a zone", () => {
  const memory = new ZoneMemory(options)
  const say = (namespace: string, place: ZonePlace) =>
    memory.accessOf(`recordsets.dns.setpoint.dev/${namespace}/www`, place).place

  it("holds for the namespace that says it, and for what is recorded there", () => {
    say("ours", { ...zone, policy: "upsertOnly" })
    say("theirs", { ...zone, policy: "sync" })
    expect(say("ours", recorded).policy).toBe("upsertOnly")
    expect(say("nobodys", recorded).policy).toBeUndefined()
  })

  it("can't claim to be of another namespace than the one that was referred to", () => {
    const kind = dnsKinds(options).find((one) => one.kind === "RecordSet")
    const zoneOf = (zoneFrom: JsonObject) => {
      const lie = { ...from("k"), namespace: "ours" }
      return kind?.desire?.({ zoneFrom, name: "www" }, () => lie).desired.zone
    }
    const reference = { kind: "Other", name: "zone", field: "spec" }
    expect(zoneOf(reference)).toMatchObject({ namespace: "" })
    expect(zoneOf({ ...reference, namespace: "theirs" })).toMatchObject({ namespace: "theirs" })
  })
})
