// The part of every object's schema that Kubernetes itself defines. Definitions never repeat it;
// it is joined to their root and to embedded resources.

import type { JsonObject } from "../base/json.ts"
import { parseNode, type SchemaNode } from "./schema-node.ts"

const text: JsonObject = { type: "string" }
const textMap: JsonObject = { type: "object", additionalProperties: text, nullable: true }
const instant: JsonObject = { type: "string", format: "date-time", nullable: true }
const count: JsonObject = { type: "integer", format: "int64", nullable: true }

const ownerReference: JsonObject = {
  type: "object",
  "x-kubernetes-map-type": "atomic",
  required: ["apiVersion", "kind", "name", "uid"],
  properties: {
    apiVersion: text,
    kind: text,
    name: text,
    uid: text,
    controller: { type: "boolean" },
    blockOwnerDeletion: { type: "boolean" },
  },
}

const managedFieldsEntry: JsonObject = {
  type: "object",
  properties: {
    manager: text,
    operation: text,
    apiVersion: text,
    time: instant,
    fieldsType: text,
    fieldsV1: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
    subresource: text,
  },
}

const metadata: JsonObject = {
  type: "object",
  properties: {
    name: text,
    namespace: text,
    uid: text,
    resourceVersion: text,
    generation: count,
    generateName: text,
    selfLink: text,
    creationTimestamp: instant,
    deletionTimestamp: instant,
    deletionGracePeriodSeconds: count,
    labels: textMap,
    annotations: textMap,
    finalizers: { type: "array", items: text, "x-kubernetes-list-type": "set", nullable: true },
    ownerReferences: {
      type: "array",
      items: ownerReference,
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["uid"],
      nullable: true,
    },
    managedFields: { type: "array", items: managedFieldsEntry, nullable: true },
  },
}

const apiVersionNode = parseNode(text)
const metadataNode = parseNode(metadata)

/** The node with apiVersion, kind and metadata joined in; its own limits on them stay in force. */
export function withObjectMeta(node: SchemaNode): SchemaNode {
  const properties = new Map(node.properties)
  for (const name of ["apiVersion", "kind"]) {
    if (!properties.has(name)) properties.set(name, apiVersionNode)
  }
  const own = node.properties.get("metadata")
  properties.set("metadata", own === undefined ? metadataNode : restrict(metadataNode, own))
  return { ...node, properties }
}

/** Definitions may only restrict metadata.name and metadata.generateName. */
function restrict(meta: SchemaNode, own: SchemaNode): SchemaNode {
  const properties = new Map(meta.properties)
  for (const [name, node] of own.properties) {
    if (properties.has(name)) properties.set(name, node)
  }
  return { ...meta, properties, required: own.required, allOf: own.allOf, anyOf: own.anyOf }
}

/** Joins the metadata into every embedded resource of the tree. */
export function joinObjectMeta(node: SchemaNode, whole: boolean): SchemaNode {
  const properties = new Map<string, SchemaNode>()
  for (const [name, member] of node.properties) properties.set(name, joinObjectMeta(member, false))
  const joined: SchemaNode = {
    ...node,
    properties,
    ...(node.items === undefined ? {} : { items: joinObjectMeta(node.items, false) }),
    ...(node.additional === undefined
      ? {}
      : {
          additional: node.additional.type
            ? joinObjectMeta(node.additional, false)
            : node.additional,
        }),
  }
  if (whole) return withObjectMeta({ ...joined, embeddedResource: true })
  if (!node.embeddedResource) return joined
  // The verbs know what the outer object is; only the document itself says it of an inner one.
  const required = [...new Set([...node.required, "apiVersion", "kind"])]
  return withObjectMeta({ ...joined, required })
}
