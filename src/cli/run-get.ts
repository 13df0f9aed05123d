// Lists or fetches objects and prints them as the person asked; with --watch it goes on.

import { toPlainJson } from "../base/json.ts"
import type { ListOptions } from "../contract/client.ts"
import type { ApiObject } from "../object/object.ts"
import type { Cli } from "./command.ts"
import type { GetOptions } from "./commands/get.ts"
import { exitCode } from "./exit-codes.ts"
import { cliFault } from "./faults.ts"
import { documentText } from "./render/document.ts"
import { objectTable } from "./render/object-rows.ts"
import { alignRows, tableLines } from "./render/table.ts"
import {
  findKinds,
  findObjects,
  kindName,
  refOf,
  type ServedKindView,
  servedKinds,
} from "./resolve-kinds.ts"

interface Found {
  readonly kind: ServedKindView
  readonly objects: readonly ApiObject[]
  readonly resourceVersion: string
}

const pageSize = 500

export async function runGet(cli: Cli, words: readonly string[], options: GetOptions) {
  const kinds = await servedKinds(cli.connect())
  const [first = ""] = words
  const named = words.length > 1 || first.includes("/")
  const found = named
    ? await fetchNamed(cli, kinds, words)
    : await Promise.all(findKinds(kinds, first).map((kind) => listAll(cli, kind, options)))
  await print(cli, found, options, named)
  if (options.watch !== true) return exitCode.ok
  const [one] = found
  if (found.length !== 1 || one === undefined) {
    const hint = "name one kind"
    throw cliFault("SPT-CLI-002", { what: "--watch", why: "there are several kinds", hint })
  }
  return watchRows(cli, one, options, named)
}

async function fetchNamed(cli: Cli, kinds: readonly ServedKindView[], words: readonly string[]) {
  const client = cli.connect()
  const { namespace } = cli.options()
  const groups = new Map<ServedKindView, ApiObject[]>()
  for (const named of findObjects(kinds, words)) {
    const object = await client.get(refOf(named, namespace))
    if (object === undefined) {
      const { kind, name } = named
      throw cliFault("SPT-CLI-010", { kind: kindName(kind), name, namespace })
    }
    groups.set(named.kind, [...(groups.get(named.kind) ?? []), object])
  }
  return [...groups].map(
    ([kind, objects]): Found => ({
      kind,
      objects,
      resourceVersion: objects.at(-1)?.metadata.resourceVersion ?? "0",
    }),
  )
}

export async function listAll(
  cli: Cli,
  kind: ServedKindView,
  { selector, allNamespaces }: GetOptions,
): Promise<Found> {
  const scope = listScope(cli, kind, allNamespaces === true)
  const labels = selector === undefined ? {} : { labelSelector: selector }
  const objects: ApiObject[] = []
  let page: ListOptions = { ...scope, ...labels, limit: pageSize }
  for (;;) {
    const list = await cli.connect().list(kind, page)
    objects.push(...list.items)
    if (list.continue === undefined) return { kind, objects, resourceVersion: list.resourceVersion }
    page = { ...page, continue: list.continue }
  }
}

function listScope(cli: Cli, kind: ServedKindView, everywhere: boolean): ListOptions {
  return kind.namespaced && !everywhere ? { namespace: cli.options().namespace } : {}
}

async function print(cli: Cli, found: readonly Found[], options: GetOptions, named: boolean) {
  const { output, namespace } = cli.options()
  const { terminal } = cli
  const all = found.flatMap(({ objects }) => objects)
  if (output === "json" || output === "yaml") {
    const [only] = all
    const whole =
      named && only !== undefined && all.length === 1
        ? only
        : { apiVersion: "v1", kind: "List", metadata: {}, items: all }
    terminal.print((await documentText(toPlainJson(whole), output)).trimEnd())
    return
  }
  if (output === "name") {
    for (const { kind, objects } of found) {
      for (const { metadata } of objects) terminal.print(nameText(kind, metadata.name))
    }
    return
  }
  if (all.length === 0 && options.watch !== true) {
    const where = options.allNamespaces === true ? "" : ` in namespace ${namespace}`
    terminal.note(`none found${where}`)
    return
  }
  const full = found.filter(({ objects }) => objects.length > 0)
  for (const [index, { kind, objects }] of full.entries()) {
    if (index > 0) terminal.print("")
    const { head, rows } = objectTable(kind, objects, rowOptions(cli, options))
    const several = full.length > 1
    const shown = several ? rows.map((row) => withKind(row, kind, head)) : rows
    for (const line of tableLines(head, shown)) terminal.print(line)
  }
}

const nameText = (kind: ServedKindView, name: string): string =>
  `${kind.singular}${kind.group === "" ? "" : `.${kind.group}`}/${name}`

function withKind(row: readonly string[], kind: ServedKindView, head: readonly string[]): string[] {
  const at = head[0] === "Namespace" ? 1 : 0
  return row.map((cell, index) => (index === at ? `${kind.singular}/${cell}` : cell))
}

function rowOptions(cli: Cli, { allNamespaces }: GetOptions) {
  const wide = cli.options().output === "wide"
  return { wide, withNamespace: allNamespaces === true, now: Date.now() }
}

/** Until the person ends it. */
async function watchRows(cli: Cli, found: Found, options: GetOptions, named: boolean) {
  const { kind } = found
  const names = named ? new Set(found.objects.map(({ metadata }) => metadata.name)) : undefined
  const stop = new AbortController()
  process.once("SIGINT", () => stop.abort())
  const labels = options.selector === undefined ? {} : { labelSelector: options.selector }
  const scope = listScope(cli, kind, options.allNamespaces === true)
  const { resourceVersion } = found
  const request = { ...scope, ...labels, resourceVersion, signal: stop.signal }
  const { output } = cli.options()
  for await (const event of cli.connect().watch(kind, request)) {
    if (event.type === "BOOKMARK") continue
    const { object } = event
    if (names !== undefined && !names.has(object.metadata.name)) continue
    if (output === "json" || output === "yaml") {
      const text = await documentText(toPlainJson(object), output)
      cli.terminal.print(output === "yaml" ? `---\n${text.trimEnd()}` : text)
    } else if (output === "name") cli.terminal.print(nameText(kind, object.metadata.name))
    else {
      const { head, rows } = objectTable(kind, [object], rowOptions(cli, options))
      const gone = event.type === "DELETED" ? "deleted" : ""
      const [, line = ""] = alignRows([head, [...(rows[0] ?? []), gone]])
      cli.terminal.print(line)
    }
  }
  return exitCode.ok
}
