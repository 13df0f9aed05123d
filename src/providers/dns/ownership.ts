// The mark beside a record set: a TXT record that names the object it belongs to. It lies in the
// same zone and is changed in the same message, so that the two never disagree for long.

import { sha256 } from "../../base/hash.ts"
import { labelsOf, nameBytesMax, nameLength } from "./wire/name.ts"

export interface Mark {
  readonly owner: string
  readonly type: string
  readonly name: string
}

const prefix = "heritage=setpoint,owner="
const pattern = /^heritage=setpoint,owner=([0-9a-zA-Z-]{1,64}),set=([A-Z0-9]{1,16})\/(.{1,1020})$/

export const markText = ({ owner, type, name }: Mark): string =>
  `${prefix}${owner},set=${type}/${name}`

export function parseMark(value: string): Mark | undefined {
  if (!value.startsWith(prefix)) return undefined
  const [, owner = "", type = "", name = ""] = pattern.exec(value) ?? []
  return owner === "" ? undefined : { owner, type, name }
}

export const isMarkName = (name: string): boolean => name.startsWith("_setpoint-")

/** Nothing of the zone may lie below these, so their marks stand beside them. */
const closing: ReadonlySet<string> = new Set(["NS", "DNAME", "DS"])

/**
 * `_setpoint-a.www.example.org.` for the A records of www. A wildcard's mark is below a label that
 * is no wildcard. Where the name would become too long, a hash in the zone's top stands for it; the
 * mark's text always says which set it is for.
 */
export function markNameOf(name: string, type: string, zone: string): string {
  const label = `_setpoint-${type.toLowerCase()}`
  const hashed = () => `_setpoint-${sha256(`${type} ${name}`).slice(0, 40)}.${dotless(zone)}`
  const full = closing.has(type) && name !== zone ? beside(name, label) : below(name, label)
  return full === undefined || nameLength(full) > nameBytesMax ? hashed() : full
}

const dotless = (zone: string): string => (zone === "." ? "" : zone)

function below(name: string, label: string): string {
  if (name === ".") return `${label}.`
  return `${label}.${name.startsWith("*.") ? `_wildcard.${name.slice(2)}` : name}`
}

function beside(name: string, label: string): string | undefined {
  const [first = ""] = labelsOf(name)
  const joined = `${label}-${first === "*" ? "_wildcard" : first}`
  if (joined.length > 63 || first.includes("\\")) return undefined
  return `${joined}.${name.slice(first.length + 1)}`
}
