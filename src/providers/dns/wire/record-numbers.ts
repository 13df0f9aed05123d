// The record types by name and number. Types without a name are written TYPE65280 (RFC 3597).

const numbers = {
  ...{ A: 1, NS: 2, CNAME: 5, SOA: 6, PTR: 12, HINFO: 13, MX: 15, TXT: 16, RP: 17, AFSDB: 18 },
  ...{ AAAA: 28, LOC: 29, SRV: 33, NAPTR: 35, DNAME: 39, OPT: 41, DS: 43, SSHFP: 44, RRSIG: 46 },
  ...{ NSEC: 47, DNSKEY: 48, NSEC3: 50, NSEC3PARAM: 51, TLSA: 52, SMIMEA: 53, CDS: 59 },
  ...{ CDNSKEY: 60, OPENPGPKEY: 61, ZONEMD: 63, SVCB: 64, HTTPS: 65, SPF: 99, TKEY: 249 },
  ...{ TSIG: 250, IXFR: 251, AXFR: 252, ANY: 255, URI: 256, CAA: 257 },
} as const

export type KnownType = keyof typeof numbers

export const recordTypes: Readonly<Record<KnownType, number>> = numbers

const byNumber: readonly (string | undefined)[] = Object.entries(numbers).reduce<string[]>(
  (all, [name, number]) => {
    all[number] = name
    return all
  },
  [],
)

const classNumbers = { IN: 1, NONE: 254, ANY: 255 } as const
export const recordClasses: Readonly<Record<keyof typeof classNumbers, number>> = classNumbers

export function typeName(number: number): string {
  return byNumber[number] ?? `TYPE${number}`
}

/** Undefined when it is no type. */
export function typeNumber(name: string): number | undefined {
  const upper = name.toUpperCase()
  if (Object.hasOwn(numbers, upper)) return numbers[upper as KnownType]
  const generic = /^TYPE(\d{1,5})$/.exec(upper)
  const number = Number(generic?.[1] ?? Number.NaN)
  return number <= 0xffff ? number : undefined
}

/** Made by the server itself when it signs the zone, or only meaningful in messages. */
const serverMade: ReadonlySet<number> = new Set([
  ...[numbers.RRSIG, numbers.NSEC, numbers.NSEC3, numbers.NSEC3PARAM, numbers.DNSKEY],
  ...[numbers.ZONEMD, numbers.CDS, numbers.CDNSKEY, 65534],
])

export const isServerMade = (type: number): boolean => serverMade.has(type)

/** Questions and messages use these; no zone holds a record of them. */
export const isMetaType = (type: number): boolean =>
  type === 0 || type === numbers.OPT || (type >= 128 && type <= 255)
