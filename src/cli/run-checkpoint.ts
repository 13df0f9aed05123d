// Asking the plane about checkpoints and showing what it answers.

import { at, isArray, isObject, type Json } from "../base/json.ts"
import type { Cli } from "./command.ts"
import { commandText } from "./command-text.ts"
import type { ReasonOption } from "./commands/checkpoint.ts"
import { exitCode } from "./exit-codes.ts"
import { loopNamed } from "./loop-named.ts"
import { printData } from "./print-data.ts"
import { countsText, differenceLines } from "./render/difference-lines.ts"
import { printable } from "./render/printable.ts"
import { tableLines } from "./render/table.ts"

const base = "/setpoint/v1/checkpoints"
const named = (loop: string, name: string) =>
  `${base}/${encodeURIComponent(loop)}/${encodeURIComponent(name)}`
const text = (value: Json | undefined): string => (value === undefined ? "" : String(value))

export async function create(cli: Cli, id: string, name: string, { reason = "" }: ReasonOption) {
  const loop = loopNamed(id, cli.options())
  const answer = await cli.connect().call("POST", base, { loop, name, reason })
  if (await printData(cli, answer)) return exitCode.ok
  const of = at(answer, "revision")
  const revision = of === undefined ? "" : `, source revision ${text(of).slice(0, 12)}`
  cli.terminal.print(`pinned ${text(at(answer, "count"))} objects as ${name}${revision}`)
  const how = commandText(cli.options(), `rollback ${id} --to ${name}`)
  cli.terminal.print(`to return to it: ${how}`)
  return exitCode.ok
}

export async function list(cli: Cli, id: string | undefined): Promise<number> {
  const loop = id === undefined ? undefined : loopNamed(id, cli.options())
  const query = loop === undefined ? "" : `?loop=${encodeURIComponent(loop)}`
  const answer = await cli.connect().call("GET", `${base}${query}`)
  if (await printData(cli, answer)) return exitCode.ok
  const all = at(answer, "checkpoints")
  const rows = (isArray(all) ? all : []).map((one) => [
    text(at(one, "loop")),
    text(at(one, "name")),
    text(at(one, "count")),
    text(at(one, "revision")).slice(0, 12),
    text(at(one, "created")),
    at(one, "automatic") === true ? "the engine" : text(at(one, "by")),
    text(at(one, "reason")),
  ])
  if (rows.length === 0) {
    cli.terminal.note("no checkpoints; the first is kept when a loop has converged")
    return exitCode.ok
  }
  const head = ["Loop", "Name", "Objects", "Revision", "Created", "By", "Reason"]
  for (const line of tableLines(head, rows)) cli.terminal.print(line)
  return exitCode.ok
}

export async function show(cli: Cli, id: string, name: string, options: { readonly page: string }) {
  const loop = loopNamed(id, cli.options())
  const page = Math.max(0, (Number(options.page) || 1) - 1)
  const answer = await cli.connect().call("GET", `${named(loop, name)}?page=${page}`)
  if (await printData(cli, answer)) return exitCode.ok
  const { terminal } = cli
  const by = at(answer, "automatic") === true ? "the engine" : text(at(answer, "by"))
  terminal.print(`${loop} ${name}: ${text(at(answer, "count"))} objects, kept by ${by}`)
  const objects = at(answer, "objects")
  const rows = (isArray(objects) ? objects : []).map((one) => {
    const key = text(at(one, "object"))
    return [
      text(at(one, "kind")),
      key.slice(key.lastIndexOf("/") + 1),
      text(at(one, "hash")).slice(0, 12),
    ]
  })
  for (const line of tableLines(["Kind", "Name", "Hash"], rows)) terminal.print(line)
  const pages = Number(at(answer, "pages"))
  if (pages > page + 1) terminal.note(`page ${page + 1} of ${pages}; --page shows the others`)
  return exitCode.ok
}

export async function diff(cli: Cli, id: string, a: string, b: string): Promise<number> {
  const loop = loopNamed(id, cli.options())
  const path = `${named(loop, a)}/diff?to=${encodeURIComponent(b)}`
  const answer = await cli.connect().call("GET", path)
  const found = at(answer, "differences")
  const different = isArray(found) && found.length > 0 ? exitCode.differences : exitCode.ok
  if (await printData(cli, answer)) return different
  const { terminal } = cli
  for (const line of differenceLines(found, terminal)) terminal.print(line)
  terminal.print(printable(`${a} -> ${b}: ${countsText(answer)}`))
  if (isObject(answer) && Number(answer.pages) > 1) terminal.note("the first 500 objects are shown")
  return different
}

export async function remove(cli: Cli, id: string, name: string, { reason = "" }: ReasonOption) {
  const loop = loopNamed(id, cli.options())
  const answer = await cli.connect().call("POST", `${named(loop, name)}/delete`, { reason })
  if (await printData(cli, answer)) return exitCode.ok
  cli.terminal.print(`forgot checkpoint ${name} of ${loop}`)
  return exitCode.ok
}
