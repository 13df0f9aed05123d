// What status says about rollback and backups. Pure.

import { at, isArray, isObject, type Json } from "../../base/json.ts"
import { printable } from "../render/printable.ts"
import type { Terminal } from "../terminal.ts"

interface View {
  readonly terminal: Pick<Terminal, "paint">
  command(words: string): string
}

const text = (value: Json | undefined): string =>
  typeof value === "string" ? printable(value) : ""

/** That a loop is rolled back, and how that ends. */
export function rollbackLines(loop: Json, { terminal, command }: View): string[] {
  const rollback = at(loop, "rollback")
  if (!isObject(rollback)) return []
  const revision = text(rollback.quarantined).slice(0, 12)
  const lost = isArray(rollback.notRestored) ? rollback.notRestored.map(text) : []
  return [
    `  ${terminal.paint("yellow", "ROLLED BACK")}  ${text(rollback.text)}`,
    `          revision ${revision} of the source is set aside; a newer one ends this`,
    ...(lost.length === 0 ? [] : [`          not restored, no such kind: ${lost.join(", ")}`]),
    `          to use it all the same: ${command(`rollback --end ${text(at(loop, "id"))}`)}`,
  ]
}

/** When a backup was last made and verified, or what is wrong. */
export function backupLines(status: Json, { terminal }: View): string[] {
  const backups = at(status, "backups")
  if (!isObject(backups)) return []
  const last = at(backups, "last")
  const failure = at(backups, "failure")
  const where = text(backups.directory)
  const good = isObject(last)
    ? `last good backup ${text(last.at)}: ${text(last.file)}`
    : `no good backup yet in ${where}`
  const lines = [isObject(last) ? good : terminal.paint("yellow", good)]
  if (isObject(failure)) {
    lines.push(terminal.paint("red", `BACKUP FAILED ${text(failure.at)}: ${text(failure.message)}`))
  }
  return lines
}
