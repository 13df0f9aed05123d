// Where and how often a running plane makes backups of itself, from its options. They never lie in
// the data directory: who loses that would lose them with it.

import { resolve } from "node:path"
import { cliFault } from "../faults.ts"
import type { RunPlaneOptions } from "../run-plane.ts"

const defaultEveryMs = 6 * 3_600_000
const defaultKeep = 7

interface Backups {
  readonly directory: string
  readonly everyMs: number
  readonly keep: number
}

export function backupsOf(data: string, options: RunPlaneOptions): { readonly backups?: Backups } {
  const { backupTo, backupEvery, backupKeep } = options
  if (backupTo === undefined) {
    if (backupEvery === undefined && backupKeep === undefined) return {}
    const hint = "name the directory with --backup-to"
    throw cliFault("SPT-CLI-002", { what: "these options", why: "no place is given", hint })
  }
  const directory = resolve(backupTo)
  if (`${directory}/`.startsWith(`${resolve(data)}/`)) {
    const why = "it lies in the data directory and would be lost with it"
    throw cliFault("SPT-CLI-002", { what: backupTo, why, hint: "choose another disk or directory" })
  }
  const everyMs = backupEvery ?? defaultEveryMs
  return { backups: { directory, everyMs, keep: backupKeep ?? defaultKeep } }
}
