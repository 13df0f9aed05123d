// One group and version as an OpenAPI 3 document. Kinds stand as a list on schemas and as one
// object on operations: clients look for exactly that.

import type { Json, JsonObject } from "../../base/json.ts"
import type { ServedResource } from "../served-resource.ts"
import { type GroupModels, groupModels } from "./group-models.ts"
import { booleanParameters, integerParameters, type Operation } from "./operations.ts"
import { mapBelow } from "./schema-parts.ts"

export function openApiV3(resources: readonly ServedResource[], version: string): JsonObject {
  const { models, operations } = groupModels(resources)
  const schemas = Object.fromEntries([...models].map(([name, schema]) => [name, schemaV3(schema)]))
  return {
    openapi: "3.0.0",
    info: { title: "Setpoint", version },
    paths: pathsOf(operations),
    components: { schemas },
  }
}

/** Beside a reference nothing else may stand, so that it goes into an allOf of one. */
function schemaV3(schema: JsonObject): JsonObject {
  if (typeof schema.$ref !== "string") return mapBelow(schema, schemaV3)
  const { $ref, ...rest } = schema
  const target = { $ref: `#/components/schemas/${$ref}` }
  return Object.keys(rest).length === 0 ? target : { allOf: [target], ...rest }
}

function pathsOf(operations: GroupModels["operations"]): JsonObject {
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

const content = (types: readonly string[], model: string): JsonObject => {
  const schema = { $ref: `#/components/schemas/${model}` }
  return Object.fromEntries(types.map((type) => [type, { schema }]))
}

const typeOf = (parameter: string): string =>
  integerParameters.has(parameter)
    ? "integer"
    : booleanParameters.has(parameter)
      ? "boolean"
      : "string"

function operationOf(one: Operation): JsonObject {
  const done = (description: string) => ({
    description,
    content: content(["application/json"], one.result),
  })
  return {
    operationId: one.id,
    description: one.description,
    parameters: one.query.map((name) => ({ name, in: "query", schema: { type: typeOf(name) } })),
    ...(one.body === undefined
      ? {}
      : {
          requestBody: {
            content: content(one.body.types, one.body.model),
            ...(one.method === "delete" ? {} : { required: true }),
          },
        }),
    responses: { 200: done("OK"), ...(one.creates ? { 201: done("Created") } : {}) },
    "x-kubernetes-action": one.action,
    "x-kubernetes-group-version-kind": one.kind,
  }
}
