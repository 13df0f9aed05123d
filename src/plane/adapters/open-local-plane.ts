// The composition root of a real plane: one data directory, this host's files and network, the API
// on a unix socket inside the directory and on a port with TLS.

import { resolve } from "node:path"
import { type WebhookServices, webhookCaller } from "../../api/http/call-webhook.ts"
import type { Fault } from "../../base/faults.ts"
import { systemClock, systemRandom } from "../../base/system.ts"
import { journalLoops, readHead } from "../../ledger/journal.ts"
import { nodeSourceFiles } from "../../sources/directory/adapter/node-files.ts"
import { createDirectorySource } from "../../sources/directory/directory-source.ts"
import { backupStore } from "../../store/engines/backup.ts"
import { type DataDirectory, openDataDirectory } from "../../store/engines/data-directory.ts"
import type { Logger } from "../../telemetry/logger.ts"
import { Metrics } from "../../telemetry/metrics.ts"
import type { BackupOptions } from "../backup-schedule.ts"
import { Plane } from "../plane.ts"
import type { PlanePorts } from "../ports.ts"
import { backupFiles } from "./backup-files.ts"
import type { IssuerOptions } from "./local-access.ts"
import { type LocalKindOptions, localKinds, localWorld } from "./local-kinds.ts"
import { localProbes } from "./local-probes.ts"
import { type LocalServer, serveLocally } from "./local-server.ts"
import type { ListenOptions } from "./local-tls.ts"
import { openLocalToken } from "./local-token.ts"
import { openSealer, openSecretKey } from "./secret-key.ts"
import { stopFile } from "./stop-file.ts"

export interface LocalPlaneOptions extends LocalKindOptions {
  /** Programs that signals may run, by absolute path. */
  readonly signalCommands?: readonly string[]
  /** Where the services are that webhooks name. */
  readonly webhookServices?: WebhookServices
  readonly logger: Logger
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
  try {
    const token = openLocalToken(directory, random)
    plane = await Plane.open({
      ...{ clock, random, store: data.store, logger: options.logger },
      ...localWorld(),
      callWebhook: webhookCaller(options.webhookServices ?? new Map()),
      probes: localProbes({ ...options, directory }),
      kinds: await localKinds({ ...options, directory }),
      metrics: new Metrics(),
      stop: stopFile(directory),
      ...(options.eventsKeepMs === undefined ? {} : { eventsKeepMs: options.eventsKeepMs }),
      ...(options.journalKeepMs === undefined ? {} : { journalKeepMs: options.journalKeepMs }),
      hasher: openSecretKey(data.planeId, random, options.keyFile),
      workloadKinds: options.workloadKinds === true,
      sealer: openSealer(data.planeId, random, options.keyFile),
      openSource: (path) => createDirectorySource({ path, clock, files: nodeSourceFiles }),
      ...localBackups(data, directory, options.backups),
      backup: async (file) => void (await backupStore(data, file)),
      clearRestored: () => data.clearRestored(),
    })
    const server = await serveLocally(plane, directory, token, options)
    const opened = plane
    const close = async () => {
      await server.close()
      await opened.close()
      await data.close()
    }
    return { plane: opened, data, server, close }
  } catch (error) {
    await plane?.close()
    await data.close()
    throw error
  }
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
