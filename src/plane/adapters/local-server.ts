// The API of a real plane: the socket in its directory, and a port with TLS whose certificate and
// kubeconfig are made here. The port stays the same over restarts as long as nobody else takes it.

import { readFileSync } from "node:fs"
import { hostname } from "node:os"
import { join } from "node:path"
import {
  certificateAuthenticator,
  firstKnown,
  tokenAuthenticator,
} from "../../api/http/authenticate.ts"
import { type HttpServer, serveHttp } from "../../api/http/http-server.ts"
import { signIn } from "../../api/http/sign-in.ts"
import type { TlsOptions } from "../../api/http/tls-listener.ts"
import { systemClock, systemRandom } from "../../base/system.ts"
import { mastersGroup } from "../../contract/principal.ts"
import { writePrivateFile } from "../../store/engines/private-files.ts"
import type { Plane } from "../plane.ts"
import { openAuditLog } from "./audit-log.ts"
import { openAccess } from "./local-access.ts"
import { localPrincipal, type openLocalToken } from "./local-token.ts"
import { type Authority, openAuthority } from "./pki/authority.ts"
import { kubeconfigText } from "./pki/kubeconfig.ts"
import { tokenBook } from "./token-file.ts"

export interface ListenOptions {
  /** 127.0.0.1 when missing. */
  readonly host?: string
  /** When missing the one of the last start, else 7443, else any that is free. */
  readonly port?: number
  /** More names that the certificate is good for. */
  readonly names?: readonly string[]
}

export interface LocalServer extends HttpServer {
  /** "https://127.0.0.1:7443" */
  readonly address: string
  /** The file to hand to kubectl. */
  readonly kubeconfig: string
}

const usualPort = 7443

export async function serveLocally(
  plane: Plane,
  directory: string,
  token: ReturnType<typeof openLocalToken>,
  options: { readonly version: string; readonly listen?: ListenOptions },
): Promise<LocalServer> {
  const { listen = {} } = options
  const host = listen.host ?? "127.0.0.1"
  const authority = openAuthority({ directory, random: systemRandom, now: systemClock.now })
  const names = namesOf(host, listen.names)
  const pair = authority.server(names)
  const others = tokenBook(directory, () => systemClock.now())
  const tls: TlsOptions = {
    host,
    ports: portsOf(directory, listen.port),
    ...pair,
    clientAuthority: authority.certificate,
    isOurs: (name) => names.includes(name),
  }
  const authenticate = signIn(
    firstKnown(
      certificateAuthenticator,
      tokenAuthenticator(() => [token, ...others()]),
    ),
  )
  await openAccess(plane, authenticate)
  const audit = openAuditLog({ directory, now: systemClock.now })
  const server = await serveHttp({
    verbs: plane.api.verbs,
    reads: plane.api.reads,
    registry: plane.api.registry,
    extensions: plane.extensions,
    clock: systemClock,
    authenticate,
    authorizer: plane.api.roles,
    audit,
    socketPath: join(directory, "api.sock"),
    version: options.version,
    metrics: plane.ports.metrics,
    tls,
  })
  const port = server.tls?.port ?? 0
  const address = `https://${urlHost(host)}:${port}`
  writePrivateFile(portFile(directory), `${port}\n`)
  const kubeconfig = writeKubeconfig(directory, address, authority)
  return { ...server, address, kubeconfig }
}

function writeKubeconfig(directory: string, server: string, authority: Authority): string {
  const user = localPrincipal().name
  const subject = { commonName: user, organizations: [mastersGroup] }
  const login = authority.client("owner.pem", subject)
  const file = join(directory, "kubeconfig")
  const { certificate } = authority
  writePrivateFile(file, kubeconfigText({ server, authority: certificate, user, login }))
  writePrivateFile(join(directory, "pki", "ca.crt"), certificate)
  return file
}

function namesOf(host: string, more: readonly string[] = []): readonly string[] {
  const all = ["localhost", "127.0.0.1", "::1", hostname().toLowerCase(), host, ...more]
  return [...new Set(all.filter((name) => !isWildcard(name)))]
}

const isWildcard = (host: string): boolean => host === "0.0.0.0" || host === "::"

/** Whoever listens everywhere is reached here by the loopback address. */
function urlHost(host: string): string {
  if (isWildcard(host)) return "127.0.0.1"
  return host.includes(":") ? `[${host}]` : host
}

const portFile = (directory: string) => join(directory, "pki", "port")

function portsOf(directory: string, asked: number | undefined): readonly number[] {
  if (asked !== undefined) return [asked]
  const last = lastPort(directory)
  return [...(last === undefined ? [] : [last]), usualPort, 0]
}

function lastPort(directory: string): number | undefined {
  try {
    const port = Number(readFileSync(portFile(directory), "utf8"))
    return Number.isInteger(port) && port > 0 && port < 65536 ? port : undefined
  } catch {
    return undefined
  }
}
