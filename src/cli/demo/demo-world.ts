// The folder that the demo plays in: 100 manifests in site/, what they declare in www/, a script
// ./setpoint, and the plane's data directory. Everything lies in one temporary folder.

import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { extname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { shellWord } from "../command-text.ts"

export const pageCount = 100

/** Built or not, the program beside this file. */
const mainFile = `../main${extname(import.meta.url)}`

/** A unix socket's path is short everywhere; a deep temporary folder would not do. */
const pathMax = 70

export class DemoWorld {
  readonly folder: string

  constructor() {
    const temporary = realpathSync(tmpdir())
    const base = temporary.length > pathMax ? "/tmp" : temporary
    this.folder = mkdtempSync(join(base, "setpoint-demo-"))
    for (const name of ["site", "www", "away", "config"]) mkdirSync(join(this.folder, name))
    for (let number = 1; number <= pageCount; number++) this.#writeManifest(number)
    const main = fileURLToPath(new URL(mainFile, import.meta.url))
    const node = `${shellWord(process.execPath)} --disable-warning=ExperimentalWarning`
    const script = join(this.folder, "setpoint")
    writeFileSync(script, `#!/bin/sh\nexec ${node} ${shellWord(main)} "$@"\n`)
    chmodSync(script, 0o755)
  }

  get data(): string {
    return join(this.folder, ".setpoint")
  }

  get environment(): NodeJS.ProcessEnv {
    // The secret key goes into the demo's folder, not into the user's configuration.
    return { ...process.env, XDG_CONFIG_HOME: join(this.folder, "config") }
  }

  page(number: number): string {
    return join(this.folder, "www", `${pageName(number)}.html`)
  }

  isAsDeclared(number: number): boolean {
    const path = this.page(number)
    const stat = statSync(path, { throwIfNoEntry: false })
    if (stat === undefined || (stat.mode & 0o7777) !== 0o644) return false
    return readFileSync(path, "utf8") === contentOf(number)
  }

  /** How many of the declared files are on the disk. */
  filesThere(): number {
    return readdirSync(join(this.folder, "www")).filter((name) => name.endsWith(".html")).length
  }

  manifestsAway(): number {
    return readdirSync(join(this.folder, "away")).length
  }

  remove(): void {
    chmodSync(join(this.folder, "site"), 0o755)
    rmSync(this.folder, { recursive: true, force: true })
  }

  #writeManifest(number: number): void {
    const name = pageName(number)
    const manifest = [
      "apiVersion: host.setpoint.dev/v1",
      "kind: File",
      `metadata: { name: ${name} }`,
      "spec:",
      `  path: ${JSON.stringify(this.page(number))}`,
      '  mode: "0644"',
      `  content: ${JSON.stringify(contentOf(number))}`,
      "",
    ]
    writeFileSync(join(this.folder, "site", `${name}.yaml`), manifest.join("\n"))
  }
}

export function pageName(number: number): string {
  return `page-${String(number).padStart(3, "0")}`
}

export function pageKey(number: number): string {
  return `files.host.setpoint.dev/default/${pageName(number)}`
}

function contentOf(number: number): string {
  return `<h1>Page ${number}</h1>\n`
}
