// Says whether a backup could be restored, and what is in it.

import { verifyBackup } from "../plane/adapters/verify-backup.ts"
import type { Cli } from "./command.ts"
import { exitCode } from "./exit-codes.ts"
import { printData } from "./print-data.ts"
import { printable } from "./render/printable.ts"

export async function verifyFile(cli: Cli, file: string): Promise<number> {
  const { planeId, revision, counts, journals } = await verifyBackup(file)
  const found = { file, planeId, revision, counts: { ...counts }, journals: { ...journals } }
  if (await printData(cli, found)) return exitCode.ok
  const loops = Object.keys(journals).length
  cli.terminal.print(`good: plane ${printable(planeId)} at revision ${revision}`)
  cli.terminal.print(`${counts.objects ?? 0} objects, ${counts.records ?? 0} targets known`)
  cli.terminal.print(`${loops} journal${loops === 1 ? "" : "s"} verified`)
  return exitCode.ok
}
