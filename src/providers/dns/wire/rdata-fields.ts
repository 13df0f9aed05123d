// The pieces that record data is made of: each reads bytes into text and writes text as bytes. The
// text of a piece is always the same for the same bytes.

import { ip6Text, parseIp4, parseIp6 } from "./ip-address.ts"
import { parseName } from "./name.ts"
import { quoted, type Token, tokenBytes, type Wrong } from "./text-tokens.ts"
import { unreadable, type WireReader } from "./wire-reader.ts"
import type { WireWriter } from "./wire-writer.ts"

/** The words of one value, taken one after the other. */
export class Words {
  readonly #tokens: readonly Token[]
  #at = 0
  readonly wrong: Wrong
  /** Zone files have relative names; declared values have none. */
  readonly origin: string | undefined

  constructor(tokens: readonly Token[], wrong: Wrong, origin?: string) {
    this.#tokens = tokens
    this.wrong = wrong
    this.origin = origin
  }

  get left(): number {
    return this.#tokens.length - this.#at
  }

  next(what: string): Token {
    const token = this.#tokens[this.#at++]
    if (token === undefined) throw this.wrong(`${what} is missing`)
    return token
  }

  rest(): readonly Token[] {
    const rest = this.#tokens.slice(this.#at)
    this.#at = this.#tokens.length
    return rest
  }
}

export interface Field {
  read(from: WireReader): string
  write(to: WireWriter, words: Words): void
}

function numberField(max: number, read: Field["read"], put: (to: WireWriter, n: number) => void) {
  return {
    read,
    write(to: WireWriter, words: Words) {
      const { text } = words.next("a number")
      if (!/^\d{1,10}$/.test(text)) throw words.wrong(`${JSON.stringify(text)} is no number`)
      if (Number(text) > max) throw words.wrong(`${text} is more than ${max}`)
      put(to, Number(text))
    },
  }
}

export const u8: Field = numberField(
  0xff,
  (from) => String(from.u8()),
  (to, value) => to.u8(value),
)
export const u16: Field = numberField(
  0xffff,
  (from) => String(from.u16()),
  (to, value) => to.u16(value),
)
export const u32: Field = numberField(
  0xffff_ffff,
  (from) => String(from.u32()),
  (to, value) => to.u32(value),
)

export const name: Field = {
  read: (from) => from.name(),
  write(to, words) {
    const { text } = words.next("a name")
    if (words.origin === undefined && !text.endsWith(".")) {
      throw words.wrong(`the name ${text} does not end with a dot`)
    }
    to.name(parseName(text, words.origin), false)
  },
}

export const ip4: Field = {
  read: (from) => `${from.u8()}.${from.u8()}.${from.u8()}.${from.u8()}`,
  write(to, words) {
    const { text } = words.next("an address")
    const bytes = parseIp4(text)
    if (bytes === undefined) throw words.wrong(`${JSON.stringify(text)} is no IPv4 address`)
    to.put(bytes)
  },
}

export const ip6: Field = {
  read: (from) => ip6Text(from.take(16)),
  write(to, words) {
    const { text } = words.next("an address")
    const bytes = parseIp6(text)
    if (bytes === undefined) throw words.wrong(`${JSON.stringify(text)} is no IPv6 address`)
    to.put(bytes)
  },
}

/** Up to 255 bytes with their length before them. */
export const string: Field = {
  read: (from) => quoted(from.take(from.u8())),
  write(to, words) {
    const bytes = tokenBytes(words.next("a string").text, words.wrong)
    if (bytes.length > 255) throw words.wrong("a string is longer than 255 bytes")
    to.u8(bytes.length).put(bytes)
  },
}

/** All that is left, as one string without a length. */
export const restString: Field = {
  read: (from) => quoted(from.take(from.left)),
  write(to, words) {
    to.put(tokenBytes(words.next("a string").text, words.wrong))
  },
}

const tagPattern = /^[a-z0-9]{1,255}$/i

export const tag: Field = {
  read(from) {
    const text = from.take(from.u8()).toString("latin1")
    if (!tagPattern.test(text)) throw unreadable("a tag has a form that can't be written")
    return text.toLowerCase()
  },
  write(to, words) {
    const { text } = words.next("a tag")
    if (!tagPattern.test(text)) throw words.wrong(`${JSON.stringify(text)} is no tag`)
    to.u8(text.length).put(Buffer.from(text.toLowerCase(), "latin1"))
  },
}

export const hex: Field = {
  read: (from) => from.take(from.left).toString("hex"),
  write(to, words) {
    const text = words
      .rest()
      .map((token) => token.text)
      .join("")
    if (!/^([0-9a-f]{2})*$/i.test(text)) throw words.wrong("the last part is not hexadecimal")
    to.put(Buffer.from(text, "hex"))
  },
}

export const base64: Field = {
  read: (from) => from.take(from.left).toString("base64"),
  write(to, words) {
    const text = words
      .rest()
      .map((token) => token.text)
      .join("")
    const bytes = Buffer.from(text, "base64")
    if (bytes.toString("base64") !== text) throw words.wrong("the last part is not base64")
    to.put(bytes)
  },
}
