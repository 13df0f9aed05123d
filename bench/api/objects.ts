// The objects that the benchmark writes: about 1 KB each, as the research measured them.

export const namespace = "bench"
const filler = "x".repeat(620)

export const configMapsPath = `/api/v1/namespaces/${namespace}/configmaps`
export const widgetsPath = `/apis/bench.dev/v1/namespaces/${namespace}/widgets`

export const configMap = (name: string): string =>
  JSON.stringify({
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name, namespace, labels: { app: "bench", tier: "one" } },
    data: { text: filler, more: "value" },
  })

export const widget = (name: string, size = 1): string =>
  JSON.stringify({
    apiVersion: "bench.dev/v1",
    kind: "Widget",
    metadata: { name, namespace, labels: { app: "bench", tier: "one" } },
    spec: { size, color: "red", text: filler, ports: [{ name: "a", port: 80 }] },
  })

export const widgetDefinition = JSON.stringify({
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "widgets.bench.dev" },
  spec: {
    group: "bench.dev",
    scope: "Namespaced",
    names: { plural: "widgets", singular: "widget", kind: "Widget", listKind: "WidgetList" },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: {
          openAPIV3Schema: {
            type: "object",
            properties: {
              spec: {
                type: "object",
                required: ["size"],
                properties: {
                  size: { type: "integer", minimum: 0, maximum: 1000 },
                  color: { type: "string", enum: ["red", "green", "blue"], default: "red" },
                  text: { type: "string", maxLength: 4096 },
                  ports: {
                    type: "array",
                    maxItems: 10,
                    "x-kubernetes-list-type": "map",
                    "x-kubernetes-list-map-keys": ["name"],
                    items: {
                      type: "object",
                      required: ["name"],
                      properties: {
                        name: { type: "string", maxLength: 63 },
                        port: { type: "integer", minimum: 1, maximum: 65535 },
                      },
                    },
                  },
                },
                "x-kubernetes-validations": [
                  { rule: "self.size >= 0", message: "size must not be negative" },
                ],
              },
              status: {
                type: "object",
                properties: { ready: { type: "integer" }, phase: { type: "string" } },
              },
            },
          },
        },
      },
    ],
  },
})
