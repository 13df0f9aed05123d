// What a version of a definition says besides its schema: scale paths, printed columns, fields to
// select by, and how it is deprecated.

import { at, isObject, type Json, type JsonObject } from "../../base/json.ts"
import { fieldPathOf } from "../../schema/rule-path.ts"
import { nodeAt, parseNode, type SchemaNode } from "../../schema/schema-node.ts"
import { objectsAt, type Refuse, textAt } from "./definition-parts.ts"

const columnTypes = ["boolean", "date", "integer", "number", "string"]
const columnFormats = [
  ..."bool byte date date-time double duration float int32 int64 password string".split(" "),
]
const selectableMax = 8

export function checkVersionParts(version: JsonObject, field: string, refuse: Refuse): void {
  checkDeprecation(version, field, refuse)
  checkScale(at(version, "subresources", "scale"), `${field}.subresources`, refuse)
  for (const [index, column] of objectsAt(version, "additionalPrinterColumns").entries()) {
    checkColumn(column, `${field}.additionalPrinterColumns[${index}]`, refuse)
  }
  checkSelectable(version, field, refuse)
}

function checkDeprecation(version: JsonObject, field: string, refuse: Refuse): void {
  const warning = version.deprecationWarning
  if (typeof warning !== "string") return
  const say = (says: string) =>
    refuse(`${field}.deprecationWarning`, `Invalid value: ${JSON.stringify(warning)}: ${says}`)
  if (version.deprecated !== true) {
    say("can only be set for deprecated versions")
    return
  }
  if (warning.length > 256) say("must be <= 256 characters long")
  if (warning === "") say("must not be an empty string")
  const place = [...warning].findIndex((point) => /\p{C}|\p{Zl}|\p{Zp}/u.test(point))
  if (place >= 0) {
    const found = `non-printable character found at index ${place}`
    say(`must only contain printable UTF-8 characters; ${found}`)
  }
}

function checkScale(scale: Json | undefined, field: string, refuse: Refuse): void {
  if (!isObject(scale)) return
  const paths: readonly [string, readonly string[], string][] = [
    ["specReplicasPath", [".spec."], ".spec"],
    ["statusReplicasPath", [".status."], ".status"],
    ["labelSelectorPath", [".spec.", ".status."], "either .spec or .status"],
  ]
  for (const [name, roots, said] of paths) {
    const path = textAt(scale, name)
    const where = `${field}.scale.${name}`
    if (path === "") {
      if (name !== "labelSelectorPath") refuse(where, "Required value", "FieldValueRequired")
    } else if (!path.startsWith(".")) {
      const says = "must be a simple json path starting with ."
      refuse(where, `Invalid value: ${JSON.stringify(path)}: ${says}`)
    } else if (!roots.some((root) => path.startsWith(root))) {
      const says = `should be a json path under ${said}`
      refuse(where, `Invalid value: ${JSON.stringify(path)}: ${says}`)
    }
  }
}

function checkColumn(column: JsonObject, field: string, refuse: Refuse): void {
  const required = (name: string, says = "") =>
    refuse(`${field}.${name}`, `Required value${says}`, "FieldValueRequired")
  if (textAt(column, "name") === "") required("name")
  const type = textAt(column, "type")
  const types = `must be one of ${columnTypes.join(",")}`
  if (type === "") required("type", `: ${types}`)
  else if (!columnTypes.includes(type)) {
    refuse(`${field}.type`, `Invalid value: ${JSON.stringify(type)}: ${types}`)
  }
  const format = textAt(column, "format")
  if (format !== "" && !columnFormats.includes(format)) {
    const formats = `must be one of ${columnFormats.join(",")}`
    refuse(`${field}.format`, `Invalid value: ${JSON.stringify(format)}: ${formats}`)
  }
  const path = textAt(column, "jsonPath")
  if (path === "") required("JSONPath")
  else if (!path.startsWith(".")) {
    const says = "must be a simple json path starting with ."
    refuse(`${field}.JSONPath`, `Invalid value: ${JSON.stringify(path)}: ${says}`)
  }
}

function checkSelectable(version: JsonObject, field: string, refuse: Refuse): void {
  const fields = objectsAt(version, "selectableFields")
  const schema = at(version, "schema", "openAPIV3Schema")
  if (fields.length === 0 || !isObject(schema)) return
  const node = parseNode(schema)
  const seen = new Set<string>()
  for (const [index, one] of fields.entries()) {
    const path = textAt(one, "jsonPath")
    const where = `${field}.selectableFields[${index}].jsonPath`
    const problem = selectableProblem(path, node)
    if (path === "") refuse(where, "Required value", "FieldValueRequired")
    else if (problem !== undefined) {
      refuse(where, `Invalid value: ${JSON.stringify(path)}: ${problem}`)
    } else if (seen.has(path)) {
      refuse(where, `Duplicate value: ${JSON.stringify(path)}`, "FieldValueDuplicate")
    }
    seen.add(path)
  }
  if (seen.size > selectableMax) {
    const says = `Too many: ${seen.size}: must have at most ${selectableMax} items`
    refuse(`${field}.selectableFields`, says, "FieldValueTooMany")
  }
}

function selectableProblem(path: string, root: SchemaNode): string | undefined {
  const names = fieldPathOf(path, root)
  if (names === undefined) return "is an invalid path: does not refer to a valid field"
  if (names[0] === "metadata") return "must not point to fields in metadata"
  const { type } = nodeAt(root, ...names.map(String))
  if (type === "string" || type === "boolean" || type === "integer") return undefined
  return (
    "must point to a field of type string, boolean or integer. " +
    "Enum string fields and strings with formats are allowed."
  )
}
