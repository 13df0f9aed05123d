// Reads zone files (RFC 1035, section 5) into record sets. Pure: text in, sets out; what can't be
// read is refused with file, line and column, and nothing is guessed. $INCLUDE and $GENERATE are
// refused: `named-compilezone` writes them out.

import { isFault } from "../../base/faults.ts"
import { dnsFault } from "./faults.ts"
import { parseName } from "./wire/name.ts"
import { zoneFileText } from "./wire/rdata.ts"
import { recordTypes, typeName, typeNumber } from "./wire/record-numbers.ts"
import type { Token } from "./wire/text-tokens.ts"
import { type FileEntry, type FileWord, readEntries } from "./zone-file-words.ts"
import { type RecordSetFacts, setKey } from "./zone-view.ts"

export interface ZoneFile {
  readonly zone: string
  readonly sets: readonly RecordSetFacts[]
}

interface Reading {
  origin: string
  owner: string | undefined
  ttl: number | undefined
  /** The last TTL that a record itself had. */
  lastTtl: number | undefined
}

/** `file` is only for the words of a refusal. */
export function parseZoneFile(text: string, zone: string, file = "zone file"): ZoneFile {
  const origin = parseName(zone, ".")
  const reading: Reading = { origin, owner: undefined, ttl: undefined, lastTtl: undefined }
  const sets = new Map<string, { name: string; type: string; ttl: number; values: string[] }>()
  for (const entry of readEntries(text, file)) {
    const [first] = entry.words
    if (first === undefined) continue
    if (!entry.indented && first.text.startsWith("$")) {
      directive(entry, reading, file)
      continue
    }
    const { name, type, ttl, value } = record(entry, reading, file)
    const key = setKey(name, type)
    const set = sets.get(key) ?? { name, type, ttl, values: [] }
    if (!set.values.includes(value)) set.values.push(value)
    sets.set(key, set)
  }
  for (const { values } of sets.values()) values.sort()
  return { zone: origin, sets: [...sets.values()] }
}

const wrongAt = (file: string, { line, column }: { line: number; column: number }) => {
  const place = `${file}:${line}:${column}`
  return (cause: string) => dnsFault("SPT-DNS-008", { place, cause })
}

function directive({ words }: FileEntry, reading: Reading, file: string): void {
  const [what, argument] = words
  if (what === undefined) return
  const wrong = wrongAt(file, argument ?? what)
  const name = what.text.toUpperCase()
  if (name !== "$ORIGIN" && name !== "$TTL") {
    throw wrongAt(file, what)(`${what.text} is not understood; write it out first`)
  }
  if (argument === undefined) throw wrong(`${what.text} has no value`)
  if (name === "$ORIGIN") reading.origin = nameAt(argument, reading.origin, file)
  else {
    reading.ttl = ttlOf(argument.text)
    if (reading.ttl === undefined) throw wrong(`${JSON.stringify(argument.text)} is no TTL`)
  }
}

function nameAt(word: FileWord, origin: string, file: string): string {
  return placed(file, word, () => parseName(word.text, origin))
}

/** What the parts refuse, with its place. */
function placed<T>(file: string, word: FileWord, task: () => T): T {
  try {
    return task()
  } catch (error) {
    if (!isFault(error) || error.code === "SPT-DNS-008") throw error
    throw wrongAt(file, word)(error.message)
  }
}

interface FileRecord {
  readonly name: string
  readonly type: string
  readonly ttl: number
  readonly value: string
}

function record(entry: FileEntry, reading: Reading, file: string): FileRecord {
  const words = [...entry.words]
  const [first] = words
  const start = first ?? { line: entry.line, column: 1, text: "", quoted: false }
  if (!entry.indented) {
    reading.owner = nameAt(start, reading.origin, file)
    words.shift()
  }
  const { owner } = reading
  if (owner === undefined) throw wrongAt(file, start)("the first record has no name")
  let given: number | undefined
  let word = words.shift()
  for (let taken = 0; taken < 2 && word !== undefined; taken++) {
    const ttl = given === undefined ? ttlOf(word.text) : undefined
    if (ttl === undefined && word.text.toUpperCase() !== "IN") break
    given = ttl ?? given
    word = words.shift()
  }
  if (word === undefined) throw wrongAt(file, start)("the record has no type")
  const number = typeNumber(word.text)
  if (number === undefined) {
    const known = ["CH", "HS", "CS"].includes(word.text.toUpperCase())
    const cause = known ? "only the class IN is read" : "there is no such type"
    throw wrongAt(file, word)(`${JSON.stringify(word.text)}: ${cause}`)
  }
  const wrong = wrongAt(file, words[0] ?? word)
  const tokens: readonly Token[] = number === recordTypes.SOA ? soaWords(words) : words
  const value = placed(file, words[0] ?? word, () =>
    zoneFileText(number, tokens, wrong, reading.origin),
  )
  if (given !== undefined) reading.lastTtl = given
  const minimum = number === recordTypes.SOA ? Number(value.split(" ")[6]) : undefined
  const ttl = given ?? reading.ttl ?? reading.lastTtl ?? minimum
  if (ttl === undefined) throw wrongAt(file, word)("the record has no TTL, and there is no $TTL")
  return { name: owner, type: typeName(number), ttl, value }
}

/** The times of an SOA may have units. */
function soaWords(words: readonly FileWord[]): readonly Token[] {
  return words.map((word, index) => {
    const seconds = index > 2 ? ttlOf(word.text) : undefined
    return seconds === undefined ? word : { ...word, text: String(seconds) }
  })
}

const units: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400, w: 604_800 }

/** `3600`, `1h`, `1d12h`; undefined when it is no time. */
function ttlOf(text: string): number | undefined {
  if (/^\d{1,10}$/.test(text)) return Number(text) <= 2_147_483_647 ? Number(text) : undefined
  if (!/^(\d{1,9}[smhdw])+$/i.test(text)) return undefined
  let total = 0
  for (const [, count, unit = ""] of text.matchAll(/(\d+)([smhdw])/gi)) {
    total += Number(count) * (units[unit.toLowerCase()] ?? 0)
  }
  return total <= 2_147_483_647 ? total : undefined
}
