// The composition root of a real plane: one data directory, this host's files and network, the API
// on a unix socket inside the directory and on a port with TLS.

import { resolve } from "node:path"
import { type WebhookServices, webhookCaller } from "../../api/http/call-webhook.ts"
import type { Fault } from "../../base/faults.ts"
import { systemClock, systemRandom } from "../../base/system.ts"
import type { GitScheme } from "../../contract/git-source.ts"
import { journalLoops, readHead } from "../../ledger/journal.ts"
import type { ManagementFlow } from "../../providers/firewall/firewall-spec.ts"
import { backupStore } from "../../store/engines/backup.ts"
import { type DataDirectory, openDataDirectory } from "../../store/engines/data-directory.ts"
import type { Logger } from "../../telemetry/logger.ts"
import { Metrics } from "../../telemetry/metrics.ts"
import type { BackupOptions } from "../backup-schedule.ts"
import { Plane } from "../plane.ts"
import type { PlanePorts } from "../ports.ts"
import { backupFiles } from "./backup-files.ts"
import type { IssuerOptions } from "./local-access.ts"
import { localComposites } from "./local-composites.ts"
import { localGit } from "./local-git.ts"
import { type LocalKindOptions, localKinds, localWorld } from "./local-kinds.ts"
import { localProbes } from "./local-probes.ts"
import { type LocalServer, serveLocally } from "./local-server.ts"
import { openLocalSource } from "./local-sources.ts"
import type { ListenOptions } from "./local-tls.ts"
import { openLocalToken } from "./local-token.ts"
import { managementPaths } from "./management-paths.ts"
import { portsToTry } from "./remembered-port.ts"
import { openSealer, openSecretKey } from "./secret-key.ts"
import { sendMessage } from "./send-message.ts"
import { stopFile } from "./stop-file.ts"
import { type TraceExporter, traceExporter } from "./trace-exporter.ts"

export interface LocalPlaneOptions extends Omit<LocalKindOptions, "management"> {
  /** Who must always get in to this host, besides its own clients of the API. */
  readonly managementPaths?: readonly ManagementFlow[]
  /** Programs that signals may run, by absolute path. */
  readonly signalCommands?: readonly string[]
  /** Where the services are that webhooks name. */
  readonly webhookServices?: WebhookServices
  readonly logger: Logger
  /** The OpenTelemetry collector that gets traces. */
  readonly traceEndpoint?: string
  /** Protocols besides https and ssh over which repositories are fetched. */
  readonly gitAllow?: readonly GitScheme[]
  readonly keyFile?: string
  /** Kubernetes' workload kinds are served, as plain data. */
  readonly workloadKinds?: boolean
  /** With TLS, besides the socket. */
  readonly listen?: ListenOptions
  /** Whose tokens sign people in, besides ours. */
  readonly issuer?: IssuerOptions
  readonly journalKeepMs?: number
  /** How long /readyz says 503 before anything is closed. */
  readonly shutdownDelayMs?: number
  readonly eventsKeepMs?: number
  /** How long the past stays for watches that come back. */
  readonly watchHistoryMs?: number
  readonly backups?: BackupOptions & { readonly directory: string }
  readonly version: string
  /** The store can't go on: the process has to end. */
  onFatal(fault: Fault): void
}

export interface LocalPlane {
  readonly plane: Plane
  readonly data: DataDirectory
  readonly server: LocalServer
  close(): Promise<void>
}

export async function openLocalPlane(options: LocalPlaneOptions): Promise<LocalPlane> {
  const directory = resolve(options.directory)
  const [clock, random] = [systemClock, systemRandom]
  const { onFatal, watchHistoryMs } = options
  const data = await openDataDirectory({
    ...{ directory, clock, random, onFatal },
    ...(watchHistoryMs === undefined ? {} : { retention: { maxAgeMs: watchHistoryMs } }),
  })
  let plane: Plane | undefined
  let server: LocalServer | undefined
  const [port = 0] = portsToTry({ directory, name: "api", usual: 7443 }, options.listen?.port)
  const address = () => server?.address ?? `https://127.0.0.1:${port}`
  const management = () => managementPaths(options.managementPaths ?? [], address())
  const { readWorld, actWorld, close: closeWorld } = localWorld()
  const traces = localTraces(options, data.planeId)
  const git = localGit({ ...options, directory })
  /** What the plane stood on; whether it ever stood or not. */
  const closeParts = async () => {
    await traces?.close()
    git.close()
    closeWorld()
    await data.close()
  }
  try {
    const token = openLocalToken(directory, random)
    plane = await Plane.open({
      ...{ clock, random, store: data.store, logger: options.logger },
      ...{ readWorld, actWorld },
      callWebhook: webhookCaller(options.webhookServices ?? new Map()),
      probes: localProbes({ ...options, directory }),
      notify: sendMessage,
      kinds: await localKinds({ ...options, directory, management }),
      composites: await localComposites(options),
      metrics: new Metrics(),
      ...(traces === undefined ? {} : { spans: traces.sink }),
      stop: stopFile(directory),
      ...(options.eventsKeepMs === undefined ? {} : { eventsKeepMs: options.eventsKeepMs }),
      ...(options.journalKeepMs === undefined ? {} : { journalKeepMs: options.journalKeepMs }),
      hasher: openSecretKey(data.planeId, random, options.keyFile),
      workloadKinds: options.workloadKinds === true,
      sealer: openSealer(data.planeId, random, options.keyFile),
      openSource: (source) => openLocalSource(source, clock),
      openGit: git.openGit,
      ...localBackups(data, directory, options.backups),
      backup: async (file) => void (await backupStore(data, file)),
      clearRestored: () => data.clearRestored(),
    })
    const served = await serveLocally(plane, directory, token, options)
    server = served
    const opened = plane
    const close = async () => {
      await served.close()
      await opened.close()
      await closeParts()
    }
    return { plane: opened, data, server: served, close }
  } catch (error) {
    await plane?.close()
    await closeParts()
    throw error
  }
}

function localTraces(
  { traceEndpoint, logger, version }: LocalPlaneOptions,
  planeId: string,
): TraceExporter | undefined {
  if (traceEndpoint === undefined) return undefined
  const names = { "service.name": "setpoint", "service.version": version }
  const resource = { ...names, "service.instance.id": planeId }
  return traceExporter({ endpoint: traceEndpoint, resource, logger })
}

function localBackups(
  { store, planeId }: DataDirectory,
  data: string,
  options: LocalPlaneOptions["backups"],
): Pick<PlanePorts, "backups"> {
  if (options === undefined) return {}
  const { directory, everyMs, keep } = options
  const facts = async () => {
    const { revision } = store
    const heads = new Map<string, number>()
    for (const loop of await journalLoops(store)) {
      heads.set(loop, (await readHead(store, loop))?.sequence ?? 0)
    }
    return { revision, heads }
  }
  return { backups: { everyMs, keep, files: backupFiles({ directory, data, planeId, facts }) } }
}
