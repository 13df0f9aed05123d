// Nobody gives away more than they hold: a role needs its own rules to be held, or the verb
// `escalate` on it; a binding needs the rules of its role to be held, or the verb `bind`. Callers
// from outside are asked, and sources; the engine makes the default roles.

import { equalJson, isObject, type Json } from "../../base/json.ts"
import { protects } from "../../base/protections.ts"
import type { Admission, AdmissionRequest } from "../../contract/admission.ts"
import type { Access } from "../../contract/authorizer.ts"
import { isFromOutside, isSource } from "../../contract/principal.ts"
import { apiFault } from "../faults.ts"
import { faultNames } from "../stored-object.ts"
import { accessFault } from "./faults.ts"
import { type PolicyRule, readRules, ruleText, uncovered } from "./policy-rule.ts"
import type { RoleAuthorizer } from "./role-authorizer.ts"
import { isMaster } from "./role-authorizer.ts"
import { type RoleIndex, rbacGroup, readBinding } from "./role-index.ts"

const shownMax = 5

export function roleAdmission(index: RoleIndex, roles: RoleAuthorizer): Admission {
  return {
    admit: (request) => {
      const { key, object, operation, principal } = request
      if (key.group !== rbacGroup || operation === "delete") return object
      const asked = isFromOutside(principal) || isSource(principal)
      if (!asked || isMaster(principal)) return object
      if (!protects("no-escalation")) return object
      if (key.resource.endsWith("bindings")) checkBinding(request, index, roles)
      else checkRole(request, roles)
      return object
    },
  }
}

function checkRole({ key, object, old, principal }: AdmissionRequest, roles: RoleAuthorizer) {
  const plain = (value: unknown): Json => (value === undefined ? null : (value as Json))
  const same =
    old !== undefined &&
    ["rules", "aggregationRule"].every((one) => equalJson(plain(old[one]), plain(object[one]))) &&
    // A label may bring the rules into a role that aggregates others.
    equalJson({ ...old.metadata.labels }, { ...object.metadata.labels })
  if (same) return
  const { resource, namespace, name } = key
  if (roles.authorize(principal, roleAccess("escalate", resource, namespace, name)).allowed) return
  const held = roles.rulesFor(principal, namespace)
  const wanted = [
    ...readRules(object.rules as Json | undefined),
    ...aggregated(object.aggregationRule),
  ]
  const missing = uncovered(held, wanted)
  if (missing.length > 0) throw refusal(principal.name, key, missing)
}

/** Aggregating takes whatever others are labelled with, now and later: that is everything. */
function aggregated(rule: unknown): readonly PolicyRule[] {
  if (!isObject(rule)) return []
  const none = { resourceNames: [], nonResourceURLs: [] }
  return [{ ...none, verbs: ["*"], apiGroups: ["*"], resources: ["*"] }]
}

function checkBinding(
  { key, object, old, principal }: AdmissionRequest,
  index: RoleIndex,
  roles: RoleAuthorizer,
): void {
  const binding = readBinding(key, object)
  if (old !== undefined && equalJson(subjectsOf(old), subjectsOf(object))) return
  const resource = binding.roleKind === "Role" ? "roles" : "clusterroles"
  const access = roleAccess("bind", resource, key.namespace, binding.roleName)
  if (roles.authorize(principal, access).allowed) return
  const wanted = index.rulesOf(binding)
  if (wanted === undefined) {
    const about = { resource: `${resource}.${rbacGroup}`, name: binding.roleName, group: rbacGroup }
    throw apiFault("SPT-API-001", about)
  }
  const missing = uncovered(roles.rulesFor(principal, key.namespace), wanted)
  if (missing.length > 0) throw refusal(principal.name, key, missing)
}

const subjectsOf = ({ subjects }: { readonly [member: string]: unknown }): Json =>
  (subjects ?? []) as Json

function roleAccess(verb: string, resource: string, namespace: string, name: string): Access {
  return { verb, group: rbacGroup, resource, subresource: "", namespace, name }
}

function refusal(user: string, key: AdmissionRequest["key"], missing: readonly PolicyRule[]) {
  const names = faultNames(key)
  const shown = missing.slice(0, shownMax).map(ruleText).join("\n")
  const more = missing.length > shownMax ? `\nand ${missing.length - shownMax} more` : ""
  const what =
    `${names.resource} "${key.name}" is forbidden: user "${user}" ` +
    `is attempting to grant RBAC permissions not currently held:\n${shown}${more}`
  return accessFault("SPT-API-070", { what, ...names, resource: key.resource })
}
