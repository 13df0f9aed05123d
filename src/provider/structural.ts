// Says why a schema is not structural as apiextensions.k8s.io/v1 means it; an empty answer means
// that it is. It only judges: lowering (lower-schema.ts) is what makes schemas structural.

import { isArray, isObject, type Json, type JsonObject } from "../base/json.ts"

const types = new Set(["object", "array", "string", "integer", "number", "boolean"])
const forbidden = [
  "$ref",
  "$defs",
  "definitions",
  "dependencies",
  "patternProperties",
  "deprecated",
  "const",
  "additionalItems",
  "propertyNames",
  "if",
  "then",
  "else",
]
/** Inside allOf, anyOf, oneOf and not only conditions may stand; the shape stands outside. */
const shapeOnly = ["type", "default", "nullable", "additionalProperties", "description", "title"]
const depthMax = 64

/** One sentence per problem, each beginning with the path it is about. */
export function structuralProblems(schema: Json | undefined): readonly string[] {
  const problems: string[] = []
  if (!isObject(schema)) return ["the schema is not an object"]
  if (schema.type !== "object") problems.push(".: the root must have type object")
  if (schema.additionalProperties !== undefined) {
    problems.push(".: additionalProperties can't stand at the root")
  }
  checkShape(schema, "", 0, problems)
  return problems
}

function checkShape(node: JsonObject, path: string, depth: number, problems: string[]): void {
  const say = (text: string) => problems.push(`${path === "" ? "." : path}: ${text}`)
  if (depth > depthMax) return void say(`is nested more than ${depthMax} deep`)
  for (const word of forbidden) if (word in node) say(`uses ${word}`)
  if (node.uniqueItems === true) say("uses uniqueItems")
  checkType(node, say)
  if (node.properties !== undefined && node.additionalProperties !== undefined) {
    say("has both properties and additionalProperties")
  }
  if (node.additionalProperties === false) say("uses additionalProperties: false")
  checkLists(node, say)
  for (const [name, child] of members(node.properties)) {
    checkShape(child, `${path}.${name}`, depth + 1, problems)
  }
  if (isObject(node.items)) checkShape(node.items, `${path}[*]`, depth + 1, problems)
  if (isObject(node.additionalProperties)) {
    checkShape(node.additionalProperties, `${path}[*]`, depth + 1, problems)
  }
  for (const branch of branches(node)) checkConditions(branch, node, path, depth + 1, problems)
}

function checkType(node: JsonObject, say: (text: string) => void): void {
  const open =
    node["x-kubernetes-int-or-string"] === true ||
    node["x-kubernetes-preserve-unknown-fields"] === true
  if (node.type === undefined ? !open : typeof node.type !== "string" || !types.has(node.type)) {
    say("has no single type")
  }
  if (node.type === "array" && !isObject(node.items)) say("is a list without items")
}

function checkLists(node: JsonObject, say: (text: string) => void): void {
  const kind = node["x-kubernetes-list-type"]
  if (kind === undefined) return
  if (node.type !== "array") say("has a list type but is not a list")
  if (kind !== "map") return
  const keys = isArray(node["x-kubernetes-list-map-keys"]) ? node["x-kubernetes-list-map-keys"] : []
  if (keys.length === 0) say("is a list map without keys")
  const item = isObject(node.items) ? node.items : {}
  const required = isArray(item.required) ? item.required : []
  for (const key of keys) {
    const property = members(item.properties).find(([name]) => name === key)?.[1]
    if (property === undefined) say(`names the key ${String(key)}, which its items don't have`)
    else if (!required.includes(key) && property.default === undefined) {
      say(`has the key ${String(key)}, which is neither required nor has a default`)
    }
  }
}

function checkConditions(
  branch: JsonObject,
  shape: JsonObject,
  path: string,
  depth: number,
  problems: string[],
): void {
  if (depth > depthMax) return
  if (shape["x-kubernetes-int-or-string"] === true) return
  const extensions = Object.keys(branch).filter((word) => word.startsWith("x-kubernetes-"))
  for (const word of [...shapeOnly.filter((word) => word in branch), ...extensions]) {
    problems.push(`${path === "" ? "." : path}: ${word} can't stand inside a condition`)
  }
  const outside = new Map(members(shape.properties))
  for (const [name, child] of members(branch.properties)) {
    const known = outside.get(name)
    if (known === undefined) problems.push(`${path}.${name}: appears only inside a condition`)
    else checkConditions(child, known, `${path}.${name}`, depth + 1, problems)
  }
  for (const inner of branches(branch)) checkConditions(inner, shape, path, depth + 1, problems)
}

function branches(node: JsonObject): readonly JsonObject[] {
  const lists = [node.allOf, node.anyOf, node.oneOf].flatMap((list) => (isArray(list) ? list : []))
  return [...lists, node.not].filter(isObject)
}

function members(node: Json | undefined): readonly (readonly [string, JsonObject])[] {
  if (!isObject(node)) return []
  return Object.entries(node).flatMap(([name, child]) =>
    isObject(child) ? [[name, child] as const] : [],
  )
}
