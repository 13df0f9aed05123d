// admissionregistration.k8s.io/v1: who is asked about a write before it is stored, by webhook and
// by policy. Defaults are Kubernetes'; what a schema can't say is checked in kinds/.

import type { JsonObject } from "../../base/json.ts"
import type { ApiObject } from "../../object/object.ts"
import { conditions, defineBuiltIn, integer, list, object, text, textMap } from "./define.ts"

export const admissionGroup = "admissionregistration.k8s.io"

const atomic = { "x-kubernetes-list-type": "atomic" }
const byName = { "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"] }
const texts = (more: JsonObject = {}) =>
  list(text({ maxLength: 2048 }), { maxItems: 1000, ...atomic, ...more })
const choice = (values: readonly string[], more: JsonObject = {}) => text({ enum: values, ...more })

const expression = object(
  { key: text(), operator: text(), values: texts() },
  { required: ["key", "operator"] },
)

const selector = (more: JsonObject = {}) =>
  object(
    { matchLabels: textMap(), matchExpressions: list(expression, atomic) },
    { "x-kubernetes-map-type": "atomic", ...more },
  )

const operations = list(choice(["*", "CONNECT", "CREATE", "DELETE", "UPDATE"]), atomic)

const rule = {
  apiGroups: texts(),
  apiVersions: texts(),
  operations,
  resources: texts(),
  scope: choice(["*", "Cluster", "Namespaced"], { default: "*" }),
}

const failurePolicy = choice(["Fail", "Ignore"], { default: "Fail" })
const matchPolicy = choice(["Equivalent", "Exact"], { default: "Equivalent" })

const matchConditions = list(
  object({ name: text(), expression: text() }, { required: ["name", "expression"] }),
  byName,
)

const service = object(
  { namespace: text(), name: text(), path: text(), port: integer({ default: 443 }) },
  { required: ["namespace", "name"] },
)

const clientConfig = object({ url: text(), service, caBundle: text({ format: "byte" }) })

const webhook = {
  name: text(),
  clientConfig,
  rules: list(object(rule), { maxItems: 1000, ...atomic }),
  failurePolicy,
  matchPolicy,
  namespaceSelector: selector({ default: {} }),
  objectSelector: selector({ default: {} }),
  sideEffects: choice(["None", "NoneOnDryRun"]),
  timeoutSeconds: integer({ default: 10 }),
  admissionReviewVersions: texts(),
  matchConditions,
}

const webhookRequired = {
  required: ["name", "clientConfig", "sideEffects", "admissionReviewVersions"],
}

const webhooks = (more: JsonObject = {}) =>
  object({
    webhooks: list(object({ ...webhook, ...more }, webhookRequired), { maxItems: 100, ...byName }),
  })

const namedRules = list(object({ ...rule, resourceNames: texts() }), { maxItems: 1000, ...atomic })

const matchResources = object(
  {
    namespaceSelector: selector({ default: {} }),
    objectSelector: selector({ default: {} }),
    resourceRules: namedRules,
    excludeResourceRules: namedRules,
    matchPolicy,
  },
  { "x-kubernetes-map-type": "atomic" },
)

const policySpec = object({
  paramKind: object({ apiVersion: text(), kind: text() }, { "x-kubernetes-map-type": "atomic" }),
  matchConstraints: matchResources,
  validations: list(
    object(
      {
        expression: text(),
        message: text(),
        messageExpression: text(),
        reason: choice(["Forbidden", "Invalid", "RequestEntityTooLarge"]),
      },
      { required: ["expression"] },
    ),
    { maxItems: 1000, ...atomic },
  ),
  failurePolicy,
  auditAnnotations: list(
    object({ key: text(), valueExpression: text() }, { required: ["key", "valueExpression"] }),
    atomic,
  ),
  matchConditions,
  variables: list(
    object({ name: text(), expression: text() }, { required: ["name", "expression"] }),
    { maxItems: 1000, ...byName },
  ),
})

const policyStatus = object({
  observedGeneration: integer(),
  typeChecking: object({
    expressionWarnings: list(
      object({ fieldRef: text(), warning: text() }, { required: ["fieldRef", "warning"] }),
      atomic,
    ),
  }),
  conditions,
})

const bindingSpec = object({
  policyName: text(),
  paramRef: object(
    {
      name: text(),
      namespace: text(),
      selector: selector(),
      parameterNotFoundAction: choice(["Allow", "Deny"]),
    },
    { "x-kubernetes-map-type": "atomic" },
  ),
  matchResources,
  validationActions: list(choice(["Audit", "Deny", "Warn"]), { "x-kubernetes-list-type": "set" }),
})

const base = {
  group: admissionGroup,
  version: "v1",
  namespaced: false,
  categories: ["api-extensions"],
  traits: { unconditionalUpdate: true },
} as const

export const admissionDefinitions: readonly ApiObject[] = [
  defineBuiltIn({
    ...base,
    kind: "MutatingWebhookConfiguration",
    plural: "mutatingwebhookconfigurations",
    schema: webhooks({ reinvocationPolicy: choice(["IfNeeded", "Never"], { default: "Never" }) }),
  }),
  defineBuiltIn({
    ...base,
    kind: "ValidatingWebhookConfiguration",
    plural: "validatingwebhookconfigurations",
    schema: webhooks(),
  }),
  defineBuiltIn({
    ...base,
    kind: "ValidatingAdmissionPolicy",
    plural: "validatingadmissionpolicies",
    status: true,
    columns: [
      { name: "ParamKind", type: "string", jsonPath: ".spec.paramKind.kind" },
      { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" },
    ],
    schema: object({ spec: policySpec, status: policyStatus }),
  }),
  defineBuiltIn({
    ...base,
    kind: "ValidatingAdmissionPolicyBinding",
    plural: "validatingadmissionpolicybindings",
    columns: [
      { name: "PolicyName", type: "string", jsonPath: ".spec.policyName" },
      { name: "ParamRef", type: "string", jsonPath: ".spec.paramRef.name" },
      { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" },
    ],
    schema: object({ spec: bindingSpec }),
  }),
]
