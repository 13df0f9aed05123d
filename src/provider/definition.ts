// The apiextensions.k8s.io/v1 definition of a kind: names, the spec's schema, the status every kind
// has, and the columns that kubectl prints.

import type { Json, JsonObject } from "../base/json.ts"
import type { ApiObject } from "../object/object.ts"

export interface PrinterColumn {
  readonly name: string
  readonly type: "string" | "integer" | "number" | "boolean" | "date"
  readonly jsonPath: string
  readonly description?: string
  readonly priority?: number
}

export interface DefinitionInput {
  readonly group: string
  readonly version: string
  readonly kind: string
  readonly plural: string
  readonly scope: "Namespaced" | "Cluster"
  readonly shortNames: readonly string[]
  /** The lowered schema of the spec. */
  readonly spec: JsonObject
  readonly printerColumns: readonly PrinterColumn[]
  readonly description?: string
  /** False for kinds without a target of their own. */
  readonly adopts?: boolean
  /** Dotted paths of the number, as `kubectl scale` and autoscalers use it. */
  readonly scale?: { readonly spec: string; readonly status: string; readonly selector?: string }
}

const conditionSchema: JsonObject = {
  type: "object",
  required: ["type", "status", "reason", "message", "lastTransitionTime"],
  properties: {
    type: { type: "string" },
    status: { type: "string", enum: ["True", "False", "Unknown"] },
    reason: { type: "string" },
    message: { type: "string" },
    lastTransitionTime: { type: "string", format: "date-time" },
    observedGeneration: { type: "integer", format: "int64" },
  },
}

const statusSchema: JsonObject = {
  type: "object",
  "x-kubernetes-preserve-unknown-fields": true,
  properties: {
    conditions: {
      type: "array",
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["type"],
      items: conditionSchema,
    },
    observedGeneration: { type: "integer", format: "int64" },
    target: { type: "string", description: "The real thing outside that this object keeps." },
  },
}

const adoptSchema: JsonObject = {
  type: "boolean",
  description:
    "Take charge of an existing target; a backup of the old content is kept where the kind can.",
  "x-setpoint-engine": true,
}

export function definitionOf(input: DefinitionInput): ApiObject {
  const { group, version, kind, plural, scope, shortNames } = input
  const names: JsonObject = {
    kind,
    listKind: `${kind}List`,
    plural,
    singular: kind.toLowerCase(),
    ...(shortNames.length === 0 ? {} : { shortNames }),
    categories: ["setpoint"],
  }
  const served: JsonObject = {
    name: version,
    served: true,
    storage: true,
    schema: { openAPIV3Schema: rootSchema(input) },
    subresources: { status: {}, ...scaleOf(input) },
    additionalPrinterColumns: columns(input.printerColumns),
  }
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.${group}` },
    spec: { group, names, scope, versions: [served] },
  }
}

function rootSchema(input: DefinitionInput): JsonObject {
  return {
    type: "object",
    ...(input.description === undefined ? {} : { description: input.description }),
    required: ["spec"],
    properties: {
      apiVersion: { type: "string" },
      kind: { type: "string" },
      metadata: { type: "object" },
      spec: input.adopts === false ? input.spec : withAdopt(input.spec),
      status: statusSchema,
    },
  }
}

function scaleOf({ scale }: DefinitionInput): JsonObject {
  if (scale === undefined) return {}
  const { spec, status, selector } = scale
  const paths = { specReplicasPath: `.${spec}`, statusReplicasPath: `.${status}` }
  return { scale: selector === undefined ? paths : { ...paths, labelSelectorPath: `.${selector}` } }
}

/** Every kind with a target can adopt; one that declares the field itself keeps its own meaning. */
function withAdopt(spec: JsonObject): JsonObject {
  const properties = (spec.properties ?? {}) as JsonObject
  if (properties.adopt !== undefined) return spec
  return { ...spec, properties: { ...properties, adopt: adoptSchema } }
}

function columns(own: readonly PrinterColumn[]): readonly Json[] {
  const ready = `.status.conditions[?(@.type=="Ready")]`
  const all: readonly PrinterColumn[] = [
    { name: "Ready", type: "string", jsonPath: `${ready}.status` },
    { name: "Reason", type: "string", jsonPath: `${ready}.reason` },
    ...own,
    { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" },
  ]
  return all.map((column) => ({ ...column }))
}
