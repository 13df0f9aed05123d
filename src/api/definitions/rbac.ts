// Roles and bindings of rbac.authorization.k8s.io/v1.

import type { ApiObject } from "../../object/object.ts"
import { defineBuiltIn, list, object, text, textMap } from "./define.ts"

const group = "rbac.authorization.k8s.io"
const atomic = { "x-kubernetes-list-type": "atomic" }
const texts = (max = 1000) => list(text({ maxLength: 2048 }), { maxItems: max, ...atomic })

const rule = object(
  {
    verbs: texts(),
    apiGroups: texts(),
    resources: texts(),
    resourceNames: texts(),
    nonResourceURLs: texts(),
  },
  { required: ["verbs"] },
)

const rules = list(rule, { maxItems: 1000, nullable: true, ...atomic })

const expression = object(
  { key: text(), operator: text(), values: texts() },
  { required: ["key", "operator"] },
)

const selector = object(
  { matchLabels: textMap(), matchExpressions: list(expression, atomic) },
  { "x-kubernetes-map-type": "atomic" },
)

const aggregationRule = object({ clusterRoleSelectors: list(selector, atomic) })

const subject = object(
  { apiGroup: text(), kind: text(), name: text(), namespace: text() },
  { required: ["kind", "name"], "x-kubernetes-map-type": "atomic" },
)

const roleRef = object(
  { apiGroup: text({ default: group }), kind: text(), name: text() },
  { required: ["kind", "name"], "x-kubernetes-map-type": "atomic" },
)

const roleColumn = { name: "Role", type: "string", jsonPath: ".roleRef.name" }
const base = { group, version: "v1", traits: { unconditionalUpdate: true } } as const

export const roleDefinition: ApiObject = defineBuiltIn({
  ...base,
  kind: "Role",
  plural: "roles",
  namespaced: true,
  schema: object({ rules }),
})

export const clusterRoleDefinition: ApiObject = defineBuiltIn({
  ...base,
  kind: "ClusterRole",
  plural: "clusterroles",
  namespaced: false,
  schema: object({ rules, aggregationRule }),
})

const binding = object(
  { subjects: list(subject, { maxItems: 1000, ...atomic }), roleRef },
  { required: ["roleRef"] },
)

export const roleBindingDefinition: ApiObject = defineBuiltIn({
  ...base,
  kind: "RoleBinding",
  plural: "rolebindings",
  namespaced: true,
  columns: [roleColumn],
  schema: binding,
})

export const clusterRoleBindingDefinition: ApiObject = defineBuiltIn({
  ...base,
  kind: "ClusterRoleBinding",
  plural: "clusterrolebindings",
  namespaced: false,
  columns: [roleColumn],
  schema: binding,
})

export const rbacDefinitions: readonly ApiObject[] = [
  roleDefinition,
  clusterRoleDefinition,
  roleBindingDefinition,
  clusterRoleBindingDefinition,
]
