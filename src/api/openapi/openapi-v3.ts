// One group and version as an OpenAPI 3 document, made kind by kind. Kinds stand as a list on
// schemas and as one object on operations: clients look for exactly that.

import type { Json, JsonObject } from "../../base/json.ts"
import { jsonText } from "../../base/json-text.ts"
import type { ServedResource } from "../served-resource.ts"
import { kindModels } from "./kind-models.ts"
import { sharedModels } from "./meta-models.ts"
import { modelsOf, type Operation, operationsOf, typeOfParameter } from "./operations.ts"
import { joinMembers, mapBelow, members, referencesIn } from "./schema-parts.ts"

/** What one kind adds: members of `paths` and of `components.schemas`, as text. */
export interface V3Piece {
  readonly paths: string
  readonly schemas: string
  /** Models that it speaks of. */
  readonly names: readonly string[]
}

export function v3Piece(resource: ServedResource): V3Piece {
  const operations = operationsOf(resource)
  const models = kindModels(resource)
  const names = new Set(modelsOf(operations))
  for (const [, model] of models) referencesIn(model, names)
  return { paths: members(pathsOf(operations)), schemas: schemasOf(models), names: [...names] }
}

export function v3Document(pieces: readonly V3Piece[], title: string, version: string): string {
  const head = jsonText({ openapi: "3.0.0", info: { title, version } }).slice(0, -1)
  const shared = schemasOf(sharedModels(pieces.flatMap(({ names }) => names)))
  const paths = joinMembers(pieces.map((one) => one.paths))
  const schemas = joinMembers([...pieces.map((one) => one.schemas), shared])
  return `${head},"paths":{${paths}},"components":{"schemas":{${schemas}}}}\n`
}

function schemasOf(models: Iterable<readonly [string, JsonObject]>): string {
  const named = [...models].map(([name, model]) => [name, schemaV3(model, referenceDepth)])
  return members(Object.fromEntries(named))
}

/** No schema refers to models from further down: a member, or the items of a member. */
const referenceDepth = 2

/** Beside a reference nothing else may stand, so that it goes into an allOf of one. */
function schemaV3(schema: JsonObject, depth: number): JsonObject {
  if (typeof schema.$ref !== "string") {
    return depth === 0 ? schema : mapBelow(schema, (one) => schemaV3(one, depth - 1))
  }
  const { $ref, ...rest } = schema
  const target = { $ref: `#/components/schemas/${$ref}` }
  return Object.keys(rest).length === 0 ? target : { allOf: [target], ...rest }
}

function pathsOf(operations: readonly Operation[]): JsonObject {
  const paths: Record<string, Record<string, Json>> = {}
  for (const one of operations) {
    paths[one.path] ??= inPath(one.path)
    const path = paths[one.path]
    if (path !== undefined) path[one.method] = operationOf(one)
  }
  return paths
}

function inPath(path: string): Record<string, Json> {
  const names = [...path.matchAll(/\{([a-z]+)\}/g)].map((match) => match[1] ?? "")
  if (names.length === 0) return {}
  const schema = { type: "string" }
  return { parameters: names.map((name) => ({ name, in: "path", required: true, schema })) }
}

function content(types: readonly string[], model: string): JsonObject {
  const schema = { $ref: `#/components/schemas/${model}` }
  return Object.fromEntries(types.map((type) => [type, { schema }]))
}

function operationOf(one: Operation): JsonObject {
  const done = (description: string) => ({
    description,
    content: content(["application/json"], one.result),
  })
  const parameters = one.query.map((name) => ({
    name,
    in: "query",
    schema: { type: typeOfParameter(name) },
  }))
  const required = one.method === "delete" ? {} : { required: true }
  const { body } = one
  return {
    operationId: one.id,
    description: one.description,
    parameters,
    ...(body === undefined
      ? {}
      : { requestBody: { content: content(body.types, body.model), ...required } }),
    responses: { 200: done("OK"), ...(one.creates ? { 201: done("Created") } : {}) },
    "x-kubernetes-action": one.action,
    "x-kubernetes-group-version-kind": one.kind,
  }
}
