// What a zone holds, as specs of record sets: from its server by a transfer, or from a zone file.
// What Setpoint would never touch is named instead of taken.

import type { JsonObject } from "../../base/json.ts"
import type { Discovery, Found, Importer, Skipped } from "../../contract/importer.ts"
import { zoneName } from "./dns-spec.ts"
import { dnsFault } from "./faults.ts"
import { isMarkName } from "./ownership.ts"
import { isServerMade, typeNumber } from "./wire/record-numbers.ts"
import { parseZoneFile } from "./zone-file.ts"
import type { ZoneMemory } from "./zone-memory.ts"
import type { RecordSetFacts } from "./zone-view.ts"

const fileBytesMax = 64 * 1024 * 1024

const options = {
  zone: { description: "name of the zone, for example example.org", required: true },
  server: { description: "host and port of its primary server; needed unless zoneFile is given" },
  keyFile: { description: "file with the TSIG key, as tsig-keygen writes it" },
  zoneFile: { description: "a zone file to read instead of asking the server" },
  dnsZone: { description: "name of the DnsZone object that the manifests shall refer to" },
}

export function recordSetImporter(memory: ZoneMemory): Importer {
  return {
    options,
    async find(given, { world, signal }) {
      const { zone = "", server, keyFile, zoneFile, dnsZone } = given
      const name = zoneName({ name: zone })
      const key = keyFile === undefined ? {} : { keyFile }
      const place = server === undefined ? undefined : { name, server, ...key }
      const reference = dnsZone ?? (place === undefined ? name.replace(/\.$/, "") : undefined)
      const where: JsonObject =
        reference === undefined ? { zone: place } : { zoneFrom: { name: reference } }
      if (zoneFile !== undefined) {
        const bytes = await world.files.read(zoneFile, fileBytesMax)
        const text = Buffer.from(bytes).toString("utf8")
        return zoneToSpecs(name, parseZoneFile(text, name, zoneFile).sets, where)
      }
      if (place === undefined) {
        const cause = "neither server nor zoneFile is given"
        throw dnsFault("SPT-DNS-011", { zone: name, cause })
      }
      // Nobody's object asks, so nobody's key is borrowed.
      const access = { namespace: "", place: { ...place, policy: "sync" } as const }
      const state = await memory.refresh(access, world, signal)
      return zoneToSpecs(name, [...(state.view?.sets.values() ?? [])], where)
    },
  }
}

/** Pure: the sets of a zone as specs, in the order of their names. */
export function zoneToSpecs(
  zone: string,
  sets: readonly RecordSetFacts[],
  where: JsonObject,
): Discovery {
  const found: Found[] = []
  const skipped: Skipped[] = []
  for (const set of [...sets].sort(byName)) {
    const { name, type, ttl, values } = set
    const why = whyNotTaken(zone, set)
    const what = `${name} ${type}`
    if (why === undefined) {
      const spec = { ...where, name: relative(name, zone), type, ttl, values: [...values] }
      found.push({ name: `${relative(name, zone)} ${type} ${zone}`, spec })
    } else if (why !== "") skipped.push({ what, why })
  }
  return { found, skipped }
}

const byName = (left: RecordSetFacts, right: RecordSetFacts): number => {
  const [a, b] = [`${left.name} ${left.type}`, `${right.name} ${right.type}`]
  return a < b ? -1 : a > b ? 1 : 0
}

function whyNotTaken(zone: string, { name, type }: RecordSetFacts): string | undefined {
  if (type === "SOA") return "the server itself keeps the SOA"
  if (type === "NS" && name === zone) return "the zone's own NS records are protected"
  if (isServerMade(typeNumber(type) ?? 0)) return "the server makes it when it signs the zone"
  // Marks are no records of their own; the sets they belong to are taken.
  return isMarkName(name) ? "" : undefined
}

function relative(name: string, zone: string): string {
  if (name === zone) return "@"
  const below = `.${zone}`
  return zone !== "." && name.endsWith(below) ? name.slice(0, -below.length) : name
}
