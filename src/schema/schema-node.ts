// The parsed form of a structural schema: what validation, pruning, defaulting, diff and merge all
// walk. Parsing trusts its input: structural-rules.ts has judged it before.

import { isArray, isObject, type Json, type JsonObject } from "../base/json.ts"

export type SchemaType = "object" | "array" | "string" | "integer" | "number" | "boolean"
export type ListType = "atomic" | "set" | "map"

export interface SchemaNode {
  readonly type?: SchemaType
  readonly intOrString: boolean
  readonly nullable: boolean
  readonly properties: ReadonlyMap<string, SchemaNode>
  readonly required: readonly string[]
  /** What members not in `properties` look like; undefined when there may be none. */
  readonly additional?: SchemaNode
  readonly items?: SchemaNode
  readonly default?: Json
  /** Unknown members are kept instead of pruned. */
  readonly preserveUnknown: boolean
  /** A whole object: carries apiVersion, kind and metadata. The root of a definition is one too. */
  readonly embeddedResource: boolean
  readonly listType: ListType
  readonly listMapKeys: readonly string[]
  readonly mapType: "granular" | "atomic"
  readonly secret: boolean
  /** x-kubernetes-validations, as written. */
  readonly rules: readonly JsonObject[]
  readonly description?: string
  readonly allOf: readonly SchemaNode[]
  readonly anyOf: readonly SchemaNode[]
  readonly oneOf: readonly SchemaNode[]
  readonly not?: SchemaNode
  /** The keywords as written; the value checks (enum, pattern, maximum ...) are read from here. */
  readonly source: JsonObject
}

const noNodes: readonly SchemaNode[] = []
const noProperties: ReadonlyMap<string, SchemaNode> = new Map()

/** Where no schema says anything: maps merge member by member, lists as a whole. */
export const untypedNode: SchemaNode = {
  intOrString: false,
  nullable: true,
  properties: noProperties,
  required: [],
  preserveUnknown: true,
  embeddedResource: false,
  listType: "atomic",
  listMapKeys: [],
  mapType: "granular",
  secret: false,
  rules: [],
  allOf: noNodes,
  anyOf: noNodes,
  oneOf: noNodes,
  source: {},
}

/** The node of a member, also of an undeclared one. */
export function memberNode(node: SchemaNode, name: string): SchemaNode {
  return node.properties.get(name) ?? node.additional ?? untypedNode
}

/** The node at a path of member names: `nodeAt(schema.node, "spec")`. */
export function nodeAt(node: SchemaNode, ...names: readonly string[]): SchemaNode {
  return names.reduce(memberNode, node)
}

export function parseNode(schema: JsonObject): SchemaNode {
  const additional = schema.additionalProperties
  return {
    ...(typeof schema.type === "string" ? { type: schema.type as SchemaType } : {}),
    intOrString: schema["x-kubernetes-int-or-string"] === true,
    nullable: schema.nullable === true,
    properties: parseProperties(schema.properties),
    required: isArray(schema.required) ? (schema.required as readonly string[]) : [],
    ...(additional === true ? { additional: untypedNode } : {}),
    ...(isObject(additional) ? { additional: parseNode(additional) } : {}),
    ...(isObject(schema.items) ? { items: parseNode(schema.items) } : {}),
    ...defaultOf(schema),
    preserveUnknown: schema["x-kubernetes-preserve-unknown-fields"] === true,
    embeddedResource: schema["x-kubernetes-embedded-resource"] === true,
    listType: (schema["x-kubernetes-list-type"] ?? "atomic") as ListType,
    listMapKeys: (schema["x-kubernetes-list-map-keys"] ?? []) as readonly string[],
    mapType: schema["x-kubernetes-map-type"] === "atomic" ? "atomic" : "granular",
    secret: schema["x-setpoint-secret"] === true,
    rules: (schema["x-kubernetes-validations"] ?? []) as readonly JsonObject[],
    ...(typeof schema.description === "string" ? { description: schema.description } : {}),
    allOf: parseNodes(schema.allOf),
    anyOf: parseNodes(schema.anyOf),
    oneOf: parseNodes(schema.oneOf),
    ...(isObject(schema.not) ? { not: parseNode(schema.not) } : {}),
    source: schema,
  }
}

/** Null where nothing can be null says nothing, as in Kubernetes. */
function defaultOf(schema: JsonObject): { default?: Json } {
  const { default: value, nullable } = schema
  if (value === undefined || (value === null && nullable !== true)) return {}
  return { default: value }
}

function parseProperties(properties: Json | undefined): ReadonlyMap<string, SchemaNode> {
  if (!isObject(properties)) return noProperties
  const nodes = new Map<string, SchemaNode>()
  for (const [name, schema] of Object.entries(properties)) {
    if (isObject(schema)) nodes.set(name, parseNode(schema))
  }
  return nodes
}

function parseNodes(schemas: Json | undefined): readonly SchemaNode[] {
  return isArray(schemas) ? schemas.filter(isObject).map(parseNode) : noNodes
}

/** Every node of the tree that describes a value, with its place in the schema text. */
export function* walkNodes(
  node: SchemaNode,
  path: readonly string[] = [],
): Generator<{ readonly node: SchemaNode; readonly path: readonly string[] }> {
  yield { node, path }
  for (const [name, member] of node.properties) {
    yield* walkNodes(member, [...path, "properties", name])
  }
  if (node.additional !== undefined && node.additional !== untypedNode) {
    yield* walkNodes(node.additional, [...path, "additionalProperties"])
  }
  if (node.items !== undefined) yield* walkNodes(node.items, [...path, "items"])
}
