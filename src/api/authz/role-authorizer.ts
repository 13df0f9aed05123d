// Answers who may do what from the roles that are bound to the caller. Nothing is allowed that no
// rule allows; `system:masters` may do everything.

import type { Authorizer, Permission } from "../../contract/authorizer.ts"
import { mastersGroup, type Principal } from "../../contract/principal.ts"
import type { PolicyRule } from "./policy-rule.ts"
import { ruleAllows } from "./policy-rule.ts"
import { type Binding, groupSubject, type RoleIndex, userSubject } from "./role-index.ts"

export interface RoleAuthorizer extends Authorizer {
  /** Everything that the principal holds in a namespace; "" for what holds everywhere. */
  rulesFor(principal: Principal, namespace: string): readonly PolicyRule[]
}

const denied: Permission = { allowed: false, reason: "" }

const everything: readonly PolicyRule[] = [
  { verbs: ["*"], apiGroups: ["*"], resources: ["*"], resourceNames: [], nonResourceURLs: [] },
  { verbs: ["*"], apiGroups: [], resources: [], resourceNames: [], nonResourceURLs: ["*"] },
]

export function roleAuthorizer(index: RoleIndex): RoleAuthorizer {
  return {
    authorize(principal, access) {
      if (isMaster(principal)) return { allowed: true, reason: `member of ${mastersGroup}` }
      const namespace = access.path === undefined ? access.namespace : ""
      for (const binding of boundTo(index, principal, namespace)) {
        const rules = index.rulesOf(binding) ?? []
        if (rules.some((rule) => ruleAllows(rule, access))) return allowedBy(binding)
      }
      return denied
    },
    rulesFor(principal, namespace) {
      if (isMaster(principal)) return everything
      return [...boundTo(index, principal, namespace)].flatMap((one) => index.rulesOf(one) ?? [])
    },
  }
}

export function isMaster({ groups = [] }: Principal): boolean {
  return groups.includes(mastersGroup)
}

function* boundTo(
  index: RoleIndex,
  { name, groups = [] }: Principal,
  namespace: string,
): Iterable<Binding> {
  for (const binding of index.bindingsOf([userSubject(name), ...groups.map(groupSubject)])) {
    // A binding inside a namespace says nothing about the cluster, nor about other namespaces.
    if (binding.key.namespace === "" || binding.key.namespace === namespace) yield binding
  }
}

function allowedBy({ key, roleKind, roleName }: Binding): Permission {
  const kind = key.namespace === "" ? "ClusterRoleBinding" : "RoleBinding"
  const where = key.namespace === "" ? key.name : `${key.name}/${key.namespace}`
  return {
    allowed: true,
    reason: `RBAC: allowed by ${kind} "${where}" of ${roleKind} "${roleName}"`,
  }
}
