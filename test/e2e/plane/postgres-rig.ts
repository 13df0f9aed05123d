// A PostgreSQL server of its own in a temporary folder, on a unix socket only. It does not run as
// root; it is ended by pg_ctl over its own folder, and everything is removed at the end.

import { spawnSync } from "node:child_process"
import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { requireTool } from "../../tools.ts"

const nobody = 65534
const isRoot = process.getuid?.() === 0
const prefix = isRoot ? ["setpriv", "--reuid", `${nobody}`, "--regid", `${nobody}`] : []
const asNobody = isRoot ? [...prefix, "--clear-groups"] : []

export const postgres = requireTool("postgres", "initdb", "pg_ctl", ...(isRoot ? ["setpriv"] : []))

export class PostgresRig {
  readonly base = mkdtempSync(join(tmpdir(), "spt-pg-"))
  readonly socket = join(this.base, "s")
  readonly data = join(this.base, "data")

  constructor() {
    for (const path of [this.socket, this.data]) mkdirSync(path)
    if (isRoot)
      for (const path of [this.base, this.socket, this.data]) chownSync(path, nobody, nobody)
    chmodSync(this.base, 0o755)
    const password = join(this.base, "password")
    writeFileSync(password, "correct horse\n", { mode: 0o644 })
    this.#run(
      "initdb",
      "-D",
      this.data,
      "-U",
      "setpoint",
      `--pwfile=${password}`,
      "-A",
      "scram-sha-256",
      "-N",
    )
    const options = `-k ${this.socket} -c listen_addresses='' -c fsync=off`
    this.#run("pg_ctl", "-D", this.data, "-o", options, "-l", join(this.data, "log"), "-w", "start")
  }

  /** Writes the connection file that signals name. */
  connect(directory: string, name: string, more: object = {}): void {
    const folder = join(directory, "connections")
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    const login = { user: "setpoint", database: "postgres", password: "correct horse" }
    const text = JSON.stringify({ host: this.socket, ...login, ...more })
    writeFileSync(join(folder, `${name}.json`), text, { mode: 0o600 })
  }

  close(): void {
    this.#run("pg_ctl", "-D", this.data, "-m", "immediate", "stop")
    rmSync(this.base, { recursive: true, force: true })
  }

  #run(...command: readonly string[]): void {
    const [program = "", ...args] = [...asNobody, ...command]
    const options = { timeout: 120_000, encoding: "utf8", stdio: "pipe", cwd: "/" } as const
    const result = spawnSync(program, args, options)
    if (result.status !== 0) throw new Error(`${command[0]}: ${result.stderr}${result.stdout}`)
  }
}
