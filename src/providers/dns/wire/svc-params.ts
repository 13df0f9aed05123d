// The parameters of SVCB and HTTPS records (RFC 9460): sorted by key, each with one text.

import { ip6Text, parseIp4, parseIp6 } from "./ip-address.ts"
import type { Field, Words } from "./rdata-fields.ts"
import { tokenBytes } from "./text-tokens.ts"
import { unreadable, WireReader } from "./wire-reader.ts"
import { WireWriter } from "./wire-writer.ts"

const keyNames = [
  ...["mandatory", "alpn", "no-default-alpn", "port", "ipv4hint", "ech", "ipv6hint"],
  ...["dohpath", "ohttp"],
]
const keyNumbers = new Map(keyNames.map((name, number) => [name, number]))

const keyName = (key: number): string => keyNames[key] ?? `key${key}`

function keyNumber(text: string, words: Words): number {
  const named = keyNumbers.get(text.toLowerCase())
  const number = named ?? Number(/^key(\d{1,5})$/i.exec(text)?.[1] ?? Number.NaN)
  if (number <= 0xffff) return number
  throw words.wrong(`${JSON.stringify(text)} is no parameter`)
}

export const params: Field = {
  read(from) {
    const texts: string[] = []
    let last = -1
    while (from.left > 0) {
      const key = from.u16()
      if (key <= last) throw unreadable("its parameters are not in order")
      last = key
      texts.push(paramText(key, from.take(from.u16())))
    }
    return texts.join(" ")
  },
  write(to, words) {
    const found = new Map<number, Buffer>()
    for (const { text } of words.rest()) {
      const split = text.indexOf("=")
      const key = keyNumber(split < 0 ? text : text.slice(0, split), words)
      if (found.has(key)) throw words.wrong(`${keyName(key)} is given twice`)
      found.set(key, paramBytes(key, split < 0 ? undefined : text.slice(split + 1), words))
    }
    for (const [key, bytes] of [...found].sort(([left], [right]) => left - right)) {
      to.u16(key).u16(bytes.length).put(bytes)
    }
  },
}

/** What is not understood to the last byte is written as bytes, so that nothing gets lost. */
function paramText(key: number, bytes: Buffer): string {
  if (bytes.length === 0) return keyName(key)
  const known = knownText(key, new WireReader(bytes), bytes)
  return `${keyName(key)}=${known ?? byteText(bytes)}`
}

function knownText(key: number, from: WireReader, bytes: Buffer): string | undefined {
  const list = (size: number, text: (part: Buffer) => string) => {
    if (bytes.length % size !== 0) throw unreadable(`its ${keyName(key)} has a wrong length`)
    const parts: string[] = []
    while (from.left > 0) parts.push(text(from.take(size)))
    return parts.join(",")
  }
  switch (key) {
    case 0:
      return list(2, (part) => keyName(part.readUInt16BE(0)))
    case 1: {
      const ids: string[] = []
      while (from.left > 0) ids.push(from.take(from.u8()).toString("latin1"))
      const plain = ids.every((id) => /^[a-z0-9./+-]+$/i.test(id))
      if (!plain) throw unreadable("its alpn has a form that can't be written")
      return ids.join(",")
    }
    case 3:
      return list(2, (part) => String(part.readUInt16BE(0)))
    case 4:
      return list(4, (part) => part.join("."))
    case 5:
      return bytes.toString("base64")
    case 6:
      return list(16, ip6Text)
    default:
      return undefined
  }
}

function byteText(bytes: Buffer): string {
  let text = ""
  for (const byte of bytes) {
    const plain = byte > 0x20 && byte < 0x7f && byte !== 0x22 && byte !== 0x5c
    text += plain ? String.fromCharCode(byte) : `\\${String(byte).padStart(3, "0")}`
  }
  return text
}

function paramBytes(key: number, given: string | undefined, words: Words): Buffer {
  if (given === undefined) return Buffer.alloc(0)
  const text = /^".*"$/.test(given) ? given.slice(1, -1) : given
  const to = new WireWriter()
  const wrong = (what: string) => words.wrong(`${keyName(key)} ${what}`)
  const each = (task: (part: string) => void) => {
    for (const part of text.split(",")) task(part)
  }
  const put = (bytes: Buffer | undefined, what: string) => {
    if (bytes === undefined) throw wrong(what)
    to.put(bytes)
  }
  switch (key) {
    case 0: {
      const keys = text.split(",").map((part) => keyNumber(part, words))
      for (const one of keys.sort((left, right) => left - right)) to.u16(one)
      break
    }
    case 1:
      each((part) => {
        if (!/^[a-z0-9./+-]{1,255}$/i.test(part)) throw wrong("has an unknown protocol")
        to.u8(part.length).put(Buffer.from(part, "latin1"))
      })
      break
    case 3:
      if (!/^\d{1,5}$/.test(text) || Number(text) > 0xffff) throw wrong("is no port")
      to.u16(Number(text))
      break
    case 4:
      each((part) => put(parseIp4(part), "has an address that is not IPv4"))
      break
    case 5:
      put(Buffer.from(text, "base64"), "is not base64")
      break
    case 6:
      each((part) => put(parseIp6(part), "has an address that is not IPv6"))
      break
    default:
      to.put(tokenBytes(text, words.wrong))
  }
  return Buffer.from(to.finish())
}
