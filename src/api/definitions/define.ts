// Short form for the definitions of built-in kinds: each becomes an apiextensions-style object like
// any user's definition, so that one compiler serves both.

import type { JsonObject } from "../../base/json.ts"
import { type ApiObject, setpointGroup } from "../../object/object.ts"
import type { BuiltInTraits } from "../served-resource.ts"
import { type Descriptions, describe } from "./descriptions/describe.ts"
import { kubernetesDescriptions } from "./descriptions/kubernetes-kinds.ts"
import { setpointDescriptions } from "./descriptions/setpoint-kinds.ts"

export interface BuiltInDraft {
  readonly group: string
  readonly version: string
  readonly kind: string
  readonly plural: string
  readonly shortNames?: readonly string[]
  readonly categories?: readonly string[]
  readonly namespaced: boolean
  readonly status?: boolean
  readonly columns?: readonly JsonObject[]
  readonly schema: JsonObject
  readonly traits?: BuiltInTraits
}

export function defineBuiltIn(draft: BuiltInDraft): ApiObject {
  const { group, version, kind, plural, shortNames = [], categories = [] } = draft
  const names = {
    plural,
    singular: kind.toLowerCase(),
    kind,
    listKind: `${kind}List`,
    shortNames,
    categories,
  }
  const served = {
    name: version,
    served: true,
    storage: true,
    schema: { openAPIV3Schema: describe(draft.schema, descriptionsOf(group, kind)) },
    ...(draft.status === true ? { subresources: { status: {} } } : {}),
    additionalPrinterColumns: draft.columns ?? [],
  }
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: group === "" ? plural : `${plural}.${group}` },
    spec: { group, names, scope: draft.namespaced ? "Namespaced" : "Cluster", versions: [served] },
    ...(draft.traits === undefined ? {} : { "x-setpoint": draft.traits as object as JsonObject }),
  }
}

function descriptionsOf(group: string, kind: string): Descriptions {
  const kinds = group === setpointGroup ? setpointDescriptions : kubernetesDescriptions
  return kinds[kind] ?? {}
}

export const object = (properties: JsonObject, more: JsonObject = {}): JsonObject => ({
  type: "object",
  properties,
  ...more,
})
export const text = (more: JsonObject = {}): JsonObject => ({ type: "string", ...more })
export const integer = (more: JsonObject = {}): JsonObject => ({ type: "integer", ...more })
export const flag = (more: JsonObject = {}): JsonObject => ({ type: "boolean", ...more })
export const list = (items: JsonObject, more: JsonObject = {}): JsonObject => ({
  type: "array",
  items,
  ...more,
})
export const textMap = (more: JsonObject = {}): JsonObject => ({
  type: "object",
  additionalProperties: { type: "string" },
  ...more,
})
/** Anything, kept as it is. */
export const open: JsonObject = { type: "object", "x-kubernetes-preserve-unknown-fields": true }

/** "5m", "1h30m"; as src/base/clock.ts reads them. */
export const duration = (more: JsonObject = {}): JsonObject =>
  text({ pattern: "^([0-9]{1,9}(ms|s|m|h|d))+$", ...more })

export const conditions: JsonObject = list(
  object(
    {
      type: text(),
      status: text({ enum: ["True", "False", "Unknown"] }),
      reason: text(),
      message: text(),
      lastTransitionTime: text(),
      observedGeneration: integer(),
    },
    { required: ["type", "status"] },
  ),
  { "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["type"] },
)
