// Which built-in kinds have rules of their own.

import { isObject, type Json } from "../../base/json.ts"
import { admissionBindingRules, admissionPolicyRules } from "./admission-policy-rules.ts"
import { configMapRules } from "./config-map-rules.ts"
import { coreEventRules, newEventRules } from "./event-rules.ts"
import type { KindRules } from "./kind-rules.ts"
import { leaseRules } from "./lease-rules.ts"
import {
  clusterRoleBindingRules,
  clusterRoleRules,
  roleBindingRules,
  roleRules,
} from "./rbac-rules.ts"
import { secretRules } from "./secret-rules.ts"
import { webhookConfigurationRules } from "./webhook-configuration-rules.ts"
import { workloadRules } from "./workload-rules.ts"

const none: KindRules = {}

const rules: Readonly<Record<string, KindRules>> = {
  configmaps: configMapRules,
  secrets: secretRules,
  events: coreEventRules,
  "events.events.k8s.io": newEventRules,
  "leases.coordination.k8s.io": leaseRules,
  "roles.rbac.authorization.k8s.io": roleRules,
  "clusterroles.rbac.authorization.k8s.io": clusterRoleRules,
  "rolebindings.rbac.authorization.k8s.io": roleBindingRules,
  "clusterrolebindings.rbac.authorization.k8s.io": clusterRoleBindingRules,
  "mutatingwebhookconfigurations.admissionregistration.k8s.io": webhookConfigurationRules,
  "validatingwebhookconfigurations.admissionregistration.k8s.io": webhookConfigurationRules,
  "validatingadmissionpolicies.admissionregistration.k8s.io": admissionPolicyRules,
  "validatingadmissionpolicybindings.admissionregistration.k8s.io": admissionBindingRules,
}

/** By the name of the built-in definition, and what it says of itself. */
export function rulesOf(definition: string, traits: Json | object | undefined): KindRules {
  if (isObject(traits) && traits.nullIsAbsent === true) return workloadRules(definition)
  return (Object.hasOwn(rules, definition) ? rules[definition] : undefined) ?? none
}
