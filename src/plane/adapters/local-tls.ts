// How the plane shows itself on its port: a certificate of its own authority for the names it goes
// by, or the one that people brought. Either is looked at again every day and replaced in time.

import { X509Certificate } from "node:crypto"
import { readFileSync } from "node:fs"
import { isIP } from "node:net"
import { hostname } from "node:os"
import type { TlsListener } from "../../api/http/tls-listener.ts"
import type { Clock } from "../../base/clock.ts"
import type { Closeable } from "../../contract/world.ts"
import { planeFault } from "../faults.ts"
import type { Authority, Pair } from "./pki/authority.ts"

export interface ListenOptions {
  /** 127.0.0.1 when missing. */
  readonly host?: string
  /** When missing the one of the last start, else 7443, else any that is free. */
  readonly port?: number
  /** On 127.0.0.1; when missing the one of the last start, else 7444, else any that is free. */
  readonly dashboardPort?: number
  /** More names that the certificate is good for. */
  readonly names?: readonly string[]
  /** Files of one's own certificate, with its chain, and of its key. */
  readonly certificateFile?: string
  readonly keyFile?: string
}

export interface LocalTls {
  readonly pair: Pair
  /** What clients need to trust it. */
  readonly trust: string
  /** The name to check, where it is not that of the address. */
  readonly serverName?: string
  isOurs(name: string): boolean
  /** Looks for a newer pair every day. One that can't be shown is told, and the old one stays. */
  keep(listener: TlsListener, clock: Clock, refused: (why: unknown) => void): Closeable
  /** PEM of the certificate that is shown now. */
  current(): string
}

const dayMs = 86_400_000

export function localTls(authority: Authority, options: ListenOptions): LocalTls {
  const names = namesOf(options)
  const isName = (name: string) => names.includes(name)
  if (options.certificateFile === undefined) {
    const read = () => authority.server(names)
    const pair = read()
    return { pair, trust: authority.certificate, isOurs: isName, ...keeper(read, pair) }
  }
  const read = () => broughtPair(options)
  const pair = read()
  const certificate = new X509Certificate(pair.certificate)
  const serverName = /DNS:([^,*]+)(?:,|$)/.exec(certificate.subjectAltName ?? "")?.[1]
  const isOurs = (name: string) => {
    const held = isIP(name) === 0 ? certificate.checkHost(name) : certificate.checkIP(name)
    return held !== undefined || isName(name)
  }
  const named = serverName === undefined ? {} : { serverName }
  return { pair, trust: pair.certificate, ...named, isOurs, ...keeper(read, pair) }
}

function keeper(read: () => Pair, first: Pair): Pick<LocalTls, "keep" | "current"> {
  let shown = first
  const keep: LocalTls["keep"] = (listener, clock, refused) => {
    const look = () => {
      timer = clock.after(dayMs, look)
      try {
        const pair = read()
        if (pair.certificate !== shown.certificate) listener.renew(pair)
        shown = pair
      } catch (error) {
        refused(error)
      }
    }
    let timer = clock.after(dayMs, look)
    return { close: () => timer.cancel() }
  }
  return { keep, current: () => shown.certificate }
}

function broughtPair({ certificateFile = "", keyFile = "" }: ListenOptions): Pair {
  try {
    const pair = {
      certificate: readFileSync(certificateFile, "utf8"),
      key: readFileSync(keyFile === "" ? certificateFile : keyFile, "utf8"),
    }
    new X509Certificate(pair.certificate) // Throws for what is none.
    return pair
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    throw planeFault("SPT-TLS-002", { file: certificateFile, why }, error)
  }
}

function namesOf({ host = "127.0.0.1", names = [] }: ListenOptions): readonly string[] {
  const bad = names.find((name) => !isNameable(name))
  if (bad !== undefined) throw planeFault("SPT-TLS-003", { name: bad })
  const all = ["localhost", "127.0.0.1", "::1", hostname(), host, ...names]
  const lower = all.filter(isNameable).map((name) => name.toLowerCase())
  return [...new Set(lower.filter((name) => !isWildcard(name)))]
}

/** Clients refuse a whole certificate for one name that is no DNS name. */
function isNameable(name: string): boolean {
  return isIP(name) !== 0 || /^[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*$/.test(name)
}

const isWildcard = (host: string): boolean => host === "0.0.0.0" || host === "::"

/** Whoever listens everywhere is reached here by the loopback address. */
export function urlHost(host: string): string {
  if (isWildcard(host)) return "127.0.0.1"
  return host.includes(":") ? `[${host}]` : host
}
