// What `npm pack` makes of this repository, and that installed for everybody into a prefix of its
// own, as `npm install --global` does it. Nothing of it runs a script.

import { spawnSync } from "node:child_process"
import { existsSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { noteSkipped } from "../tools.ts"

const root = fileURLToPath(new URL("../..", import.meta.url))
const unreachable = /E(NOTFOUND|CONNREFUSED|CONNRESET|TIMEDOUT|NETUNREACH)|EAI_AGAIN|ENOTCACHED/

export interface PackedFile {
  readonly path: string
  readonly size: number
  readonly mode: number
}

export class Packed {
  readonly folder = mkdtempSync(join(tmpdir(), "sptp-"))
  readonly prefix = join(this.folder, "prefix")
  readonly command = join(this.prefix, "bin", "setpoint")
  readonly installed = join(this.prefix, "lib", "node_modules", "setpoint")
  readonly tarball: string
  readonly bytes: number
  readonly files: readonly PackedFile[]
  /** Why it could not be installed: packages of others can't be had here. */
  readonly offline: boolean

  constructor() {
    if (!existsSync(join(root, "dist", "bundle"))) npm(root, "run", "--silent", "build")
    const args = ["pack", "--json", "--ignore-scripts", "--pack-destination", this.folder]
    const told: unknown = JSON.parse(npm(root, ...args))
    const [about] = Array.isArray(told) ? told : Object.values(Object(told))
    this.tarball = join(this.folder, about.filename)
    this.bytes = about.size
    this.files = about.files
    const quiet = ["--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline"]
    const fast = ["--fetch-retries=0", "--loglevel=error"]
    const result = run(this.folder, [
      ...["install", "--global", "--prefix", this.prefix, ...quiet, ...fast],
      this.tarball,
    ])
    this.offline = result.status !== 0 && unreachable.test(result.error)
    if (this.offline) noteSkipped("packages from npm")
    else if (result.status !== 0) throw new Error(`npm install --global: ${result.error}`)
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true })
  }
}

function npm(cwd: string, ...args: readonly string[]): string {
  const { status, out, error } = run(cwd, args)
  if (status !== 0) throw new Error(`npm ${args[0]}: ${error}`)
  return out
}

/** Without what an outer npm tells its scripts. */
function run(cwd: string, args: readonly string[]) {
  const outer = Object.entries(process.env).filter(([name]) => !/^npm_/i.test(name))
  const options = { cwd, env: Object.fromEntries(outer), timeout: 150_000, maxBuffer: 1e8 }
  const { status, stdout, stderr } = spawnSync("npm", args, options)
  return { status, out: String(stdout), error: String(stderr) }
}
