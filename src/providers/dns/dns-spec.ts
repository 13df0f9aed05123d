// What DnsZone and RecordSet objects say, as schemas, and their one form: names absolute and in
// lower case, types in upper case, values as a server would print them, sorted. Two ways of
// writing the same records have the same form, so that nothing flaps.

import { z } from "zod"
import { isFault } from "../../base/faults.ts"
import type { JsonObject } from "../../base/json.ts"
import { ref } from "../../provider/ref.ts"
import { secret } from "../../provider/schema-marks.ts"
import { addressPattern, addressText, parseAddress } from "./server-address.ts"
import { isBelow, parseName } from "./wire/name.ts"
import { canonicalValue } from "./wire/rdata.ts"
import { typeName, typeNumber } from "./wire/record-numbers.ts"
import type { RecordSetFacts } from "./zone-view.ts"

export const group = "dns.setpoint.dev"

const nameText = z.string().min(1).max(1020)

const keySpec = z.strictObject({
  name: nameText.describe("Name of the key, as the server knows it."),
  algorithm: z
    .enum(["hmac-sha256", "hmac-sha384", "hmac-sha512", "hmac-sha224", "hmac-sha1"])
    .default("hmac-sha256"),
  secret: secret(z.string().min(1).max(1024).describe("Base64, as tsig-keygen prints it.")),
})

export const policies = ["sync", "upsertOnly", "createOnly"] as const
export type Policy = (typeof policies)[number]

export const zoneFields = {
  name: nameText.describe("Name of the zone, for example example.org."),
  server: z
    .string()
    .max(260)
    .regex(addressPattern)
    .describe(
      "Host and port of the primary server: 192.0.2.1:53, [2001:db8::1]:53, ns1.example.org.",
    ),
  key: ref(keySpec, { kind: "Secret", apiVersion: "v1", field: "data" })
    .optional()
    .describe("TSIG key; better taken from a Secret with keyFrom."),
  keyFile: z
    .string()
    .max(4095)
    .regex(/^\/\S+$/)
    .optional()
    .describe("A file with the TSIG key on the plane's host, as tsig-keygen writes it."),
  policy: z
    .enum(policies)
    .default("sync")
    .describe("sync does everything; upsertOnly never deletes; createOnly never changes either."),
  ignore: z
    .array(z.string().min(1).max(1020))
    .max(1000)
    .default([])
    .describe("Names that are never touched: `*.dyn.example.org.`, `_acme-challenge.*`, `TXT:*`."),
  ownership: z
    .enum(["txt", "none"])
    .default("txt")
    .describe(
      "txt marks each record set with a TXT record beside it; none trusts the ledger alone.",
    ),
  notify: z
    .string()
    .max(260)
    .regex(addressPattern)
    .optional()
    .describe("Address on the plane's host to listen on for the server's NOTIFY."),
}

export const zoneSpec = z.strictObject(zoneFields)
export type ZoneSpec = z.output<typeof zoneSpec>

export const recordSetSpec = z.strictObject({
  zone: ref(zoneSpec, { kind: "DnsZone", apiVersion: `${group}/v1`, field: "spec" }).describe(
    "Zone and server; mostly zoneFrom with the name of a DnsZone.",
  ),
  name: nameText.describe(
    "`www` inside the zone, `@` for the zone itself, or absolute with a dot.",
  ),
  type: z
    .string()
    .max(16)
    .regex(/^[A-Za-z][A-Za-z0-9]*$/)
    .describe("A, AAAA, CNAME, MX, TXT, SRV, CAA, ..., or TYPE65280."),
  ttl: z.int().min(0).max(2_147_483_647).default(3600).describe("Seconds."),
  values: z
    .array(z.string().max(70_000))
    .min(1)
    .max(2000)
    .describe("As in a zone file, with absolute names. Plain text for TXT."),
})
export type RecordSetSpec = z.output<typeof recordSetSpec>

/** The zone as far as it says where a set lies; a set that was only recorded has no more. */
export type ZonePlace = Pick<ZoneSpec, "name" | "server"> &
  Partial<ZoneSpec> & {
    /** Of the DnsZone that it was taken from; "" or missing for the namespace of who took it. */
    readonly namespace?: string
  }

/** A name as far as it can be read; one that can't stands for itself and is refused when acting. */
function nameOr(text: string, origin?: string): string {
  try {
    return parseName(text, origin)
  } catch (error) {
    if (isFault(error)) return text
    throw error
  }
}

/** Thousands of sets name the same few zones and servers. */
function remembered(make: (text: string) => string): (text: string) => string {
  const known = new Map<string, string>()
  return (text) => {
    const before = known.get(text)
    if (before !== undefined) return before
    const made = make(text)
    if (known.size >= 1000) known.clear()
    known.set(text, made)
    return made
  }
}

const zoneNames = remembered((name) => nameOr(name, "."))
const serverTexts = remembered((server) => addressText(parseAddress(server)))

export const zoneName = (zone: { readonly name: string }): string => zoneNames(zone.name)
export const serverText = (zone: { readonly server: string }): string => serverTexts(zone.server)

/** Names one zone at one server. */
export const scopeText = (zone: ZonePlace): string => `${zoneName(zone)} at ${serverText(zone)}`

type SetPlace = Pick<RecordSetSpec, "name" | "type"> & { readonly zone: ZonePlace }

export function setPlace({ zone, name, type }: SetPlace): { name: string; type: string } {
  const number = typeNumber(type)
  return {
    name: nameOr(name, zoneName(zone)),
    type: number === undefined ? type.toUpperCase() : typeName(number),
  }
}

export function identityOf(spec: SetPlace): string {
  const { name, type } = setPlace(spec)
  return `${zoneName(spec.zone)} ${name} ${type}`
}

/** The records that a spec asks for, or the sentence that says why it can't be had. */
export function wishOf(spec: RecordSetSpec): RecordSetFacts | string {
  try {
    const zone = parseName(zoneName(spec.zone))
    const name = parseName(spec.name, zone)
    const number = typeNumber(spec.type)
    if (number === undefined) return `cannot use the type ${spec.type}: there is no such type`
    if (!isBelow(name, zone)) return `cannot use the name ${name}: it is not in ${zone}`
    const values = spec.values.map((value) => canonicalValue(number, value))
    const distinct = [...new Set(values)].sort()
    if (distinct.length < values.length) return `cannot use the values: one is given twice`
    if (number === 5 && values.length > 1) return "cannot use the values: a CNAME has only one"
    return { name, type: typeName(number), ttl: spec.ttl, values: distinct }
  } catch (error) {
    if (isFault(error)) return error.message
    throw error
  }
}

/** The normal form of a spec; what can't be read stays as it is and shows up as a difference. */
export function normalSpec(value: JsonObject): JsonObject {
  if (value.zone === undefined) return value
  const spec = value as RecordSetSpec
  const wish = wishOf(spec)
  const zone = { name: zoneName(spec.zone), server: serverText(spec.zone) }
  const { name, type } = setPlace(spec)
  if (typeof wish === "string") return { ...value, zone, name, type }
  return { zone, name, type, ttl: wish.ttl, values: [...wish.values] }
}
