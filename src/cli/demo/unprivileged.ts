// Root ignores permissions, and then an unreadable folder would mean nothing. Under root the demo's
// programs run without the capabilities for that, where `setpriv` can take them away.

import { spawnSync } from "node:child_process"

const capabilities = "-dac_override,-dac_read_search"
const prefix = ["setpriv", "--bounding-set", capabilities, "--inh-caps", capabilities]

const isRoot = process.getuid?.() === 0
let usable: boolean | undefined

/** The start of a command line; empty where nothing is needed or nothing helps. */
export function unprivileged(): readonly string[] {
  if (!isRoot) return []
  const [program = "", ...args] = prefix
  usable ??= spawnSync(program, [...args, "true"], { timeout: 10_000 }).status === 0
  return usable ? prefix : []
}

/** Permissions bind the demo's programs, so that `chmod 000` means something. */
export function isBound(): boolean {
  return !isRoot || unprivileged().length > 0
}
