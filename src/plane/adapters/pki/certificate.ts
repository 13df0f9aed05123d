// Writes X.509 certificates with ECDSA keys on P-256: one authority, and what it signs for servers
// and clients. Nothing here reads a certificate of somebody else.

import { createHash, createPublicKey, type KeyObject, sign } from "node:crypto"
import { isIP } from "node:net"
import type { Random } from "../../../base/random.ts"
import {
  bits,
  inPlace,
  integer,
  octets,
  oid,
  sequence,
  setOf,
  tagged,
  time,
  utf8,
  yes,
} from "./der.ts"

export interface Subject {
  readonly commonName: string
  readonly organizations?: readonly string[]
}

export interface CertificateRequest {
  readonly subject: Subject
  readonly issuer: Subject
  /** Of the one it is for. */
  readonly key: KeyObject
  /** Of the one who signs. */
  readonly signingKey: KeyObject
  readonly notBefore: number
  readonly notAfter: number
  readonly use: "authority" | "server" | "client"
  /** DNS names and IP addresses. */
  readonly names?: readonly string[]
  readonly random: Random
}

const ecdsaWithSha256 = sequence(oid("1.2.840.10045.4.3.2"))
const usage = { authority: 0x06, server: 0x80, client: 0x80 } as const
const purpose = { server: "1.3.6.1.5.5.7.3.1", client: "1.3.6.1.5.5.7.3.2" } as const

/** PEM. */
export function writeCertificate(request: CertificateRequest): string {
  const { subject, issuer, key, signingKey, notBefore, notAfter, random } = request
  const serial = random.bytes(16)
  serial[0] = ((serial[0] ?? 0) & 0x7f) | 0x40
  const body = sequence(
    tagged(0, integer(Buffer.from([2]))),
    integer(serial),
    ecdsaWithSha256,
    nameOf(issuer),
    sequence(time(notBefore), time(notAfter)),
    nameOf(subject),
    publicKeyInfo(key),
    tagged(3, sequence(...extensionsOf(request))),
  )
  const signature = sign("sha256", body, signingKey)
  return pem("CERTIFICATE", sequence(body, ecdsaWithSha256, bits(signature)))
}

export function pem(label: string, der: Uint8Array): string {
  const lines =
    Buffer.from(der)
      .toString("base64")
      .match(/.{1,64}/g) ?? []
  return `-----BEGIN ${label}-----\n${lines.join("\n")}\n-----END ${label}-----\n`
}

function publicKeyInfo(key: KeyObject): Uint8Array {
  const open = key.type === "private" ? createPublicKey(key) : key
  return open.export({ type: "spki", format: "der" })
}

/** SHA-1 of the key's bits is what RFC 5280 suggests; it names the key and protects nothing. */
export function keyId(key: KeyObject): Uint8Array {
  const point = publicKeyInfo(key).subarray(-65)
  return createHash("sha1").update(point).digest()
}

function nameOf({ commonName, organizations = [] }: Subject): Uint8Array {
  const part = (type: string, text: string) => setOf(sequence(oid(type), utf8(text)))
  return sequence(...organizations.map((one) => part("2.5.4.10", one)), part("2.5.4.3", commonName))
}

function extensionsOf({ use, names = [], key, signingKey }: CertificateRequest): Uint8Array[] {
  const isAuthority = use === "authority"
  const constraints = isAuthority ? sequence(yes(), integer(Buffer.from([0]))) : sequence()
  const unused = isAuthority ? 1 : 7
  return [
    extension("2.5.29.19", constraints, true),
    extension("2.5.29.15", bits(Buffer.from([usage[use]]), unused), true),
    ...(isAuthority ? [] : [extension("2.5.29.37", sequence(oid(purpose[use])))]),
    extension("2.5.29.14", octets(keyId(key))),
    extension("2.5.29.35", sequence(inPlace(0, keyId(signingKey)))),
    ...(names.length === 0 ? [] : [extension("2.5.29.17", sequence(...names.map(altName)))]),
  ]
}

function extension(type: string, value: Uint8Array, critical = false): Uint8Array {
  return sequence(oid(type), ...(critical ? [yes()] : []), octets(value))
}

function altName(name: string): Uint8Array {
  return isIP(name) === 0 ? inPlace(2, Buffer.from(name)) : inPlace(7, addressBytes(name))
}

export function addressBytes(address: string): Uint8Array {
  if (isIP(address) === 4) return Buffer.from(address.split(".").map(Number))
  const [head = "", tail] = embedded(address).split("::")
  const groups = (text: string) => (text === "" ? [] : text.split(":"))
  const [before, after] = [groups(head), groups(tail ?? "")]
  const zeros = tail === undefined ? 0 : 8 - before.length - after.length
  const all = [...before, ...new Array<string>(zeros).fill("0"), ...after]
  return Buffer.from(all.flatMap((group) => [parseInt(group, 16) >> 8, parseInt(group, 16) & 255]))
}

/** "::ffff:1.2.3.4" to "::ffff:102:304". */
function embedded(address: string): string {
  const at = address.lastIndexOf(":")
  const last = address.slice(at + 1)
  if (!last.includes(".")) return address
  const [a = 0, b = 0, c = 0, d = 0] = last.split(".").map(Number)
  return `${address.slice(0, at + 1)}${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`
}
