// The models of one served kind: the object and its list. A user's schema stays as it was declared,
// with the members that every object has beside it.

import { isArray, isObject, type JsonObject } from "../../base/json.ts"
import type { ServedResource } from "../served-resource.ts"
import { typeProperties } from "./meta-models.ts"
import { metaName, modelName } from "./model-names.ts"
import { listOf, mapBelow, model, reference } from "./schema-parts.ts"

const ofKind = ({ group, version }: ServedResource, kind: string): JsonObject => ({
  "x-kubernetes-group-version-kind": [{ group, version, kind }],
})

/** Name and model, the object's first. */
export function kindModels(resource: ServedResource): [string, JsonObject][] {
  const { kind, listKind, verbs } = resource
  const name = modelName(resource, kind)
  const models: [string, JsonObject][] = [[name, objectModel(resource)]]
  if (verbs.includes("list")) {
    models.push([modelName(resource, listKind), listModel(resource, name)])
  }
  return models
}

function objectModel(resource: ServedResource): JsonObject {
  const { openApiSchema, builtIn, kind, selectableFields } = resource
  const schema = builtIn ? asPublished(openApiSchema) : openApiSchema
  const properties = isObject(schema.properties) ? schema.properties : {}
  return {
    ...schema,
    type: "object",
    properties: {
      ...typeProperties,
      metadata: reference(metaName("ObjectMeta"), "Name, labels and what the server knows of it."),
      ...withoutType(properties),
    },
    ...(isArray(schema.required) ? { required: schema.required } : {}),
    ...ofKind(resource, kind),
    ...(selectableFields.length === 0
      ? {}
      : {
          "x-kubernetes-selectable-fields": selectableFields.map((path) => ({
            fieldPath: path.replace(/^\./, ""),
          })),
        }),
  }
}

/** Every object has these three in the same form, whatever its schema says of them. */
function withoutType(properties: JsonObject): JsonObject {
  const { apiVersion: _1, kind: _2, metadata: _3, ...rest } = properties
  return rest
}

/** As Kubernetes publishes its kinds: nothing is said of null, and lists say how patches merge. */
function asPublished(schema: JsonObject): JsonObject {
  const { nullable: _, ...rest } = mapBelow(schema, asPublished)
  return { ...patchMarks(schema), ...rest }
}

function patchMarks(schema: JsonObject): JsonObject {
  const type = schema["x-kubernetes-list-type"]
  const keys = schema["x-kubernetes-list-map-keys"]
  const merge = { "x-kubernetes-patch-strategy": "merge" }
  if (type === "set") return merge
  if (type !== "map" || !isArray(keys) || keys.length !== 1) return {}
  return { ...merge, "x-kubernetes-patch-merge-key": keys[0] }
}

function listModel(resource: ServedResource, itemName: string): JsonObject {
  return model(
    `A list of ${resource.kind}.`,
    {
      ...typeProperties,
      metadata: reference(metaName("ListMeta"), "What state it shows, and where it goes on."),
      items: listOf(reference(itemName), "The objects."),
    },
    { required: ["items"], ...ofKind(resource, resource.listKind) },
  )
}
