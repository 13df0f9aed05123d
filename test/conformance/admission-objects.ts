// Webhook configurations, policies and bindings, short to write in tests.

import type { JsonObject } from "../../src/base/json.ts"
import type { ApiObject, ResourceRef } from "../../src/object/object.ts"

const apiVersion = "admissionregistration.k8s.io/v1"
const of = (resource: string): ResourceRef => ({
  ...{ group: "admissionregistration.k8s.io", version: "v1", resource },
})

export const mutatingConfigurations = of("mutatingwebhookconfigurations")
export const validatingConfigurations = of("validatingwebhookconfigurations")
export const policies = of("validatingadmissionpolicies")
export const bindings = of("validatingadmissionpolicybindings")

export const rule = (resources: readonly string[], more: JsonObject = {}): JsonObject => ({
  ...{ apiGroups: ["*"], apiVersions: ["*"], operations: ["*"], resources },
  ...more,
})

export function webhook(name: string, clientConfig: JsonObject, more: JsonObject = {}): JsonObject {
  return {
    name,
    clientConfig,
    rules: [rule(["notes", "things"])],
    sideEffects: "None",
    admissionReviewVersions: ["v1"],
    timeoutSeconds: 2,
    ...more,
  }
}

export function configuration(
  kind: "Mutating" | "Validating",
  name: string,
  ...webhooks: readonly JsonObject[]
): ApiObject {
  return { apiVersion, kind: `${kind}WebhookConfiguration`, metadata: { name }, webhooks }
}

export function policy(name: string, spec: JsonObject): ApiObject {
  const matchConstraints = {
    resourceRules: [rule(["notes"], { operations: ["CREATE", "UPDATE"] })],
  }
  return {
    apiVersion,
    kind: "ValidatingAdmissionPolicy",
    metadata: { name },
    spec: { matchConstraints, ...spec },
  }
}

export function binding(name: string, policyName: string, spec: JsonObject = {}): ApiObject {
  return {
    apiVersion,
    kind: "ValidatingAdmissionPolicyBinding",
    metadata: { name },
    spec: { policyName, validationActions: ["Deny"], ...spec },
  }
}
