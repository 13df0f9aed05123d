// The kinds that come with Setpoint, on this host, and the handles they work with.

import { realpathSync } from "node:fs"
import { join, resolve } from "node:path"
import { systemClock } from "../../base/system.ts"
import type { KindProvider } from "../../contract/provider.ts"
import type { ActWorld, ReadWorld } from "../../contract/world.ts"
import { createHttp } from "../../provider/adapter/http.ts"
import { loadProviders } from "../../provider/adapter/load-module.ts"
import { nodeFiles } from "../../providers/file/adapter/node-files.ts"
import { fileKinds } from "../../providers/file/file-kinds.ts"

export interface LocalKindOptions {
  readonly directory: string
  /** Files may lie only below these; the whole host when none is named. */
  readonly roots?: readonly string[]
  /** Modules that export `kinds`. */
  readonly providers?: readonly string[]
}

export async function localKinds(options: LocalKindOptions): Promise<readonly KindProvider[]> {
  const directory = resolve(options.directory)
  const forbidden = [...new Set([directory, realPathOr(directory)])]
  const roots = options.roots === undefined || options.roots.length === 0 ? ["/"] : options.roots
  const files = fileKinds({
    roots: roots.map((root) => resolve(root)),
    forbidden,
    backupDirectory: join(directory, "backups"),
    clock: systemClock,
  })
  return [...files, ...(await loadProviders(options.providers ?? []))]
}

export function localWorld(): { readWorld: ReadWorld; actWorld: ActWorld } {
  const files = nodeFiles()
  return {
    readWorld: { files, http: createHttp({ readOnly: true }) },
    actWorld: { files, http: createHttp() },
  }
}

function realPathOr(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return path // Not made yet; the plane makes it at this very path.
  }
}
