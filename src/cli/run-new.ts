// Writes a template's files where none of them exists yet; all of them or none.

import { existsSync, mkdirSync, writeFileSync } from "node:fs"
import { dirname, join, relative, resolve } from "node:path"
import { providerTemplate } from "../provider/template.ts"
import type { Cli } from "./command.ts"
import { exitCode } from "./exit-codes.ts"
import { cliFault } from "./faults.ts"

export async function runNew(cli: Cli, what: string, name: string, dir: string | undefined) {
  if (what !== "provider") {
    const hint = "write `setpoint new provider NAME`"
    throw cliFault("SPT-CLI-002", { what: `"${what}"`, why: "only providers are made", hint })
  }
  const folder = resolve(dir ?? name)
  const files = providerTemplate(name).map(({ path, content }) => ({
    path: join(folder, path),
    content,
  }))
  const taken = files.find(({ path }) => existsSync(path))
  if (taken !== undefined) throw cliFault("SPT-CLI-013", { file: shown(taken.path) })
  for (const { path, content } of files) {
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, content, { flag: "wx" })
    cli.terminal.print(`wrote ${shown(path)}`)
  }
  cli.terminal.print(`\nnext: cd ${shown(folder)} && npm install && npm test`)
  return exitCode.ok
}

const shown = (path: string): string => relative(process.cwd(), path) || "."
