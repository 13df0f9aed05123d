// The plane's own certificate authority, DIR/pki, made at the first start: what the server shows to
// clients, and what the owner shows to the server. Each file holds a certificate with its key, so
// that no crash leaves one without the other, and is readable by the owner alone. One that can't be
// understood is never replaced: clients out there trust it.

import { createPrivateKey, generateKeyPairSync, type KeyObject, X509Certificate } from "node:crypto"
import { readFileSync } from "node:fs"
import { isIP } from "node:net"
import { join } from "node:path"
import { hex, type Random } from "../../../base/random.ts"
import {
  createPrivateDirectory,
  isCode,
  writePrivateFile,
} from "../../../store/engines/private-files.ts"
import { planeFault } from "../../faults.ts"
import { type CertificateRequest, keyId, type Subject, writeCertificate } from "./certificate.ts"

export interface Pair {
  /** PEM. */
  readonly certificate: string
  readonly key: string
}

export interface Authority {
  /** PEM of the authority's certificate; what clients trust. */
  readonly certificate: string
  /** The server's own, for these names; kept while it is good, else made again. */
  server(names: readonly string[]): Pair
  /** One client's; kept while it is good and for the same subject. */
  client(file: string, subject: Subject): Pair
}

export interface AuthorityPorts {
  readonly directory: string
  readonly random: Random
  now(): number
}

const dayMs = 86_400_000
const authorityMs = 3650 * dayMs
const leafMs = 365 * dayMs
/** Clocks of clients may be a little behind. */
const slackMs = 3_600_000

interface Held {
  readonly key: KeyObject
  readonly certificate: X509Certificate
}

export function openAuthority(ports: AuthorityPorts): Authority {
  const home = join(ports.directory, "pki")
  createPrivateDirectory(home)
  const own = openOwn(ports, home)
  const issuer = { commonName: commonName(own.certificate) }
  const certificate = own.certificate.toString()
  const leaf = (
    file: string,
    wanted: Pick<CertificateRequest, "subject" | "use" | "names">,
    isSame: (held: X509Certificate) => boolean,
  ): Pair => {
    const path = join(home, file)
    const known = readHeld(path)
    const good =
      known !== undefined &&
      isFresh(known.certificate, ports.now(), leafMs / 4) &&
      known.certificate.checkIssued(own.certificate) &&
      known.certificate.verify(own.certificate.publicKey) &&
      isSame(known.certificate)
    if (good) return pairOf(known)
    const key = newKey()
    const [notBefore, notAfter] = [ports.now() - slackMs, ports.now() + leafMs]
    const made = { key, signingKey: own.key, issuer, notBefore, notAfter, random: ports.random }
    return store(path, key, writeCertificate({ ...wanted, ...made }))
  }
  return {
    certificate,
    server: (names) => {
      const subject = { commonName: "setpoint" }
      const isSame = (held: X509Certificate) => sameNames(held, names)
      return leaf("server.pem", { subject, use: "server", names }, isSame)
    },
    client: (file, subject) => {
      const isSame = (held: X509Certificate) => held.subject === subjectText(subject)
      return leaf(file, { subject, use: "client" }, isSame)
    },
  }
}

function openOwn({ now, random }: AuthorityPorts, home: string): Held {
  const path = join(home, "ca.pem")
  const known = readHeld(path)
  if (known !== undefined && isFresh(known.certificate, now(), authorityMs / 10)) return known
  // Near its end it is made again with the same key and name: what it signed stays good.
  const key = known?.key ?? newKey()
  const subject = {
    commonName:
      known === undefined
        ? `setpoint-ca-${hex(keyId(key)).slice(0, 12)}`
        : commonName(known.certificate),
  }
  const [notBefore, notAfter] = [now() - slackMs, now() + authorityMs]
  const use = "authority"
  const request = {
    subject,
    issuer: subject,
    key,
    signingKey: key,
    notBefore,
    notAfter,
    use,
    random,
  } as const
  store(path, key, writeCertificate(request))
  return readHeld(path) ?? unreadable(path)
}

function newKey(): KeyObject {
  return generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey
}

function store(path: string, key: KeyObject, certificate: string): Pair {
  const text = String(key.export({ type: "pkcs8", format: "pem" }))
  writePrivateFile(path, `${certificate}${text}`)
  return { certificate, key: text }
}

function readHeld(path: string): Held | undefined {
  let text: string
  try {
    text = readFileSync(path, "utf8")
  } catch (error) {
    if (isCode(error, "ENOENT")) return undefined
    throw error
  }
  try {
    const [key, certificate] = [createPrivateKey(text), new X509Certificate(text)]
    if (certificate.checkPrivateKey(key)) return { key, certificate }
  } catch (error) {
    return unreadable(path, error)
  }
  return unreadable(path)
}

function unreadable(path: string, cause?: unknown): never {
  throw planeFault("SPT-TLS-001", { file: path }, cause)
}

function pairOf({ certificate, key }: Held): Pair {
  return {
    certificate: certificate.toString(),
    key: String(key.export({ type: "pkcs8", format: "pem" })),
  }
}

function isFresh(certificate: X509Certificate, now: number, leftMs: number): boolean {
  return Date.parse(certificate.validFrom) <= now && Date.parse(certificate.validTo) - now > leftMs
}

function commonName({ subject }: X509Certificate): string {
  return /^CN=(.*)$/m.exec(subject)?.[1] ?? ""
}

function subjectText({ commonName: name, organizations = [] }: Subject): string {
  return [...organizations.map((one) => `O=${one}`), `CN=${name}`].join("\n")
}

function sameNames(held: X509Certificate, names: readonly string[]): boolean {
  const has = new Set((held.subjectAltName ?? "").split(", "))
  const hasName = (name: string) =>
    isIP(name) === 0 ? has.has(`DNS:${name}`) : held.checkIP(name) !== undefined
  return has.size === names.length && names.every(hasName)
}
