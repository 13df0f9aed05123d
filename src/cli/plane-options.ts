// Options of the commands that run a plane.

import { type Command, InvalidArgumentError, Option } from "commander"
import { parseDuration } from "../base/clock.ts"
import type { GitScheme } from "../contract/git-source.ts"
import { parseManagementPath } from "../plane/adapters/management-paths.ts"
import type { ExecProgramOptions } from "../providers/exec/exec-program.ts"
import type { ManagementFlow } from "../providers/firewall/firewall-spec.ts"
import { type LogLevel, logLevels } from "../telemetry/logger.ts"

const collect = (value: string, before: readonly string[] | undefined) => [...(before ?? []), value]

function port(value: string): number {
  const number = Number(value)
  if (/^\d+$/.test(value) && number < 65536) return number
  throw new InvalidArgumentError("give a port from 0 to 65535")
}

export const sourceRootOption = () =>
  new Option(
    "--source-root <dir>",
    "bases of the folder's overlay may lie below this (its repository, when not given)",
  )

export interface Place {
  readonly host: string
  readonly port?: number
}

/** "HOST:PORT", "[::1]:PORT", "HOST" or "PORT". */
function place(value: string): Place {
  if (/^\d+$/.test(value)) return { host: "127.0.0.1", port: port(value) }
  const match = /^(?:\[([0-9a-fA-F:.]+)\]|([A-Za-z0-9.-]+))(?::(\d+))?$/.exec(value)
  const host = match?.[1] ?? match?.[2]
  if (host === undefined) throw new InvalidArgumentError("give HOST:PORT, such as 0.0.0.0:7443")
  return { host, ...(match?.[3] === undefined ? {} : { port: port(match[3]) }) }
}

/** "NAMESPACE/NAME=HOST:PORT", by NAMESPACE/NAME. */
function service(
  value: string,
  before: ReadonlyMap<string, Required<Place>> | undefined,
): ReadonlyMap<string, Required<Place>> {
  const match = /^([a-z0-9-]+\/[a-z0-9-]+)=(.+)$/.exec(value)
  const [, name, where = ""] = match ?? []
  const at = name === undefined ? undefined : place(where)
  if (name !== undefined && at?.port) {
    return new Map([...(before ?? []), [name, { host: at.host, port: at.port }]])
  }
  throw new InvalidArgumentError(
    "give NAMESPACE/NAME=HOST:PORT, such as default/hook=127.0.0.1:9443",
  )
}

/** "NAME=/absolute/path". */
export function execProvider(
  value: string,
  before: readonly ExecProgramOptions[] | undefined,
): readonly ExecProgramOptions[] {
  const match = /^([a-z][-a-z0-9]*)=(\/.+)$/.exec(value)
  const [, name, path] = match ?? []
  if (name !== undefined && path !== undefined) return [...(before ?? []), { name, path }]
  throw new InvalidArgumentError("give NAME=/absolute/path, such as flags=/usr/local/lib/flag")
}

/** "ADDRESS:PORT" of those who control this host. */
function managementPath(
  value: string,
  before: readonly ManagementFlow[] | undefined,
): readonly ManagementFlow[] {
  const path = parseManagementPath(value)
  if (path !== undefined) return [...(before ?? []), path]
  throw new InvalidArgumentError(
    "give ADDRESS:PORT or PREFIX:PORT, such as 10.0.0.0/24:22 or [2001:db8::1]:22",
  )
}

function store(value: string): string {
  if (value === "sqlite") return value
  throw new InvalidArgumentError("only sqlite is there now; etcd comes later")
}

export const gitSchemes: readonly GitScheme[] = ["http", "file", "git"]

export function gitScheme(
  value: string,
  before: readonly GitScheme[] | undefined,
): readonly GitScheme[] {
  const scheme = gitSchemes.find((one) => one === value)
  if (scheme !== undefined) return [...(before ?? []), scheme]
  throw new InvalidArgumentError(`give one of ${gitSchemes.join(", ")}; https and ssh always are`)
}

const dayMs = 86_400_000

function keep(value: string): number {
  const ms = parseDuration(value)
  if (ms !== undefined && ms >= dayMs) return ms
  throw new InvalidArgumentError("give a duration of at least a day, such as 400d")
}

function every(value: string): number {
  const ms = parseDuration(value)
  if (ms !== undefined && ms >= 60_000 && ms <= 31 * dayMs) return ms
  throw new InvalidArgumentError("give a duration from 1m to 31d, such as 6h")
}

function history(value: string): number {
  const ms = parseDuration(value)
  if (ms !== undefined && ms >= 1000 && ms <= dayMs) return ms
  throw new InvalidArgumentError("give a duration from 1s to 1d, such as 30m")
}

function logLevel(value: string): LogLevel {
  const level = logLevels.find((one) => one === value)
  if (level !== undefined) return level
  throw new InvalidArgumentError(`give one of ${logLevels.join(", ")}`)
}

function endpoint(value: string): string {
  const url = URL.canParse(value) ? new URL(value) : undefined
  if (url?.protocol === "http:" || url?.protocol === "https:") return value
  throw new InvalidArgumentError("give a URL, such as http://127.0.0.1:4318")
}

function delay(value: string): number {
  const ms = parseDuration(value)
  if (ms !== undefined && ms <= 300_000) return ms
  throw new InvalidArgumentError("give a duration up to 5m, such as 10s")
}

function backups(value: string): number {
  const count = Number(value)
  if (Number.isInteger(count) && count >= 1 && count <= 1000) return count
  throw new InvalidArgumentError("give a number from 1 to 1000")
}

export function planeOptions(command: Command): Command {
  return command
    .option("--root <dir>", "files may lie only below this directory (repeatable)", collect)
    .option("--provider <module>", "load kinds from this module (repeatable)", collect)
    .option(
      "--exec-provider <name=program>",
      "kinds of this program, by absolute path (repeatable)",
      execProvider,
    )
    .option(
      "--management-path <addr:port>",
      "no firewall rule may keep ADDR from this host's PORT (repeatable)",
      managementPath,
    )
    .option("--signal-command <program>", "signals may run this program (repeatable)", collect)
    .option("--git-allow <scheme>", "fetch over http, file or git, too (repeatable)", gitScheme)
    .option(
      "--key-file <file>",
      "keys for hashes and encryption of secrets, outside the data directory",
    )
    .option("--workload-kinds", "serve Pods, Deployments and the like, as plain data")
    .option(
      "--webhook-service <ns/name=host:port>",
      "where a service is that webhooks name (repeatable)",
      service,
    )
    .option("--listen <host:port>", "where the API is served with TLS (127.0.0.1:7443)", place)
    .option("--port <port>", "port of the API on that host; 0 picks a free one", port)
    .option("--dashboard-port <port>", "port of the dashboard on 127.0.0.1 (7444)", port)
    .option("--tls-san <name>", "the certificate is good for this name too (repeatable)", collect)
    .option("--tls-cert <file>", "your own certificate for that port, with its chain, as PEM")
    .option("--tls-key <file>", "its key, as PEM")
    .option("--oidc-issuer <url>", "people may sign in with tokens of this OpenID issuer")
    .option("--oidc-client-id <id>", "whom those tokens must be for")
    .option("--oidc-username-claim <claim>", "which claim is the name (default sub)")
    .option("--oidc-username-prefix <text>", "goes before each name; - for none")
    .option("--oidc-groups-claim <claim>", "which claim lists the groups")
    .option("--oidc-groups-prefix <text>", "goes before each group")
    .option("--oidc-ca-file <file>", "authority of the issuer's certificate, as PEM")
    .option("--oidc-client-secret-file <file>", "of a client that has a secret, for the dashboard")
    .option("--log-level <level>", "debug, info (every act), warn or error", logLevel)
    .option("--otlp-endpoint <url>", "send traces to this OpenTelemetry collector (OTLP)", endpoint)
    .option("--watch-history <time>", "how long watches can go back (default 5m)", history)
    .option("--shutdown-delay <time>", "say 503 on /readyz for so long before ending", delay)
    .option("--store <store>", "where objects are kept", store, "sqlite")
    .option("--backup-to <dir>", "make verified backups into this directory, by itself")
    .option("--backup-every <time>", "how often, when something changed (default 6h)", every)
    .option("--backup-keep <n>", "how many good ones stay (default 7)", backups)
    .option("--events-keep <time>", "how long events are kept (default 1h)", every)
    .option("--journal-keep <time>", "how long journal entries are kept (default 400d)", keep)
}
