// Differences between two declared states as text: one line per object, then its fields.

import { at, isArray, isObject, type Json, type JsonObject } from "../../base/json.ts"
import type { Terminal } from "../terminal.ts"
import { changeLines } from "./field-change.ts"
import { printable } from "./printable.ts"

type Paints = Pick<Terminal, "paint" | "columns">

const signs = { added: ["green", "+"], removed: ["red", "-"], changed: ["yellow", "~"] } as const

export function differenceLines(differences: Json | undefined, terminal: Paints): string[] {
  const all = isArray(differences) ? differences.filter(isObject) : []
  return all.flatMap((one) => objectLines(one, terminal))
}

function objectLines(one: JsonObject, terminal: Paints): string[] {
  const change = one.change === "added" || one.change === "removed" ? one.change : "changed"
  const [style, sign] = signs[change]
  const title = printable(`${String(one.kind)} ${String(one.name)}`)
  const head = `${terminal.paint(style, sign)} ${terminal.paint("bold", title)}`
  // What goes is told by its name; what comes and what changes is shown.
  if (change === "removed") return [head]
  const fields = isArray(one.fields) ? one.fields.filter(isObject) : []
  return [
    head,
    ...fields.flatMap(({ path, before, after }) =>
      changeLines(
        {
          path: String(path),
          ...(before === undefined ? {} : { before }),
          ...(after === undefined ? {} : { after }),
        },
        terminal,
      ),
    ),
  ]
}

/** "2 changed, 1 added, 12 removed" */
export function countsText(answer: Json): string {
  const parts = (["changed", "added", "removed"] as const).flatMap((name) => {
    const count = at(answer, "counts", name)
    return typeof count === "number" && count > 0 ? [`${count} ${name}`] : []
  })
  return parts.length === 0 ? "nothing differs" : parts.join(", ")
}
