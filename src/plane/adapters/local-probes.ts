// How signals look at this host: only programs that the plane was started with, only databases that
// its operator wrote a connection file for, only logs below the roots and outside the data.

import { realpathSync } from "node:fs"
import { join, resolve, sep } from "node:path"
import type { CommandResult, Probes } from "../../contract/probes.ts"
import { controllerFault } from "../../controllers/faults.ts"
import { runProgram } from "../../provider/adapter/run-program.ts"
import { querySql } from "./query-sql.ts"
import { readLog } from "./read-log.ts"

export interface LocalProbesOptions {
  /** The data directory. */
  readonly directory: string
  /** Logs may lie only below these; the whole host when none is named. */
  readonly roots?: readonly string[]
  /** Programs that signals may run, by absolute path. */
  readonly signalCommands?: readonly string[]
}

export function localProbes(options: LocalProbesOptions): Probes {
  const directory = resolve(options.directory)
  const roots = (options.roots ?? []).map((root) => resolve(root))
  const programs = new Set(options.signalCommands ?? [])
  return {
    command: async (request, signal) => {
      const program = request.argv[0] ?? ""
      if (!programs.has(program)) throw controllerFault("SPT-SIG-003", { program })
      return runCommand(request.argv, signal)
    },
    sql: (connection, query, signal) => querySql(directory, connection, query, signal),
    log: async (path, cursor) => {
      const real = realpathSync(path)
      const inside = roots.length === 0 || roots.some((root) => isBelow(real, realOr(root)))
      if (!inside || isBelow(real, realOr(directory))) {
        const cause = `${path} lies outside what this plane may look at`
        throw controllerFault("SPT-SIG-001", { cause })
      }
      return readLog(real, cursor)
    },
  }
}

const outputBytesMax = 64 * 1024

async function runCommand(argv: readonly string[], signal: AbortSignal): Promise<CommandResult> {
  try {
    const { code, stdout } = await runProgram({ argv, outputBytesMax }, signal)
    return { exitCode: code, stdout }
  } catch (error) {
    const cause = error instanceof Error ? error.message : String(error)
    throw controllerFault("SPT-SIG-001", { cause }, error)
  }
}

const isBelow = (path: string, root: string): boolean => path.startsWith(join(root, sep))

function realOr(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return path
  }
}
