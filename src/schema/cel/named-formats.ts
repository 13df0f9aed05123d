// The formats that rules may name: format.dns1123Label().validate(text) answers what is wrong.

import { stringFormats } from "../formats.ts"

interface NamedFormat {
  readonly max?: number
  readonly passes: (value: string) => boolean
  readonly says: string
}

const label = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/
const subdomain = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/
const label1035 = /^[a-z]([-a-z0-9]*[a-z0-9])?$/
const labelValue = /^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$/
const qualifiedPart = /^([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$/

const labelSays =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and " +
  "must start and end with an alphanumeric character"
const subdomainSays =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or " +
  "'.', and must start and end with an alphanumeric character"
const label1035Says =
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an " +
  "alphabetic character, and end with an alphanumeric character"

/** A name to which something will be added: it may end with a dash. */
const prefix = (pattern: RegExp) => (value: string) => pattern.test(value.replace(/-$/, ""))

function isQualified(value: string): boolean {
  const [first = "", second, more] = value.split("/", 3)
  if (more !== undefined) return false
  const name = second ?? first
  const host = second === undefined ? undefined : first
  const hostPasses = host === undefined || (host.length <= 253 && subdomain.test(host))
  return hostPasses && name.length <= 63 && qualifiedPart.test(name)
}

const known = (name: string) => stringFormats.get(name) ?? (() => true)

export const namedFormats: ReadonlyMap<string, NamedFormat> = new Map<string, NamedFormat>([
  ["dns1123Label", { max: 63, passes: (value) => label.test(value), says: labelSays }],
  ["dns1123Subdomain", { max: 253, passes: (it) => subdomain.test(it), says: subdomainSays }],
  ["dns1035Label", { max: 63, passes: (value) => label1035.test(value), says: label1035Says }],
  [
    "qualifiedName",
    { passes: isQualified, says: "must be a name, or a name behind a domain and '/'" },
  ],
  ["dns1123LabelPrefix", { max: 63, passes: prefix(label), says: labelSays }],
  ["dns1123SubdomainPrefix", { max: 253, passes: prefix(subdomain), says: subdomainSays }],
  ["dns1035LabelPrefix", { max: 63, passes: prefix(label1035), says: label1035Says }],
  [
    "labelValue",
    {
      max: 63,
      passes: (value) => labelValue.test(value),
      says:
        "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' " +
        "or '.', and must start and end with an alphanumeric character",
    },
  ],
  ["uri", { passes: known("uri"), says: "must be a URI" }],
  ["uuid", { passes: known("uuid"), says: "does not match the UUID format" }],
  ["byte", { passes: known("byte"), says: "invalid base64" }],
  ["date", { passes: known("date"), says: "invalid date" }],
  ["datetime", { passes: known("datetime"), says: "invalid datetime" }],
])

export function formatProblems(name: string, value: string): string[] {
  const format = namedFormats.get(name)
  if (format === undefined) return []
  const problems = format.passes(value) ? [] : [format.says]
  if (format.max !== undefined && value.length > format.max) {
    problems.push(`must be no more than ${format.max} characters`)
  }
  return problems
}
