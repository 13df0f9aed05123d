// The API of a real plane: the socket in its directory, and a port with TLS whose certificate and
// kubeconfig are made here. The port stays the same over restarts as long as nobody else takes it.

import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import type { ExtensionRoute } from "../../api/extensions.ts"
import { type TokenEntry, tokenGround } from "../../api/http/authenticate.ts"
import { type HttpServer, serveHttp } from "../../api/http/http-server.ts"
import { issuerGround } from "../../api/http/oidc.ts"
import { Sessions } from "../../api/http/sessions.ts"
import type { TlsOptions } from "../../api/http/tls-listener.ts"
import { sha256 } from "../../base/hash.ts"
import { systemClock, systemRandom } from "../../base/system.ts"
import { authenticatedGroup, mastersGroup, type Principal } from "../../contract/principal.ts"
import { writePrivateFile } from "../../store/engines/private-files.ts"
import { GitHooks } from "../git-hooks.ts"
import type { Plane } from "../plane.ts"
import { openAuditLog } from "./audit-log.ts"
import { dashboardFiles } from "./dashboard-files.ts"
import { dashboardWays, standing } from "./dashboard-ways.ts"
import { type IssuerOptions, openAccess } from "./local-access.ts"
import { type ListenOptions, type LocalTls, localTls, urlHost } from "./local-tls.ts"
import { localPrincipal } from "./local-token.ts"
import { type Authority, openAuthority } from "./pki/authority.ts"
import { kubeconfigText } from "./pki/kubeconfig.ts"
import { processMetrics } from "./process-metrics.ts"
import { type PortName, portsToTry, rememberPort } from "./remembered-port.ts"
import { sessionFile, sessionGrounds } from "./session-file.ts"
import { tokenBook } from "./token-file.ts"

export interface LocalServer extends HttpServer {
  /** "https://127.0.0.1:7443" */
  readonly address: string
  /** The file to hand to kubectl. */
  readonly kubeconfig: string
  /** "http://127.0.0.1:7444" */
  readonly dashboard: string
  /** A link to the dashboard that signs the owner in, once. */
  ownerLink(): string
}

export async function serveLocally(
  plane: Plane,
  directory: string,
  token: TokenEntry,
  options: {
    readonly version: string
    readonly listen?: ListenOptions
    /** How long /readyz says 503 before anything is closed. */
    readonly shutdownDelayMs?: number
    readonly issuer?: IssuerOptions
  },
): Promise<LocalServer> {
  const { listen = {} } = options
  const host = listen.host ?? "127.0.0.1"
  const apiPort: PortName = { directory, name: "api", usual: 7443 }
  const pagePort: PortName = { directory, name: "dashboard", usual: 7444 }
  const authority = openAuthority({ directory, random: systemRandom, now: systemClock.now })
  const shown = localTls(authority, listen)
  const signer = `authority:${sha256(authority.certificate)}`
  const trusted = { owner: token, authority: signer, issuer: options.issuer }
  const others = tokenBook(directory, () => systemClock.now())
  const fixed = options.issuer === undefined ? [signer] : [signer, issuerGround(options.issuer)]
  const ground = sessionGrounds({ tokens: () => [token, ...others()], fixed: new Set(fixed) })
  const sessions = new Sessions(systemClock, systemRandom, sessionFile(directory, ground))
  const { pair, isOurs } = shown
  const ports = portsToTry(apiPort, listen.port)
  const tls: TlsOptions = { host, ports, ...pair, clientAuthority: authority.certificate, isOurs }
  const access = await openAccess(plane, directory, trusted)
  const { authenticate, routes } = access
  const ways = dashboardWays({ ...access, version: options.version, ground })
  const pagePorts = portsToTry(pagePort, listen.dashboardPort)
  const pages = { ports: pagePorts, sessions, ways, ...dashboardFiles() }
  await plane.namespaces.trust(authority.certificate)
  const audit = openAuditLog({ directory, now: systemClock.now })
  const hooks = new GitHooks(plane)
  const server = await serveHttp({
    ...servedOf(plane),
    authenticate,
    audit,
    routes,
    socketPath: join(directory, "api.sock"),
    version: options.version,
    hook: (...call) => hooks.call(...call),
    tls,
    dashboard: pages,
  })
  const [port, page] = [server.tls?.port ?? 0, server.dashboardPort ?? 0]
  rememberPort(apiPort, port)
  rememberPort(pagePort, page)
  const address = `https://${urlHost(host)}:${port}`
  const kubeconfig = writeKubeconfig(directory, address, authority, shown)
  const dashboard = `http://127.0.0.1:${page}`
  const link = (principal: Principal) => {
    const found = standing(principal, principal.signedInBy, ground)
    return `${dashboard}/login?token=${sessions.link(principal, found.ground)}`
  }
  plane.extensions.register(linkRoute(link))
  const measured = processMetrics(plane.ports.metrics, { directory, version: options.version })
  measured.certificates(() => ({ server: shown.current(), authority: authority.certificate }))
  const keeping = server.tls && shown.keep(server.tls, systemClock, certificateRefused(plane))
  const close = async (drainMs?: number) => {
    keeping?.close()
    hooks.close()
    measured.close()
    await server.close(drainMs, options.shutdownDelayMs)
    await access.close()
    audit.close()
  }
  return { ...server, close, address, kubeconfig, dashboard, ownerLink: () => link(ownerOf(token)) }
}

const certificateRefused = ({ ports }: Plane) => {
  return (error: unknown) => {
    const why = error instanceof Error ? error.message : String(error)
    ports.logger.warn("a new certificate can't be shown; the old one stays", { why })
  }
}

/** What of a plane is served. */
const servedOf = ({ api, extensions, ports }: Plane) => ({
  ...{ verbs: api.verbs, reads: api.reads, registry: api.registry, authorizer: api.roles },
  ...{ extensions, metrics: ports.metrics, clock: systemClock },
})

/** As whoever signs in with it: a browser is outside like every other client. */
function ownerOf({ sha256: hash, principal }: TokenEntry): Principal {
  const groups = [...(principal.groups ?? []), authenticatedGroup]
  return { ...principal, groups, signedInBy: { ground: tokenGround(hash) } }
}

/** A link for whoever asks, for what they may do anyway and for as long as they could anyway. */
function linkRoute(link: (principal: Principal) => string): ExtensionRoute {
  return {
    method: "POST",
    pattern: "/setpoint/v1/dashboard/link",
    access: () => [],
    handler: async (principal) => ({ url: link(principal) }),
  }
}

function writeKubeconfig(
  directory: string,
  server: string,
  authority: Authority,
  { trust, serverName }: LocalTls,
): string {
  const user = localPrincipal().name
  const subject = { commonName: user, organizations: [mastersGroup] }
  const login = authority.client("owner.pem", subject)
  const file = join(directory, "kubeconfig")
  const named = serverName === undefined ? {} : { serverName }
  const text = kubeconfigText({ server, authority: trust, user, login, ...named })
  writeChanged(file, text)
  writeChanged(join(directory, "pki", "ca.crt"), authority.certificate)
  return file
}

function writeChanged(file: string, text: string): void {
  const isSame = existsSync(file) && readFileSync(file, "utf8") === text
  if (!isSame) writePrivateFile(file, text)
}
