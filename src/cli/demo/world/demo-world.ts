// The folder that the demo plays in, with everything in it: manifests, what they declare, scripts
// to look at, `./setpoint`, and the plane's data directory. One temporary folder; nothing outside
// of it is ever written.

import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  statSync,
  writeFileSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { moduleBeside, ownCommand, scriptCommand } from "../../../base/parts.ts"
import { shellWord } from "../../command-text.ts"
import { demoVariable } from "../leftovers.ts"
import { unprivileged } from "../unprivileged.ts"
import { loopManifests } from "./loops.ts"
import { naiveScript } from "./naive-loop.ts"
import { pageContent, pageCount, pageManifest, pageName } from "./pages.ts"
import { floodCount, poolManifests, quotaCount, workManifest, workName } from "./quota.ts"
import { frontPort, serverScript, webManifests } from "./web.ts"

const main = moduleBeside("../../main", import.meta.url)

/** This very program, as the start of a command line. */
export const ownProgram = ownCommand(main, ["--disable-warning=ExperimentalWarning"])

/** A unix socket's path is short everywhere; a deep temporary folder would not do. */
const pathMax = 70

export class DemoWorld {
  readonly folder: string
  readonly port: number

  constructor(port: number) {
    const temporary = realpathSync(tmpdir())
    const base = temporary.length > pathMax ? "/tmp" : temporary
    this.folder = mkdtempSync(join(base, "setpoint-demo-"))
    this.port = port
    const folders = ["loops", "site", "www", "naive", "away", "web", "run", "quota", "more"]
    for (const name of [...folders, "config"]) mkdirSync(this.path(name))
    for (const [name, text] of Object.entries(loopManifests))
      this.#write(`loops/${name}.yaml`, text)
    this.#writeSite()
    this.#writeWeb()
    this.#writeQuota()
    const program = [...unprivileged(), ...ownProgram].map(shellWord).join(" ")
    this.#write("setpoint", `#!/bin/sh\nexec ${program} "$@"\n`)
    chmodSync(this.path("setpoint"), 0o755)
  }

  path(...names: readonly string[]): string {
    return join(this.folder, ...names)
  }

  get data(): string {
    return this.path(".setpoint")
  }

  get frontPort(): number {
    return frontPort(this)
  }

  get environment(): NodeJS.ProcessEnv {
    // The secret key goes into the demo's folder, not into the user's configuration.
    const own = { XDG_CONFIG_HOME: this.path("config"), [demoVariable]: this.folder }
    return { ...process.env, ...own }
  }

  page(number: number): string {
    return this.path("www", `${pageName(number)}.html`)
  }

  isAsDeclared(number: number): boolean {
    const path = this.page(number)
    const stat = statSync(path, { throwIfNoEntry: false })
    if (stat === undefined || (stat.mode & 0o7777) !== 0o644) return false
    return readFileSync(path, "utf8") === pageContent(number)
  }

  /** How many of the declared files are on the disk. */
  filesThere(): number {
    return this.#pagesIn("www")
  }

  /** How many the naive loop has left. */
  naiveFiles(): number {
    return this.#pagesIn("naive")
  }

  manifestsAway(): number {
    return readdirSync(this.path("away")).length
  }

  isReadable(): boolean {
    return (statSync(this.path("site")).mode & 0o500) === 0o500
  }

  isFlooded(): boolean {
    return readdirSync(this.path("more")).length === 0
  }

  /** The version of web that is declared: v1, v2 ... */
  webVersion(): number {
    const text = readFileSync(this.path("web", "set.yaml"), "utf8")
    return Number(/VERSION: v(\d+)/.exec(text)?.[1] ?? 0)
  }

  #pagesIn(folder: string): number {
    return readdirSync(this.path(folder)).filter((name) => name.endsWith(".html")).length
  }

  #writeSite(): void {
    for (let number = 1; number <= pageCount; number++) {
      const name = pageName(number)
      this.#write(`site/${name}.yaml`, pageManifest(number, this.page(number)))
    }
    this.#write("naive.mjs", naiveScript)
  }

  #writeWeb(): void {
    const { folder, port } = this
    const files = webManifests({ folder, port, node: scriptCommand() })
    for (const [name, text] of Object.entries(files)) this.#write(`web/${name}`, text)
    this.#write("server.mjs", serverScript)
  }

  #writeQuota(): void {
    for (const [name, text] of Object.entries(poolManifests())) this.#write(`quota/${name}`, text)
    for (let number = 1; number <= quotaCount + floodCount; number++) {
      const folder = number <= quotaCount ? "quota" : "more"
      this.#write(`${folder}/${workName(number)}.yaml`, workManifest(number))
    }
  }

  #write(name: string, text: string): void {
    writeFileSync(this.path(name), text)
  }
}
