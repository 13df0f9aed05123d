// Imports, and prints manifests or writes them into a folder. A file that is there and says the
// same stays as it is; one that says something else is kept unless --force is given. All or
// nothing.

import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join, relative, resolve } from "node:path"
import type { Json } from "../base/json.ts"
import { toPlainJson } from "../base/json.ts"
import type { Skipped } from "../contract/importer.ts"
import type { ApiObject } from "../object/object.ts"
import { importLocal, type KindImport } from "../plane/adapters/import-local.ts"
import type { Cli } from "./command.ts"
import { commandText } from "./command-text.ts"
import type { ImportOptions } from "./commands/import.ts"
import { exitCode } from "./exit-codes.ts"
import { cliFault } from "./faults.ts"
import { documentText, printDocument } from "./render/document.ts"
import { printable } from "./render/printable.ts"
import { applyLoops } from "./running/apply-loops.ts"

const skippedShown = 20

export async function runImport(
  cli: Cli,
  kinds: readonly string[],
  options: ImportOptions,
): Promise<number> {
  const { data, namespace } = cli.options()
  const dir = options.dir ?? options.observe
  if (options.observe !== undefined) cli.connect() // Without a plane nothing is written either.
  const stop = new AbortController()
  const scope = scopeOf(options.scope ?? [])
  const imports = await importLocal(
    { kinds, scope, signal: stop.signal },
    {
      directory: data,
      ...(options.root === undefined ? {} : { roots: options.root }),
      ...(options.provider === undefined ? {} : { providers: options.provider }),
    },
  )
  const placed = imports.map((one) => inNamespace(one, namespace))
  const skipped = placed.flatMap((one) => one.skipped)
  const objects = placed.flatMap((one) => one.objects)
  if (dir === undefined) {
    if (!(await printDocument(cli, { objects, skipped }))) {
      cli.terminal.print((await Promise.all(objects.map(manifestText))).join("---\n").trimEnd())
    }
    tell(cli, skipped)
    return exitCode.ok
  }
  const folder = resolve(dir)
  // Whoever asks for what not everyone may read gets manifests that nobody else may read either.
  const mode = scope.private === "include" ? { mode: 0o600 } : {}
  const written = await writeFolder(folder, placed, { ...mode, force: options.force === true })
  if (options.observe !== undefined) await observe(cli, folder, options.observe)
  if (await printDocument(cli, { dir: folder, objects: objects.length, written, skipped })) {
    return exitCode.ok
  }
  const { terminal } = cli
  terminal.print(`${objects.length} manifests in ${shown(folder)}, ${written} of them written`)
  tell(cli, skipped)
  if (options.observe === undefined) {
    terminal.print(`next: ${commandText(cli.options(), `plan ${shown(folder)}`)}`)
    return exitCode.ok
  }
  const { observe: loop } = options
  terminal.print(`loop ${namespace}.${loop} watches them and only reports what differs`)
  terminal.print(`next: ${commandText(cli.options(), "status")}`)
  return exitCode.ok
}

function scopeOf(given: readonly string[]): Record<string, string> {
  const scope: Record<string, string> = {}
  for (const text of given) {
    const at = text.indexOf("=")
    const [name, value] = [text.slice(0, at), text.slice(at + 1)]
    const wrong = at < 1 || value === "" ? "it is not NAME=VALUE" : undefined
    const twice = Object.hasOwn(scope, name) ? "it is given twice" : undefined
    const why = wrong ?? twice
    if (why !== undefined) {
      const hint = "write it like --scope path=/etc/app"
      throw cliFault("SPT-CLI-002", { what: `--scope ${text}`, why, hint })
    }
    scope[name] = value
  }
  return scope
}

/** The default namespace is not written down: manifests stay movable. */
function inNamespace(found: KindImport, namespace: string): KindImport {
  if (namespace === "default") return found
  const objects = found.objects.map(
    (object): ApiObject => ({ ...object, metadata: { ...object.metadata, namespace } }),
  )
  return { ...found, objects }
}

const manifestText = (object: ApiObject): Promise<string> =>
  documentText(toPlainJson(object as object) as Json, "yaml")

async function writeFolder(
  folder: string,
  imports: readonly KindImport[],
  { force, mode }: { readonly force: boolean; readonly mode?: number },
): Promise<number> {
  const files: { readonly path: string; readonly text: string }[] = []
  for (const { resource, objects } of imports) {
    for (const object of objects) {
      const path = join(folder, resource, `${object.metadata.name}.yaml`)
      files.push({ path, text: await manifestText(object) })
    }
  }
  const changed = files.filter(({ path, text }) => !existsSync(path) || readText(path) !== text)
  const [taken] = force ? [] : changed.filter(({ path }) => existsSync(path))
  if (taken !== undefined) {
    const hint = "look at it; --force writes over it, --dir names another folder"
    const why = "it exists and says something else"
    throw cliFault("SPT-CLI-002", { what: shown(taken.path), why, hint })
  }
  for (const { path } of files) {
    if (mode !== undefined && existsSync(path)) chmodSync(path, mode)
  }
  for (const { path, text } of changed) {
    mkdirSync(join(path, ".."), { recursive: true })
    writeFileSync(path, text, mode === undefined ? {} : { mode })
  }
  return changed.length
}

const readText = (path: string): string => readFileSync(path, "utf8")

async function observe(cli: Cli, path: string, name: string): Promise<void> {
  const { namespace } = cli.options()
  await applyLoops(cli.connect(), { path, loops: [] }, { namespace, name, mode: "Observe" })
}

function tell(cli: Cli, skipped: readonly Skipped[]): void {
  const { terminal } = cli
  for (const { what, why } of skipped.slice(0, skippedShown)) {
    terminal.note(printable(`left out ${what}: ${why}`))
  }
  const more = skipped.length - skippedShown
  if (more > 0) terminal.note(`left out ${more} more (--output json lists all)`)
}

const shown = (path: string): string => relative(process.cwd(), path) || "."
