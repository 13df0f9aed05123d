// The composition root of a real plane: one data directory, this host's files and network, the API
// on a unix socket inside the directory.

import { join, resolve } from "node:path"
import { tokenAuthenticator } from "../../api/http/authenticate.ts"
import { type HttpServer, serveHttp } from "../../api/http/http-server.ts"
import type { Fault } from "../../base/faults.ts"
import { systemClock, systemRandom } from "../../base/system.ts"
import { nodeSourceFiles } from "../../sources/directory/adapter/node-files.ts"
import { createDirectorySource } from "../../sources/directory/directory-source.ts"
import { backupStore } from "../../store/engines/backup.ts"
import { type DataDirectory, openDataDirectory } from "../../store/engines/data-directory.ts"
import type { Logger } from "../../telemetry/logger.ts"
import { Metrics } from "../../telemetry/metrics.ts"
import { Plane } from "../plane.ts"
import { type LocalKindOptions, localKinds, localWorld } from "./local-kinds.ts"
import { openLocalToken } from "./local-token.ts"
import { openSecretKey } from "./secret-key.ts"
import { stopFile } from "./stop-file.ts"

export interface LocalPlaneOptions extends LocalKindOptions {
  readonly logger: Logger
  readonly keyFile?: string
  /** On 127.0.0.1, besides the socket. */
  readonly port?: number
  readonly version: string
  /** The store can't go on: the process has to end. */
  onFatal(fault: Fault): void
}

export interface LocalPlane {
  readonly plane: Plane
  readonly data: DataDirectory
  readonly server: HttpServer
  close(): Promise<void>
}

export async function openLocalPlane(options: LocalPlaneOptions): Promise<LocalPlane> {
  const directory = resolve(options.directory)
  const [clock, random] = [systemClock, systemRandom]
  const data = await openDataDirectory({ directory, clock, random, onFatal: options.onFatal })
  let plane: Plane | undefined
  try {
    const token = openLocalToken(directory, random)
    plane = await Plane.open({
      ...{ clock, random, store: data.store, logger: options.logger },
      ...localWorld(),
      kinds: await localKinds({ ...options, directory }),
      metrics: new Metrics(),
      stop: stopFile(directory),
      hasher: openSecretKey(data.planeId, random, options.keyFile),
      openSource: (path) => createDirectorySource({ path, clock, files: nodeSourceFiles }),
      backup: async (file) => void (await backupStore(data, file)),
      clearRestored: () => data.clearRestored(),
    })
    const server = await serve(plane, directory, token, options)
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

function serve(
  plane: Plane,
  directory: string,
  token: ReturnType<typeof openLocalToken>,
  options: LocalPlaneOptions,
): Promise<HttpServer> {
  return serveHttp({
    verbs: plane.api.verbs,
    registry: plane.api.registry,
    extensions: plane.extensions,
    clock: systemClock,
    authenticate: tokenAuthenticator(() => [token]),
    socketPath: join(directory, "api.sock"),
    version: options.version,
    ...(options.port === undefined ? {} : { port: options.port }),
  })
}
