// A whole zone as it was transferred: its record sets by name and type, and the marks that say
// whose they are. Pure: it is filled record by record, and says when the closing SOA has come.

import { markNameOf, parseMark } from "./ownership.ts"
import type { RecordView } from "./wire/message.ts"
import { isBelow } from "./wire/name.ts"
import { recordClasses, recordTypes, typeName } from "./wire/record-numbers.ts"

export interface RecordSetFacts {
  readonly name: string
  readonly type: string
  readonly ttl: number
  /** In their one form, sorted. */
  readonly values: readonly string[]
}

export interface ZoneView {
  readonly zone: string
  readonly serial: number
  readonly sets: ReadonlyMap<string, RecordSetFacts>
  /** Owner UIDs by the key of the set they mark. */
  readonly marks: ReadonlyMap<string, string>
}

export const setKey = (name: string, type: string): string => `${name} ${type}`

/** Zones beyond this are refused rather than held in memory. */
const recordsMax = 5_000_000

interface GrowingSet {
  readonly name: string
  readonly type: string
  ttl: number
  readonly values: string[]
}

export function serialOf(soaText: string): number {
  return Number(soaText.split(" ")[2])
}

/** Takes the records of a transfer in order; a text that `add` answers with is for its fault. */
export class ZoneBuilder {
  readonly #zone: string
  readonly #sets = new Map<string, GrowingSet>()
  #last: GrowingSet | undefined
  #soa: string | undefined
  #closed = false
  #count = 0

  constructor(zone: string) {
    this.#zone = zone
  }

  get closed(): boolean {
    return this.#closed
  }

  get serial(): number | undefined {
    return this.#soa === undefined ? undefined : serialOf(this.#soa)
  }

  /** A sentence when this record can't be part of an honest transfer. */
  add(record: RecordView): string | undefined {
    if (this.#closed) return "something came after its end"
    if (++this.#count > recordsMax) return `it has more than ${recordsMax} records`
    if (record.class !== recordClasses.IN) return "it holds another class than IN"
    if (record.type === recordTypes.SOA) return this.#addSoa(record)
    if (this.#soa === undefined) return "it does not begin with the SOA"
    if (!isBelow(record.name, this.#zone))
      return `it holds ${record.name}, which is not in the zone`
    const set = this.#setFor(record)
    set.values.push(record.text())
    set.ttl = Math.min(set.ttl, record.ttl)
    return undefined
  }

  #addSoa(record: RecordView): string | undefined {
    const text = record.text()
    if (record.name !== this.#zone) return "an SOA is not at the top of the zone"
    if (this.#soa === undefined) {
      this.#soa = text
      this.#setFor(record).values.push(text)
    } else if (this.#soa === text) this.#closed = true
    else return "it begins and ends with different SOA records"
    return undefined
  }

  /** The records of a set mostly come one after the other. */
  #setFor({ name, type: number, ttl }: RecordView): GrowingSet {
    const type = typeName(number)
    const last = this.#last
    if (last !== undefined && last.name === name && last.type === type) return last
    const key = setKey(name, type)
    const known = this.#sets.get(key)
    const set = known ?? { name, type, ttl, values: [] }
    if (known === undefined) this.#sets.set(key, set)
    this.#last = set
    return set
  }

  finish(): ZoneView {
    for (const { values } of this.#sets.values()) if (values.length > 1) values.sort()
    return viewOf(this.#zone, this.serial ?? 0, this.#sets)
  }
}

export function viewOf(
  zone: string,
  serial: number,
  sets: ReadonlyMap<string, RecordSetFacts>,
): ZoneView {
  const marks = new Map<string, string>()
  for (const { name, type, values } of sets.values()) {
    if (type !== "TXT" || !name.startsWith("_setpoint-")) continue
    for (const value of values) {
      const mark = parseMark(value)
      const stands = mark !== undefined && markNameOf(mark.name, mark.type, zone) === name
      if (stands) marks.set(setKey(mark.name, mark.type), mark.owner)
    }
  }
  return { zone, serial, sets, marks }
}
