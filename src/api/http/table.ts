// Objects as rows, for `kubectl get`: the columns that the kind declares, cells as kubectl's own
// printer would show them. The built-in kinds of Kubernetes have the columns that people know.

import { isArray, isObject, type Json, type JsonObject } from "../../base/json.ts"
import { jsonText } from "../../base/json-text.ts"
import { compileJsonPath, type JsonPath } from "../../object/json-path.ts"
import type { ApiObject } from "../../object/object.ts"
import type { ServedResource } from "../served-resource.ts"
import { builtInTables } from "./built-in-tables.ts"
import { ageText, type Column, nameCell, nameColumn, type TableMaker } from "./table-column.ts"

const made = new WeakMap<ServedResource, TableMaker>()

/** Compiled once for each served version. */
export function tableOf(resource: ServedResource): TableMaker {
  const known = made.get(resource)
  if (known !== undefined) return known
  const table = builtInTables.get(resource.definition) ?? declaredTable(columnsOf(resource))
  made.set(resource, table)
  return table
}

const age: JsonObject = { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" }

/** What users declare is shown as it is; our own kinds always tell their age. */
function columnsOf({ columns, builtIn }: ServedResource): readonly JsonObject[] {
  const hasAge = columns.some(({ type }) => type === "date")
  return builtIn && !hasAge ? [...columns, age] : columns
}

interface DeclaredColumn {
  readonly column: Column
  readonly path: JsonPath | undefined
}

function declaredTable(declared: readonly JsonObject[]): TableMaker {
  const columns = (declared.length === 0 ? [age] : declared).map(readColumn)
  return {
    columns: [nameColumn, ...columns.map(({ column }) => column)],
    cells: (object, now) => [
      nameCell(object),
      ...columns.map(({ column, path }) => cellOf(column, path?.find(object as Json) ?? [], now)),
    ],
  }
}

function readColumn(declared: JsonObject): DeclaredColumn {
  const text = (value: Json | undefined) => (typeof value === "string" ? value : "")
  const { priority } = declared
  const column = {
    name: text(declared.name),
    type: text(declared.type),
    format: text(declared.format),
    description: text(declared.description),
    priority: typeof priority === "number" ? priority : 0,
  }
  return { column, path: compileJsonPath(text(declared.jsonPath)) }
}

/** Null when the path finds nothing, or something of another type. */
function cellOf({ type }: Column, found: readonly Json[], now: number): Json {
  const [first] = found
  if (first === undefined || first === null) return null
  if (type === "string") return found.map(cellText).join(",")
  if (type === "date") return typeof first === "string" ? ageText(first, now) : null
  if (type === "integer") return typeof first === "number" ? Math.trunc(first) : null
  if (type === "number") return typeof first === "number" ? first : null
  if (type === "boolean") return typeof first === "boolean" ? first : null
  return null
}

function cellText(value: Json): string {
  if (typeof value === "string") return value
  return isObject(value) || isArray(value) ? jsonText(value) : String(value)
}

export interface TableRequest {
  readonly version: "v1" | "v1beta1"
  readonly includeObject: "None" | "Metadata" | "Object"
  /** Events of a watch after the first carry no columns. */
  readonly noColumns?: boolean
  readonly now: number
}

export function tableBody(
  resource: ServedResource,
  objects: readonly ApiObject[],
  metadata: JsonObject,
  request: TableRequest,
): object {
  const table = tableOf(resource)
  return {
    kind: "Table",
    apiVersion: `meta.k8s.io/${request.version}`,
    metadata,
    columnDefinitions: request.noColumns === true ? null : table.columns,
    rows: objects.map((object) => ({
      cells: table.cells(object, request.now),
      object: rowObject(object, request),
    })),
  }
}

function rowObject(object: ApiObject, { includeObject, version }: TableRequest): object | null {
  if (includeObject === "None") return null
  return includeObject === "Object" ? object : metadataOnly(object, version)
}

/** The object's metadata, and nothing else of it. */
export function metadataOnly(object: ApiObject, version: string): object {
  return {
    kind: "PartialObjectMetadata",
    apiVersion: `meta.k8s.io/${version}`,
    metadata: object.metadata,
  }
}
