// DNS messages as values, written and read. Record data stays bytes here; UPDATE uses the four
// sections under other names (zone, prerequisites, updates, additional).

import { rdataText } from "./rdata.ts"
import { recordTypes } from "./record-numbers.ts"
import { unreadable, WireReader } from "./wire-reader.ts"
import { WireWriter } from "./wire-writer.ts"

export const opcodes = { query: 0, notify: 4, update: 5 } as const

export const rcodeNames = [
  ...["NOERROR", "FORMERR", "SERVFAIL", "NXDOMAIN", "NOTIMP", "REFUSED", "YXDOMAIN", "YXRRSET"],
  ...["NXRRSET", "NOTAUTH", "NOTZONE"],
]

export const rcodeName = (rcode: number): string => rcodeNames[rcode] ?? `rcode ${rcode}`

export interface Question {
  readonly name: string
  readonly type: number
  readonly class: number
}

export interface ResourceRecord extends Question {
  readonly ttl: number
  readonly data: Uint8Array
}

export interface Outgoing {
  readonly id: number
  readonly opcode: number
  readonly response?: boolean
  readonly authoritative?: boolean
  readonly recursionDesired?: boolean
  readonly rcode?: number
  readonly questions?: readonly Question[]
  readonly answers?: readonly ResourceRecord[]
  readonly authorities?: readonly ResourceRecord[]
  readonly additionals?: readonly ResourceRecord[]
}

export interface Header {
  readonly id: number
  readonly response: boolean
  readonly opcode: number
  readonly authoritative: boolean
  readonly truncated: boolean
  readonly rcode: number
}

/** A record as it stands in a message; its text is made when somebody asks. */
export interface RecordView extends Question {
  readonly ttl: number
  text(): string
}

export interface TsigRecord {
  readonly name: string
  readonly algorithm: string
  readonly time: number
  readonly fudge: number
  readonly mac: Buffer
  readonly originalId: number
  readonly error: number
  readonly other: Buffer
  /** Where the record begins: the message before it is what is signed. */
  readonly start: number
}

export interface Message extends Header {
  readonly questions: readonly Question[]
  readonly answers: readonly RecordView[]
  readonly authorities: readonly RecordView[]
  readonly tsig?: TsigRecord
}

export function encodeMessage(message: Outgoing): Buffer {
  const { questions = [], answers = [], authorities = [], additionals = [] } = message
  const flags =
    (message.response === true ? 0x8000 : 0) |
    (message.opcode << 11) |
    (message.authoritative === true ? 0x0400 : 0) |
    (message.recursionDesired === true ? 0x0100 : 0) |
    (message.rcode ?? 0)
  const to = new WireWriter()
  to.u16(message.id).u16(flags)
  for (const section of [questions, answers, authorities, additionals]) to.u16(section.length)
  for (const question of questions) writeQuestion(to, question)
  for (const record of [...answers, ...authorities, ...additionals]) {
    writeQuestion(to, record)
    to.u32(record.ttl).u16(record.data.length).put(record.data)
  }
  return to.finish()
}

function writeQuestion(to: WireWriter, { name, type, class: of }: Question): void {
  to.name(name).u16(type).u16(of)
}

export function decodeHeader(from: WireReader): Header {
  const id = from.u16()
  const flags = from.u16()
  return {
    id,
    response: (flags & 0x8000) !== 0,
    opcode: (flags >> 11) & 0xf,
    authoritative: (flags & 0x0400) !== 0,
    truncated: (flags & 0x0200) !== 0,
    rcode: flags & 0xf,
  }
}

export function decodeMessage(bytes: Uint8Array): Message {
  const from = new WireReader(bytes)
  const header = decodeHeader(from)
  const counts = [from.u16(), from.u16(), from.u16(), from.u16()] as const
  const questions: Question[] = []
  for (let index = 0; index < counts[0]; index++) questions.push(readQuestion(from))
  const answers = readRecords(from, counts[1])
  const authorities = readRecords(from, counts[2])
  const tsig = readAdditionals(from, counts[3])
  if (from.left > 0) throw unreadable("something stands behind its end")
  return {
    ...{ ...header, questions, answers, authorities },
    ...(tsig === undefined ? {} : { tsig }),
  }
}

function readQuestion(from: WireReader): Question {
  return { name: from.name(), type: from.u16(), class: from.u16() }
}

function readRecords(from: WireReader, count: number): RecordView[] {
  const records: RecordView[] = []
  for (let index = 0; index < count; index++) {
    records.push(new WireRecord(from))
  }
  return records
}

class WireRecord implements RecordView {
  readonly name: string
  readonly type: number
  readonly class: number
  readonly ttl: number
  readonly #data: WireReader
  readonly #start: number

  constructor(from: WireReader) {
    this.name = from.name()
    this.type = from.u16()
    this.class = from.u16()
    this.ttl = from.u32()
    this.#data = from.part(from.u16())
    this.#start = this.#data.at
  }

  text(): string {
    this.#data.at = this.#start
    return rdataText(this.type, this.#data)
  }
}

/** Of the additional records only TSIG matters, and only as the last one. */
function readAdditionals(from: WireReader, count: number): TsigRecord | undefined {
  let tsig: TsigRecord | undefined
  for (let index = 0; index < count; index++) {
    if (tsig !== undefined) throw unreadable("a TSIG record is not the last one")
    const start = from.at
    const name = from.name()
    const type = from.u16()
    from.u16()
    from.u32()
    const data = from.part(from.u16())
    if (type === recordTypes.TSIG) tsig = readTsig(name, data, start)
  }
  return tsig
}

function readTsig(name: string, data: WireReader, start: number): TsigRecord {
  const algorithm = data.name()
  const time = data.u48()
  const fudge = data.u16()
  const mac = data.take(data.u16())
  const originalId = data.u16()
  const error = data.u16()
  const other = data.take(data.u16())
  if (data.left > 0) throw unreadable("its TSIG record is longer than its data")
  return { name, algorithm, time, fudge, mac, originalId, error, other, start }
}
