// Kubernetes' workload kinds (pods, deployments, services ...) as plain data: stored, listed,
// watched and patched like any object, and carried out by nobody here. Only for planes that ask for
// them; scripts/generate-workload-kinds.ts wrote the types.

import { isArray, isObject, type Json, type JsonObject } from "../../base/json.ts"
import type { ApiObject } from "../../object/object.ts"
import { defineBuiltIn } from "./define.ts"

interface WorkloadKind {
  readonly group: string
  readonly version: string
  readonly kind: string
  readonly plural: string
  readonly shortNames: readonly string[]
  readonly namespaced: boolean
  readonly all: boolean
  readonly status: boolean
  readonly scale: boolean
  readonly type: string
}

type Types = Readonly<Record<string, JsonObject>>

const depthMax = 40
const scalePaths = { specReplicasPath: ".spec.replicas", statusReplicasPath: ".status.replicas" }
const age = { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" }

export async function workloadDefinitions(): Promise<readonly ApiObject[]> {
  const { default: data } = await import("./data/workloads.json", { with: { type: "json" } })
  const types = data.types as Types
  return data.kinds.map((kind) => definitionOf(kind, types))
}

function definitionOf(kind: WorkloadKind, types: Types): ApiObject {
  const { group, version, plural, shortNames, namespaced, status, scale } = kind
  const definition = defineBuiltIn({
    ...{ group, version, kind: kind.kind, plural, shortNames, namespaced, status },
    categories: kind.all ? ["all"] : [],
    columns: [age],
    schema: rootOf(whole({ $ref: kind.type }, types, 0)),
    traits: { unconditionalUpdate: true, nullIsAbsent: true },
  })
  return scale ? withScale(definition) : definition
}

/** What every object has is not the kind's to say. */
function rootOf(schema: JsonObject): JsonObject {
  const { apiVersion: _v, kind: _k, metadata: _m, ...properties } = schema.properties as JsonObject
  const { required, ...rest } = schema
  const needed = isArray(required) ? required.filter((name) => name !== "metadata") : []
  return { ...rest, properties, ...(needed.length === 0 ? {} : { required: needed }) }
}

function withScale(definition: ApiObject): ApiObject {
  const spec = definition.spec ?? {}
  const versions = (isArray(spec.versions) ? spec.versions : []).filter((one) => isObject(one))
  const scaled = versions.map((version) => {
    const subresources = isObject(version.subresources) ? version.subresources : {}
    return { ...version, subresources: { ...subresources, scale: scalePaths } }
  })
  return { ...definition, spec: { ...spec, versions: scaled } }
}

/** An item without one of its keys could not be told from others. */
function withKeys(items: JsonObject | undefined, list: JsonObject): JsonObject | undefined {
  const keys = list["x-kubernetes-list-map-keys"]
  if (items === undefined || !isArray(keys)) return items
  const properties = isObject(items.properties) ? items.properties : {}
  const bare = keys.filter((key) => {
    const property = properties[String(key)]
    return isObject(property) && property.default === undefined
  })
  const known = isArray(items.required) ? items.required : []
  return { ...items, required: [...new Set([...known, ...bare])] }
}

/** The types that a schema refers to, put in; one that never ends holds anything at last. */
function whole(schema: JsonObject, types: Types, depth: number): JsonObject {
  if (depth > depthMax) return { type: "object", "x-kubernetes-preserve-unknown-fields": true }
  const { $ref, ...notes } = schema
  const base = typeof $ref === "string" ? { ...types[$ref], ...notes } : notes
  const below = (value: Json | undefined) =>
    isObject(value) ? whole(value, types, depth + 1) : undefined
  const { properties } = base as JsonObject
  const items = withKeys(below((base as JsonObject).items), base as JsonObject)
  const values = below((base as JsonObject).additionalProperties)
  return {
    ...base,
    ...(isObject(properties) && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, value]) => [name, below(value) ?? {}]),
      ),
    }),
    ...(items !== undefined && { items }),
    ...(values !== undefined && { additionalProperties: values }),
  }
}
