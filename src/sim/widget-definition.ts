// The definition of the simulated kind, written by hand as an apiextensions.k8s.io/v1 object, so
// that tests of the engine do not depend on what makes definitions.

import type { ApiObject } from "../object/object.ts"

export const widgetGroup = "sim.setpoint.dev"
export const widgetVersion = "v1"

export const widgetDefinition: ApiObject = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: `widgets.${widgetGroup}` },
  spec: {
    group: widgetGroup,
    scope: "Namespaced",
    names: {
      plural: "widgets",
      singular: "widget",
      kind: "Widget",
      listKind: "WidgetList",
      shortNames: ["wd"],
    },
    versions: [
      {
        name: widgetVersion,
        served: true,
        storage: true,
        subresources: { status: {} },
        additionalPrinterColumns: [
          { name: "Size", type: "integer", jsonPath: ".spec.size" },
          { name: "Color", type: "string", jsonPath: ".spec.color" },
        ],
        schema: {
          openAPIV3Schema: {
            type: "object",
            required: ["spec"],
            properties: {
              apiVersion: { type: "string" },
              kind: { type: "string" },
              metadata: { type: "object" },
              spec: {
                type: "object",
                required: ["size", "color"],
                properties: {
                  name: { type: "string", minLength: 1, maxLength: 253 },
                  adopt: { type: "boolean" },
                  size: { type: "integer", minimum: 0 },
                  color: { type: "string", maxLength: 64 },
                  tags: {
                    type: "array",
                    maxItems: 64,
                    items: { type: "string", maxLength: 64 },
                    "x-kubernetes-list-type": "set",
                  },
                  replicas: { type: "integer", minimum: 0, "x-setpoint-scale": true },
                  ttl: { type: "integer", minimum: 0, "x-setpoint-expiry": true },
                  rules: {
                    type: "array",
                    maxItems: 64,
                    items: {
                      type: "object",
                      required: ["name"],
                      properties: {
                        name: { type: "string", maxLength: 64 },
                        port: { type: "integer" },
                      },
                    },
                    "x-kubernetes-list-type": "map",
                    "x-kubernetes-list-map-keys": ["name"],
                  },
                },
              },
              status: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
            },
          },
        },
      },
    ],
  },
}
