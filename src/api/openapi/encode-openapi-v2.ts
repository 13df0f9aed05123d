// OpenAPI 2 in the protobuf form that old clients ask for (gnostic's openapi.v2.Document). Parts
// of a document are encoded by themselves: joined, they are read as one.

import { isArray, isObject, type Json, type JsonObject } from "../../base/json.ts"
import { jsonText } from "../../base/json-text.ts"
import { WireWriter } from "../protobuf/wire-writer.ts"
import type { OpenApiV2Part } from "./openapi-v2.ts"

export function encodeHead(title: string, version: string): Uint8Array {
  return new WireWriter()
    .string(1, "2.0")
    .message(2, (info) => info.string(1, title).string(2, version))
    .finish()
}

export function encodePart({ paths, definitions }: OpenApiV2Part): Uint8Array {
  const writer = new WireWriter()
  if (Object.keys(paths).length > 0) {
    writer.message(8, (all) => named(all, 2, paths, writePath))
  }
  return writer.message(9, (all) => named(all, 1, definitions, writeSchema)).finish()
}

type Write = (message: WireWriter, value: JsonObject) => void

/** Map entries: a name and a value each. */
function named(writer: WireWriter, field: number, values: JsonObject, write: Write): void {
  for (const [name, value] of Object.entries(values)) {
    if (!isObject(value)) continue
    writer.message(field, (entry) => {
      entry.string(1, name).message(2, (inner) => write(inner, value))
    })
  }
}

/** JSON is YAML. */
const yaml = (writer: WireWriter, field: number, value: Json): void => {
  writer.message(field, (inner) => inner.string(2, jsonText(value)))
}

function extensions(writer: WireWriter, field: number, value: JsonObject): void {
  for (const [name, extension] of Object.entries(value)) {
    if (!name.startsWith("x-") || extension === undefined) continue
    writer.message(field, (entry) => {
      entry.string(1, name)
      yaml(entry, 2, extension)
    })
  }
}

const texts = (value: Json | undefined): string[] =>
  isArray(value) ? value.filter((one) => typeof one === "string") : []
const objects = (value: Json | undefined): JsonObject[] =>
  isArray(value) ? value.filter((one) => isObject(one)) : []

function string(writer: WireWriter, field: number, value: Json | undefined): void {
  if (typeof value === "string" && value !== "") writer.string(field, value)
}

const methods: readonly (readonly [number, string])[] = [
  [2, "get"],
  [3, "put"],
  [4, "post"],
  [5, "delete"],
  [8, "patch"],
]

function writePath(writer: WireWriter, path: JsonObject): void {
  for (const [field, method] of methods) {
    const operation = path[method]
    if (isObject(operation)) writer.message(field, (inner) => writeOperation(inner, operation))
  }
  for (const one of objects(path.parameters)) parameter(writer, 9, one)
}

function writeOperation(writer: WireWriter, operation: JsonObject): void {
  string(writer, 3, operation.description)
  string(writer, 5, operation.operationId)
  for (const type of texts(operation.produces)) writer.string(6, type)
  for (const type of texts(operation.consumes)) writer.string(7, type)
  for (const one of objects(operation.parameters)) parameter(writer, 8, one)
  const { responses } = operation
  if (isObject(responses)) {
    writer.message(9, (all) =>
      named(all, 1, responses, (value, response) => {
        value.message(1, (inner) => writeResponse(inner, response))
      }),
    )
  }
  extensions(writer, 13, operation)
}

function writeResponse(writer: WireWriter, { description, schema }: JsonObject): void {
  string(writer, 1, description)
  if (isObject(schema)) {
    writer.message(2, (item) => item.message(1, (inner) => writeSchema(inner, schema)))
  }
}

/** A parameter lies in the body, the query or the path, and has another message for each. */
function parameter(writer: WireWriter, field: number, one: JsonObject): void {
  const { schema } = one
  writer.message(field, (item) =>
    item.message(1, (either) => {
      if (isObject(schema)) {
        either.message(1, (body) => {
          string(body, 2, one.name)
          string(body, 3, one.in)
          if (one.required === true) body.bool(4, true)
          body.message(5, (inner) => writeSchema(inner, schema))
        })
        return
      }
      const [place, type] = one.in === "path" ? [4, 5] : [3, 6]
      either.message(2, (other) =>
        other.message(place, (plain) => {
          if (one.required === true) plain.bool(1, true)
          string(plain, 2, one.in)
          string(plain, 4, one.name)
          string(plain, type, one.type)
        }),
      )
    }),
  )
}

const numbers: readonly (readonly [number, string])[] = [
  [6, "multipleOf"],
  [7, "maximum"],
  [9, "minimum"],
]
const flags: readonly (readonly [number, string])[] = [
  [8, "exclusiveMaximum"],
  [10, "exclusiveMinimum"],
  [16, "uniqueItems"],
]
const counts: readonly (readonly [number, string])[] = [
  [11, "maxLength"],
  [12, "minLength"],
  [14, "maxItems"],
  [15, "minItems"],
  [17, "maxProperties"],
  [18, "minProperties"],
]

function writeSchema(writer: WireWriter, schema: JsonObject): void {
  string(writer, 1, schema.$ref)
  string(writer, 2, schema.format)
  string(writer, 3, schema.title)
  string(writer, 4, schema.description)
  if (schema.default !== undefined) yaml(writer, 5, schema.default)
  for (const [field, name] of numbers) {
    const value = schema[name]
    if (typeof value === "number" || typeof value === "bigint") writer.double(field, Number(value))
  }
  for (const [field, name] of flags) if (schema[name] === true) writer.bool(field, true)
  for (const [field, name] of counts) {
    const value = schema[name]
    if (typeof value === "bigint" || Number.isSafeInteger(value)) {
      writer.int(field, value as number | bigint)
    }
  }
  string(writer, 13, schema.pattern)
  for (const name of texts(schema.required)) writer.string(19, name)
  if (isArray(schema.enum)) for (const value of schema.enum) yaml(writer, 20, value)
  writeBelow(writer, schema)
  extensions(writer, 31, schema)
}

function writeBelow(writer: WireWriter, schema: JsonObject): void {
  const { additionalProperties, type, items, properties } = schema
  if (isObject(additionalProperties)) {
    writer.message(21, (item) => item.message(1, (one) => writeSchema(one, additionalProperties)))
  } else if (additionalProperties === true) {
    writer.message(21, (item) => item.bool(2, true))
  }
  if (typeof type === "string") writer.message(22, (item) => item.string(1, type))
  if (isObject(items)) {
    writer.message(23, (item) => item.message(1, (one) => writeSchema(one, items)))
  }
  if (isObject(properties)) {
    writer.message(25, (all) => named(all, 1, properties, writeSchema))
  }
}
