// A definition with everything that schemas, merging, rules and subresources can say, for comparing
// two servers.

const text = { type: "string", maxLength: 60 }

const spec = {
  type: "object",
  required: ["size"],
  properties: {
    size: { type: "integer", minimum: 0, maximum: 100 },
    color: { type: "string", enum: ["red", "green", "blue"], default: "red" },
    code: { type: "string", pattern: "^[a-z]+[0-9]*$", maxLength: 8 },
    when: { type: "string", format: "date-time" },
    ratio: { type: "number", exclusiveMinimum: true, minimum: 0 },
    on: { type: "boolean" },
    either: { "x-kubernetes-int-or-string": true },
    none: { type: "string", nullable: true },
    fixed: {
      type: "string",
      maxLength: 20,
      "x-kubernetes-validations": [{ rule: "self == oldSelf", message: "fixed is fixed" }],
    },
    tags: {
      type: "array",
      maxItems: 5,
      "x-kubernetes-list-type": "set",
      items: { type: "string", maxLength: 20 },
    },
    ports: {
      type: "array",
      maxItems: 5,
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["name", "protocol"],
      items: {
        type: "object",
        required: ["name"],
        properties: {
          name: text,
          protocol: { ...text, default: "TCP" },
          port: { type: "integer", minimum: 1, maximum: 65535 },
        },
      },
    },
    steps: { type: "array", maxItems: 5, items: { type: "object", properties: { run: text } } },
    settings: { type: "object", maxProperties: 5, additionalProperties: text },
    whole: {
      type: "object",
      "x-kubernetes-map-type": "atomic",
      additionalProperties: text,
    },
    deep: {
      type: "object",
      default: {},
      properties: { level: { type: "integer", default: 3 }, name: text },
    },
    free: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
  },
  "x-kubernetes-validations": [
    {
      rule: "self.size <= 50 || self.color == 'red'",
      message: "only red things are large",
      reason: "FieldValueForbidden",
      fieldPath: ".size",
    },
  ],
}

const status = {
  type: "object",
  properties: {
    replicas: { type: "integer" },
    phase: text,
    conditions: {
      type: "array",
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["type"],
      items: {
        type: "object",
        required: ["type", "status"],
        properties: { type: text, status: text, reason: text },
      },
    },
  },
}

export const thingDefinition = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "things.compare.dev" },
  spec: {
    group: "compare.dev",
    scope: "Namespaced",
    names: { plural: "things", singular: "thing", kind: "Thing", shortNames: ["tg"] },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        subresources: {
          status: {},
          scale: { specReplicasPath: ".spec.size", statusReplicasPath: ".status.replicas" },
        },
        selectableFields: [{ jsonPath: ".spec.color" }],
        additionalPrinterColumns: [
          { name: "Size", type: "integer", jsonPath: ".spec.size" },
          { name: "Color", type: "string", jsonPath: ".spec.color" },
          { name: "Tags", type: "string", jsonPath: ".spec.tags", priority: 1 },
          { name: "Phase", type: "string", jsonPath: ".status.phase" },
        ],
        schema: { openAPIV3Schema: { type: "object", properties: { spec, status } } },
      },
    ],
  },
}
