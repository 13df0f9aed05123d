// What a table is made of: columns, and a function from an object to its cells.

import type { Json } from "../../base/json.ts"
import type { ApiObject } from "../../object/object.ts"
import { humanDuration } from "./human-duration.ts"

export interface Column {
  readonly name: string
  readonly type: string
  readonly format: string
  readonly description: string
  readonly priority: number
}

export interface TableMaker {
  readonly columns: readonly Column[]
  cells(object: ApiObject, now: number): Json[]
}

export const nameColumn: Column = {
  name: "Name",
  type: "string",
  format: "name",
  description: "Name must be unique within a namespace.",
  priority: 0,
}

/** The bookmark of a watch is an object without a name. */
export const nameCell = ({ metadata }: ApiObject): string => metadata.name ?? ""

/** "5m" since that time, as Kubernetes prints ages. */
export function ageText(timestamp: string | undefined, now: number): string {
  const since = Date.parse(timestamp ?? "")
  return Number.isNaN(since) ? "<unknown>" : humanDuration(now - since)
}
