// The parts of an OpenAPI 2 document: paths and definitions of one kind, and the definitions that
// all share. Put one after the other they are the whole document.

import type { Json, JsonObject } from "../../base/json.ts"
import type { ServedResource } from "../served-resource.ts"
import { kindModels } from "./kind-models.ts"
import { lowerModel } from "./lower-schema.ts"
import { metaModels } from "./meta-models.ts"
import { type Operation, operationsOf, typeOfParameter } from "./operations.ts"

export interface OpenApiV2Part {
  readonly paths: JsonObject
  readonly definitions: JsonObject
}

export function openApiV2Part(resource: ServedResource): OpenApiV2Part {
  const paths: Record<string, Record<string, Json>> = {}
  for (const one of operationsOf(resource)) {
    paths[one.path] ??= inPath(one.path)
    const path = paths[one.path]
    if (path !== undefined) path[one.method] = operationOf(one)
  }
  return { paths, definitions: lowered(kindModels(resource)) }
}

export function sharedV2Part(): OpenApiV2Part {
  return { paths: {}, definitions: lowered(metaModels) }
}

function lowered(models: Iterable<readonly [string, JsonObject]>): JsonObject {
  return Object.fromEntries([...models].map(([name, model]) => [name, lowerModel(model)]))
}

function inPath(path: string): Record<string, Json> {
  const names = [...path.matchAll(/\{([a-z]+)\}/g)].map((match) => match[1] ?? "")
  if (names.length === 0) return {}
  return { parameters: names.map((name) => ({ name, in: "path", required: true, type: "string" })) }
}

const definition = (name: string): JsonObject => ({ $ref: `#/definitions/${name}` })

function operationOf(one: Operation): JsonObject {
  const done = (description: string) => ({ description, schema: definition(one.result) })
  const query = one.query.map((name) => ({ name, in: "query", type: typeOfParameter(name) }))
  const { body } = one
  const inBody = {
    name: "body",
    in: "body",
    ...(one.method === "delete" ? {} : { required: true }),
  }
  return {
    operationId: one.id,
    description: one.description,
    ...(body === undefined ? {} : { consumes: body.types }),
    produces: ["application/json"],
    parameters:
      body === undefined ? query : [{ ...inBody, schema: definition(body.model) }, ...query],
    responses: { 200: done("OK"), ...(one.creates ? { 201: done("Created") } : {}) },
    "x-kubernetes-action": one.action,
    "x-kubernetes-group-version-kind": one.kind,
  }
}
