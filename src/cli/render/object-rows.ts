// Objects as rows: the name, then the columns that their definition asks for, then the age.

import { isArray, isObject, type Json } from "../../base/json.ts"
import { jsonText } from "../../base/json-text.ts"
import type { ApiObject } from "../../object/object.ts"
import type { ServedKindView } from "../resolve-kinds.ts"
import { ageText } from "./age.ts"
import { jsonPath } from "./json-path.ts"
import { shorten } from "./printable.ts"

export interface RowOptions {
  readonly wide: boolean
  readonly withNamespace: boolean
  readonly now: number
}

interface Column {
  readonly name: string
  readonly type: string
  readonly path: string
}

const cellMax = 80

export function objectTable(
  kind: ServedKindView,
  objects: readonly ApiObject[],
  options: RowOptions,
): { readonly head: string[]; readonly rows: string[][] } {
  const columns = columnsOf(kind, options.wide)
  const first = options.withNamespace && kind.namespaced ? ["Namespace", "Name"] : ["Name"]
  const rows = objects.map((object) => {
    const { namespace = "", name } = object.metadata
    const cells = columns.map((column) => cellText(object, column, options))
    return [...(first.length === 2 ? [namespace] : []), name, ...cells]
  })
  return { head: [...first, ...columns.map((column) => column.name)], rows }
}

function columnsOf(kind: ServedKindView, wide: boolean): Column[] {
  const own = kind.columns
    .filter((column) => wide || Number(column.priority ?? 0) === 0)
    .map((column) => ({
      name: String(column.name),
      type: String(column.type ?? "string"),
      path: String(column.jsonPath ?? ""),
    }))
  if (own.some((column) => column.name.toLowerCase() === "age")) return own
  return [...own, { name: "Age", type: "date", path: ".metadata.creationTimestamp" }]
}

function cellText(object: ApiObject, column: Column, options: RowOptions): string {
  const value = jsonPath(object as object as Json, column.path)
  if (value === undefined || value === null) return ""
  if (column.type === "date") return ageText(String(value), options.now)
  const text = isObject(value) || isArray(value) ? jsonText(value) : String(value)
  return options.wide ? text : shorten(text, cellMax)
}
