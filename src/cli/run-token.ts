// Tokens on the command line. They are written into the data directory itself, with a plane running
// or not: who can write there owns the plane.

import { existsSync, writeFileSync } from "node:fs"
import { resolve } from "node:path"
import { parseDuration } from "../base/clock.ts"
import { systemRandom } from "../base/system.ts"
import { localPrincipal } from "../plane/adapters/local-token.ts"
import { createToken, readTokens, revokeToken, tokenKinds } from "../plane/adapters/token-file.ts"
import type { Cli } from "./command.ts"
import type { TokenOptions } from "./commands/token.ts"
import { exitCode } from "./exit-codes.ts"
import { cliFault } from "./faults.ts"
import { printData } from "./print-data.ts"
import { printable } from "./render/printable.ts"
import { tableLines } from "./render/table.ts"

const lifeMaxMs = 366 * 86_400_000

function directoryOf(cli: Cli): string {
  const { data } = cli.options()
  if (existsSync(resolve(data))) return resolve(data)
  const hint = "name the plane's data directory with --data"
  throw cliFault("SPT-CLI-002", { what: data, why: "there is no such directory", hint })
}

export async function create(cli: Cli, name: string, options: TokenOptions): Promise<number> {
  const bad = (what: string, why: string, hint: string) =>
    cliFault("SPT-CLI-002", { what, why, hint })
  const kind = tokenKinds.find((one) => one === options.kind)
  if (kind === undefined) {
    throw bad(`--kind ${options.kind}`, "there is no such kind", "human, service, agent or monitor")
  }
  const lifeMs = parseDuration(options.for)
  if (lifeMs === undefined || lifeMs <= 0 || lifeMs > lifeMaxMs) {
    throw bad(`--for ${options.for}`, "it is no duration up to 366d", 'for example "30d"')
  }
  const { file } = options
  if (file !== undefined && existsSync(file)) {
    throw bad(`--file ${file}`, "it exists", "choose a new file")
  }
  const asked = { name, kind, lifeMs, groups: options.group ?? [] }
  const made = createToken(directoryOf(cli), asked, localPrincipal(), Date.now(), systemRandom)
  if (file !== undefined) writeFileSync(file, `${made.token}\n`, { mode: 0o600, flag: "wx" })
  const { expiresAt } = made.row
  const shown = file === undefined ? { token: made.token } : { file }
  if (await printData(cli, { name, kind, expiresAt, ...shown })) return exitCode.ok
  cli.terminal.print(`token of ${name} (${kind}), until ${expiresAt}`)
  cli.terminal.print(file === undefined ? made.token : `written to ${file}`)
  return exitCode.ok
}

export async function listTokens(cli: Cli): Promise<number> {
  const rows = readTokens(directoryOf(cli))
  const shown = rows.map(({ name, kind, createdAt, expiresAt, groups }) => {
    const expired = Date.parse(expiresAt) <= Date.now()
    return {
      name,
      kind,
      ...(groups === undefined ? {} : { groups }),
      createdAt,
      expiresAt,
      expired,
    }
  })
  if (await printData(cli, { tokens: shown })) return exitCode.ok
  if (shown.length === 0) cli.terminal.note("only the owner's token, DIR/token")
  else {
    const cells = shown.map((row) => {
      const end = row.expired ? `${row.expiresAt} (expired)` : row.expiresAt
      return [printable(row.name), row.kind, row.createdAt, end]
    })
    for (const line of tableLines(["Name", "Kind", "Made", "Expires"], cells)) {
      cli.terminal.print(line)
    }
  }
  return exitCode.ok
}

export async function revoke(cli: Cli, name: string): Promise<number> {
  revokeToken(directoryOf(cli), name)
  if (await printData(cli, { revoked: name })) return exitCode.ok
  cli.terminal.print(`the token of ${name} opens nothing any more`)
  return exitCode.ok
}
