import { afterEach, describe, expect, it } from "vitest"
import { disarm } from "../../base/protections.ts"
import { systemClock, systemRandom } from "../../base/system.ts"
import { worldWith } from "../../provider/missing-handles.ts"
import type { ZonePlace, ZoneSpec } from "./dns-spec.ts"
import { makeKey } from "./tsig-key.ts"
import { ZoneMemory } from "./zone-memory.ts"

const armed: (() => void)[] = []
afterEach(() => {
  for (const arm of armed.splice(0)) arm()
})

const zone: ZoneSpec = {
  ...{ name: "example.org", server: "192.0.2.1", policy: "sync", ignore: [], ownership: "txt" },
}
const key = makeKey("example.org.", { name: "k", secret: "c2VjcmV0" })

function keyFor(place: ZonePlace) {
  const memory = new ZoneMemory({ clock: systemClock, random: systemRandom })
  memory.learnKey({ ...zone, key: { ...key, secret: "c2VjcmV0" } }, key)
  memory.learnKey(zone, undefined)
  return memory.keyOf(place, worldWith({}))
}

describe("the key that a DnsZone has", () => {
  it("signs for sets that refer to the zone, and for those that are only recorded", async () => {
    expect(await keyFor(Object.assign({}, zone, { keyFrom: { name: "k" } }))).toBe(key)
    expect(await keyFor({ name: zone.name, server: zone.server })).toBe(key)
  })

  it("does not sign for a set that only names the same zone and server", async () => {
    expect(await keyFor(zone)).toBeUndefined()
  })

  it("(twin) would sign for whoever names the zone", async () => {
    armed.push(disarm("keys-are-given-by-reference"))
    expect(await keyFor(zone)).toBe(key)
  })
})
