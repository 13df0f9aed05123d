// The kinds that come with Setpoint, on this host, and the handles they work with.

import { realpathSync } from "node:fs"
import { basename, dirname, join, resolve } from "node:path"
import { systemClock, systemRandom } from "../../base/system.ts"
import type { KindProvider } from "../../contract/provider.ts"
import type { ActWorld, Closeable, ReadWorld } from "../../contract/world.ts"
import { nodeCommands } from "../../provider/adapter/commands.ts"
import { createHttp } from "../../provider/adapter/http.ts"
import { loadProviders } from "../../provider/adapter/load-module.ts"
import { nodeProcesses } from "../../provider/adapter/processes.ts"
import { createSockets } from "../../provider/adapter/sockets.ts"
import { worldWith } from "../../provider/missing-handles.ts"
import { dnsKinds } from "../../providers/dns/dns-kinds.ts"
import { checkProgram } from "../../providers/exec/adapter/check-program.ts"
import type { ExecProgramOptions } from "../../providers/exec/exec-program.ts"
import { loadPrograms } from "../../providers/exec/load-programs.ts"
import { nodeFiles } from "../../providers/file/adapter/node-files.ts"
import { fileKinds } from "../../providers/file/file-kinds.ts"
import { firewallKind } from "../../providers/firewall/firewall-kind.ts"
import type { ManagementFlow } from "../../providers/firewall/firewall-spec.ts"
import { hostKinds } from "../../providers/host/host-kinds.ts"
import { localProcesses } from "./local-processes.ts"

export interface LocalKindOptions {
  readonly directory: string
  /** Files may lie only below these; the whole host when none is named. */
  readonly roots?: readonly string[]
  /** Modules that export `kinds`. */
  readonly providers?: readonly string[]
  /** Programs that speak the exec protocol. */
  readonly programs?: readonly ExecProgramOptions[]
  /** By which paths this host is controlled: firewall rules that may cut one are refused. */
  management?(): readonly ManagementFlow[]
}

export async function localKinds(options: LocalKindOptions): Promise<readonly KindProvider[]> {
  const directory = resolve(options.directory)
  const forbidden = [...new Set([directory, realPathOf(directory)])]
  const roots = options.roots === undefined || options.roots.length === 0 ? ["/"] : options.roots
  const files = fileKinds({
    roots: roots.map((root) => resolve(root)),
    forbidden,
    backupDirectory: join(realPathOf(directory), "backups"),
    clock: systemClock,
  })
  return [
    ...files,
    ...hostKinds({ roots: roots.map((root) => resolve(root)) }),
    localFirewall(directory, options),
    ...localProcesses(directory),
    ...dnsKinds({ clock: systemClock, random: systemRandom }),
    ...(await loadProviders(options.providers ?? [])),
    ...(await localPrograms(options.programs ?? [])),
  ]
}

function localFirewall(directory: string, { management }: LocalKindOptions): KindProvider {
  const stateDirectory = join(directory, "firewall")
  const base = { stateDirectory, node: process.execPath, clock: systemClock }
  return firewallKind(management === undefined ? base : { ...base, management })
}

async function localPrograms(
  programs: readonly ExecProgramOptions[],
): Promise<readonly KindProvider[]> {
  const commands = nodeCommands()
  try {
    for (const program of programs) checkProgram(program)
    return await loadPrograms(programs, commands, systemClock)
  } finally {
    commands.close()
  }
}

export interface LocalWorld extends Closeable {
  readonly readWorld: ReadWorld
  readonly actWorld: ActWorld
}

/** Closing ends the programs that stay. */
export function localWorld(): LocalWorld {
  const files = nodeFiles()
  const commands = nodeCommands()
  const sockets = createSockets()
  const processes = nodeProcesses()
  const shared = { files, commands, sockets, processes }
  return {
    close: () => commands.close(),
    readWorld: worldWith({ ...shared, http: createHttp({ readOnly: true }) }),
    actWorld: worldWith({ ...shared, http: createHttp() }),
  }
}

/** Also of what is not made yet: the plane makes it below what there is. */
function realPathOf(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    const above = dirname(path)
    return above === path ? path : join(realPathOf(above), basename(path))
  }
}
