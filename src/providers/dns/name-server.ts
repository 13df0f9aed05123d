// Talks to one name server: asks for the serial, transfers a zone, sends an update. An answer
// counts only when it belongs to the question and, where there is a key, is signed to its last
// byte; a transfer only when its closing SOA came. Everything else is thrown, and so is doubt.

import type { Clock } from "../../base/clock.ts"
import type { Random } from "../../base/random.ts"
import type { SocketAddress, SocketsAct, SocketsRead } from "../../contract/sockets.ts"
import { dnsFault } from "./faults.ts"
import { addressText } from "./server-address.ts"
import {
  decodeMessage,
  encodeMessage,
  type Message,
  type Outgoing,
  opcodes,
  rcodeName,
} from "./wire/message.ts"
import { recordClasses, recordTypes } from "./wire/record-numbers.ts"
import { signMessage, TsigChain, type TsigKey } from "./wire/tsig.ts"
import { serialOf, ZoneBuilder, type ZoneView } from "./zone-view.ts"

export interface Access {
  readonly zone: string
  readonly server: SocketAddress
  readonly key?: TsigKey
}

export interface MessagePorts {
  readonly clock: Pick<Clock, "now">
  readonly random: Pick<Random, "bytes">
}

interface Sent {
  readonly id: number
  readonly bytes: Uint8Array
  /** Throws unless the answer is signed by our key. */
  verify(bytes: Uint8Array, message: Message): void
  proven(): boolean
}

export class NameServer {
  readonly #access: Access
  readonly #ports: MessagePorts

  constructor(access: Access, ports: MessagePorts) {
    this.#access = access
    this.#ports = ports
  }

  get #server(): string {
    return addressText(this.#access.server)
  }

  /** The serial that the server answers with right now. */
  async serial(sockets: SocketsRead, signal: AbortSignal): Promise<number> {
    const { zone, server } = this.#access
    const sent = this.#prepare(this.#question(recordTypes.SOA))
    const accepts = (answer: Uint8Array) =>
      answer.length >= 12 && ((answer[0] ?? 0) << 8) + (answer[1] ?? 0) === sent.id
    const answer = await sockets.datagram(server, sent.bytes, accepts, signal)
    const message = this.#read(sent, answer)
    const soa = message.answers.find((one) => one.type === recordTypes.SOA && one.name === zone)
    if (message.rcode !== 0 || soa === undefined || !message.authoritative) {
      const cause = message.rcode === 0 ? "it is not authoritative" : rcodeName(message.rcode)
      throw this.#untransferred(cause)
    }
    return serialOf(soa.text())
  }

  /** The whole zone, or a fault. */
  async transfer(sockets: SocketsRead, signal: AbortSignal): Promise<ZoneView> {
    const { zone, server } = this.#access
    const sent = this.#prepare(this.#question(recordTypes.AXFR))
    const builder = new ZoneBuilder(zone)
    const takes = (frame: Uint8Array): boolean => {
      const message = this.#read(sent, frame)
      if (message.rcode !== 0) throw this.#untransferred(rcodeName(message.rcode))
      if (message.answers.length === 0) throw this.#untransferred("a part of it is empty")
      for (const record of message.answers) {
        const wrong = builder.add(record)
        if (wrong !== undefined) throw this.#untransferred(wrong)
      }
      return !builder.closed
    }
    await sockets.framed(server, sent.bytes, takes, signal)
    if (!builder.closed) throw this.#untransferred("its closing SOA did not come")
    if (!sent.proven()) throw this.#untransferred("its end is not signed")
    return builder.finish()
  }

  /** The rcode of a signed answer; what is thrown may have happened. */
  async update(
    message: Omit<Outgoing, "id" | "opcode" | "questions">,
    sockets: SocketsAct,
    signal: AbortSignal,
  ): Promise<number> {
    const { zone, server } = this.#access
    const about = { name: zone, type: recordTypes.SOA, class: recordClasses.IN }
    const sent = this.#prepare({ ...message, opcode: opcodes.update, questions: [about] })
    const answer = await sockets.change(server, sent.bytes, signal)
    return this.#read(sent, answer).rcode
  }

  #question(type: number): Omit<Outgoing, "id"> {
    const { zone } = this.#access
    return { opcode: opcodes.query, questions: [{ name: zone, type, class: recordClasses.IN }] }
  }

  #prepare(message: Omit<Outgoing, "id">): Sent {
    const [high = 0, low = 0] = this.#ports.random.bytes(2)
    const id = (high << 8) + low
    const plain = encodeMessage({ ...message, id })
    const { key } = this.#access
    if (key === undefined) return { id, bytes: plain, verify: () => {}, proven: () => true }
    const now = () => this.#ports.clock.now()
    const { bytes, mac } = signMessage(plain, key, now())
    const chain = new TsigChain(key, mac, this.#server, now)
    const verify = (answer: Uint8Array, read: Message) => chain.accept(answer, read)
    return { id, bytes, verify, proven: () => chain.proven }
  }

  #read(sent: Sent, answer: Uint8Array): Message {
    const message = decodeMessage(answer)
    const asked = message.response && message.id === sent.id
    const wrong = (cause: string) => dnsFault("SPT-DNS-004", { server: this.#server, cause })
    if (!asked) throw wrong("it answers another question")
    if (message.truncated) throw wrong("it is cut short")
    sent.verify(answer, message)
    return message
  }

  #untransferred(cause: string) {
    return dnsFault("SPT-DNS-005", { zone: this.#access.zone, server: this.#server, cause })
  }
}
