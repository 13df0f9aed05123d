// The built-in kinds of Kubernetes' core group that a plane needs by itself.

import type { JsonObject } from "../../base/json.ts"
import type { ApiObject } from "../../object/object.ts"
import { conditions, defineBuiltIn, flag, list, object, text, textMap } from "./define.ts"

const nullable = (schema: JsonObject): JsonObject => ({ ...schema, nullable: true })

export const namespaceDefinition: ApiObject = defineBuiltIn({
  group: "",
  version: "v1",
  kind: "Namespace",
  plural: "namespaces",
  shortNames: ["ns"],
  namespaced: false,
  status: true,
  columns: [{ name: "Status", type: "string", jsonPath: ".status.phase" }],
  schema: object({
    spec: object({ finalizers: list(text()) }),
    status: object({ phase: text(), conditions }),
  }),
  traits: {
    // There is no way to name many namespaces to be deleted at once.
    verbs: ["create", "delete", "get", "list", "patch", "update", "watch"],
    unconditionalUpdate: true,
    subresources: [
      { name: "finalize", group: "", version: "v1", kind: "Namespace", verbs: ["update"] },
    ],
  },
})

export const configMapDefinition: ApiObject = defineBuiltIn({
  group: "",
  version: "v1",
  kind: "ConfigMap",
  plural: "configmaps",
  shortNames: ["cm"],
  namespaced: true,
  schema: object({ data: nullable(textMap()), binaryData: nullable(textMap()), immutable: flag() }),
  traits: { unconditionalUpdate: true },
})

/** Its values are stored encrypted. */
export const secretDefinition: ApiObject = defineBuiltIn({
  group: "",
  version: "v1",
  kind: "Secret",
  plural: "secrets",
  namespaced: true,
  schema: object({
    data: nullable(textMap()),
    stringData: nullable(textMap()),
    type: text({ default: "Opaque" }),
    immutable: flag(),
  }),
  traits: { unconditionalUpdate: true },
})

const reference = object(
  {
    apiVersion: text(),
    kind: text(),
    namespace: text(),
    name: text(),
    uid: text(),
    resourceVersion: text(),
    fieldPath: text(),
  },
  { "x-kubernetes-map-type": "atomic" },
)

export const serviceAccountDefinition: ApiObject = defineBuiltIn({
  group: "",
  version: "v1",
  kind: "ServiceAccount",
  plural: "serviceaccounts",
  shortNames: ["sa"],
  namespaced: true,
  schema: object({
    secrets: list(reference),
    imagePullSecrets: list(object({ name: text() }, { "x-kubernetes-map-type": "atomic" })),
    automountServiceAccountToken: flag(),
  }),
  traits: {
    unconditionalUpdate: true,
    subresources: [
      {
        name: "token",
        group: "authentication.k8s.io",
        version: "v1",
        kind: "TokenRequest",
        verbs: ["create"],
      },
    ],
  },
})
