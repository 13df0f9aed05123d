// Judges whether a schema is structural in the sense of apiextensions.k8s.io/v1, and names every
// place where it is not. Never looks at values; defaults are judged once the schema compiles.

import { forbiddenKeys, isArray, isObject, type Json, type JsonObject } from "../base/json.ts"
import type { Issue, IssueCode } from "./issue.ts"
import { issuesMax } from "./issue.ts"
import { judgeJunctors } from "./structural-junctors.ts"
import {
  forbiddenKeywords,
  noteKeywords,
  shapeKeywords,
  valueKeywords,
} from "./structural-keywords.ts"

export const schemaDepthMax = 100
export const schemaNodesMax = 50_000

/** Collects what was found, within bounds. */
export class SchemaJudge {
  readonly issues: Issue[] = []
  #nodes = 0

  report(code: IssueCode, path: readonly string[], message: string): void {
    if (this.issues.length < issuesMax) this.issues.push({ code, path, message })
  }

  /** False when the schema is too large or too deep to go on. */
  enter(path: readonly string[], depth: number): boolean {
    this.#nodes++
    if (depth > schemaDepthMax) {
      this.report("TooMany", path, `must not nest deeper than ${schemaDepthMax} levels`)
    } else if (this.#nodes === schemaNodesMax + 1) {
      this.report("TooMany", path, `must not hold more than ${schemaNodesMax} nodes`)
    }
    return depth <= schemaDepthMax && this.#nodes <= schemaNodesMax
  }
}

export type Level = "root" | "value" | "member"

/** `whole` is true for the schema of an object with metadata, as in a definition. */
export function structuralIssues(schema: JsonObject, whole: boolean): readonly Issue[] {
  const judge = new SchemaJudge()
  judgeNode(judge, schema, [], whole ? "root" : "value", 0)
  return judge.issues
}

function judgeNode(
  judge: SchemaJudge,
  schema: JsonObject,
  path: readonly string[],
  level: Level,
  depth: number,
): void {
  if (!judge.enter(path, depth)) return
  if (!judgeKeywords(judge, schema, path)) return
  judgeType(judge, schema, path, level)
  judgeEmbedded(judge, schema, path)
  judgeListMarks(judge, schema, path)
  judgeJunctors(judge, schema, path, depth)
  if (level === "root") judgeRoot(judge, schema, path)
  const below = (value: Json | undefined, ...more: readonly string[]) => {
    if (isObject(value)) judgeNode(judge, value, [...path, ...more], "member", depth + 1)
    else if (value !== undefined)
      judge.report("TypeInvalid", [...path, ...more], "must be a schema")
  }
  for (const name of Object.keys(isObject(schema.properties) ? schema.properties : {})) {
    if (forbiddenKeys.has(name)) {
      judge.report("Forbidden", [...path, "properties", name], "can't be the name of a member")
    } else below((schema.properties as JsonObject)[name], "properties", name)
  }
  if (typeof schema.additionalProperties !== "boolean")
    below(schema.additionalProperties, "additionalProperties")
  below(schema.items, "items")
}

/** False when a keyword's own shape is wrong, so that nothing can be said about the node. */
function judgeKeywords(judge: SchemaJudge, schema: JsonObject, path: readonly string[]): boolean {
  let sound = true
  for (const keyword of Object.keys(schema)) {
    const value = schema[keyword]
    if (value === undefined || noteKeywords.has(keyword)) continue
    const at = [...path, keyword]
    const check = shapeKeywords.get(keyword) ?? valueKeywords.get(keyword)
    if (check === undefined) {
      if (forbiddenKeywords.has(keyword)) judge.report("Forbidden", at, "is not allowed here")
      else if (keyword === "uniqueItems") {
        if (value !== false)
          judge.report("Forbidden", at, 'use x-kubernetes-list-type "set" instead')
      } else if (!keyword.startsWith("x-")) judge.report("Unknown", at, "is not a known keyword")
      continue
    }
    const problem = check(value)
    if (problem === undefined) continue
    judge.report("Invalid", at, problem)
    sound = false
  }
  return sound
}

function judgeType(
  judge: SchemaJudge,
  schema: JsonObject,
  path: readonly string[],
  level: Level,
): void {
  const { type } = schema
  const intOrString = schema["x-kubernetes-int-or-string"] === true
  const preserve = schema["x-kubernetes-preserve-unknown-fields"] === true
  const at = [...path, "type"]
  if (level === "root" && type !== "object") {
    judge.report(type === undefined ? "Required" : "Invalid", at, "must be object at the root")
  } else if (type === undefined && !intOrString && !preserve) {
    judge.report("Required", at, "every node needs a type")
  }
  const others = ["x-kubernetes-preserve-unknown-fields", "x-kubernetes-embedded-resource"]
  for (const keyword of intOrString ? others : []) {
    if (schema[keyword] !== true) continue
    judge.report("Invalid", [...path, keyword], "excludes x-kubernetes-int-or-string")
  }
  const open = schema.additionalProperties !== undefined && schema.additionalProperties !== false
  if (schema.properties !== undefined && open) {
    const message = "properties and additionalProperties exclude each other"
    judge.report("Forbidden", [...path, "additionalProperties"], message)
  }
  const shaped: readonly [string, string][] = [
    ["properties", "object"],
    ["additionalProperties", "object"],
    ["items", "array"],
  ]
  for (const [keyword, wanted] of shaped) {
    if (schema[keyword] === undefined || type === wanted || type === undefined) continue
    judge.report("Forbidden", [...path, keyword], `needs type ${wanted}`)
  }
  if (type === "array" && schema.items === undefined) {
    judge.report("Required", [...path, "items"], "an array needs items")
  }
}

function judgeEmbedded(judge: SchemaJudge, schema: JsonObject, path: readonly string[]): void {
  if (schema["x-kubernetes-embedded-resource"] !== true) return
  if (schema.type !== "object") {
    judge.report("Invalid", [...path, "type"], "an embedded resource must be an object")
  }
  if (schema.additionalProperties !== undefined) {
    judge.report("Forbidden", [...path, "additionalProperties"], "not in an embedded resource")
  }
  const preserve = schema["x-kubernetes-preserve-unknown-fields"] === true
  if (!preserve && Object.keys(isObject(schema.properties) ? schema.properties : {}).length === 0) {
    const message = "an embedded resource needs properties or x-kubernetes-preserve-unknown-fields"
    judge.report("Required", [...path, "properties"], message)
  }
  judgeIdentity(judge, schema, path)
}

/** apiVersion, kind and metadata are what Kubernetes says they are. */
function judgeIdentity(judge: SchemaJudge, schema: JsonObject, path: readonly string[]): void {
  const properties = isObject(schema.properties) ? schema.properties : {}
  const types = { apiVersion: "string", kind: "string", metadata: "object" }
  for (const [name, type] of Object.entries(types)) {
    const member = properties[name]
    if (!isObject(member) || member.type === type || member.type === undefined) continue
    judge.report("Invalid", [...path, "properties", name, "type"], `must be ${type}`)
  }
}

function judgeRoot(judge: SchemaJudge, schema: JsonObject, path: readonly string[]): void {
  if (schema.additionalProperties !== undefined && schema.additionalProperties !== false) {
    const message = "is not allowed at the root"
    judge.report("Forbidden", [...path, "additionalProperties"], message)
  }
  if (schema.nullable === true) {
    judge.report("Forbidden", [...path, "nullable"], "the root can't be null")
  }
  judgeIdentity(judge, schema, path)
  const metadata = isObject(schema.properties) ? schema.properties.metadata : undefined
  if (!isObject(metadata)) return
  const at = [...path, "properties", "metadata"]
  for (const keyword of Object.keys(metadata)) {
    if (["type", "properties", "description", "required"].includes(keyword)) continue
    judge.report("Forbidden", [...at, keyword], "metadata may only restrict name and generateName")
  }
  for (const name of Object.keys(isObject(metadata.properties) ? metadata.properties : {})) {
    if (name === "name" || name === "generateName") continue
    const message = "metadata may only restrict name and generateName"
    judge.report("Forbidden", [...at, "properties", name], message)
  }
}

function judgeListMarks(judge: SchemaJudge, schema: JsonObject, path: readonly string[]): void {
  const listType = schema["x-kubernetes-list-type"]
  const keys = schema["x-kubernetes-list-map-keys"]
  const keysAt = [...path, "x-kubernetes-list-map-keys"]
  if (schema["x-kubernetes-map-type"] !== undefined && schema.type !== "object") {
    judge.report("Invalid", [...path, "x-kubernetes-map-type"], "needs type object")
  }
  if (listType !== undefined && schema.type !== "array") {
    judge.report("Invalid", [...path, "x-kubernetes-list-type"], "needs type array")
  }
  if (keys !== undefined && listType !== "map") {
    judge.report("Forbidden", keysAt, 'needs x-kubernetes-list-type "map"')
  }
  const items = schema.items
  if (!isObject(items)) return
  if (listType === "set") judgeSetItems(judge, items, [...path, "items"])
  if (listType !== "map") return
  if (items.type !== "object") {
    judge.report("Invalid", [...path, "items", "type"], "items of a map list must be objects")
  }
  if (!isArray(keys) || keys.length === 0) {
    judge.report("Required", keysAt, "a map list needs its keys")
    return
  }
  for (const key of keys) judgeMapKey(judge, items, String(key), [...path, "items"])
}

function judgeSetItems(judge: SchemaJudge, items: JsonObject, path: readonly string[]): void {
  if (items.nullable === true) {
    judge.report("Forbidden", [...path, "nullable"], "items of a set can't be null")
  }
  if (items.type === "object" && items["x-kubernetes-map-type"] !== "atomic") {
    judge.report("Invalid", [...path, "x-kubernetes-map-type"], "must be atomic in a set")
  }
  if (items.type === "array" && (items["x-kubernetes-list-type"] ?? "atomic") !== "atomic") {
    judge.report("Invalid", [...path, "x-kubernetes-list-type"], "must be atomic in a set")
  }
}

function judgeMapKey(
  judge: SchemaJudge,
  items: JsonObject,
  key: string,
  path: readonly string[],
): void {
  const properties = isObject(items.properties) ? items.properties : {}
  const schema = Object.hasOwn(properties, key) ? properties[key] : undefined
  const at = [...path, "properties", key]
  if (!isObject(schema)) {
    judge.report("Required", at, "a map key must be a member of items")
    return
  }
  if (schema.type === "object" || schema.type === "array") {
    judge.report("Invalid", [...at, "type"], "a map key must be a plain value")
  }
  if (schema.nullable === true) {
    judge.report("Forbidden", [...at, "nullable"], "a map key can't be null")
  }
  const required = isArray(items.required) && items.required.includes(key)
  if (!required && schema.default === undefined) {
    judge.report("Required", [...at, "default"], "a map key must be required or have a default")
  }
}
