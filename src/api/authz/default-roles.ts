// The roles and bindings that a new plane starts with: those of Kubernetes, and what people,
// services and agents with a token may do. Ordinary objects, which an administrator may change or
// delete.

import type { JsonObject } from "../../base/json.ts"
import { protects } from "../../base/protections.ts"
import {
  agentsGroup,
  authenticatedGroup,
  humansGroup,
  mastersGroup,
  monitorsGroup,
  servicesGroup,
} from "../../contract/principal.ts"
import { type ApiObject, setpointGroup } from "../../object/object.ts"
import { rbacGroup } from "./role-index.ts"

export const autoUpdate = "rbac.authorization.kubernetes.io/autoupdate"
const bootstrapping = { "kubernetes.io/bootstrapping": "rbac-defaults" }
const aggregateTo = (role: string) => ({
  [`rbac.authorization.k8s.io/aggregate-to-${role}`]: "true",
})
const oursTo = (role: string) => ({ [`setpoint.dev/aggregate-to-${role}`]: "true" })

const read = ["get", "list", "watch"]
const write = ["create", "delete", "deletecollection", "patch", "update"]
/** What a person decides; services and agents never hold one of them. */
const decide = ["approve", "break-glass", "detach", "forget", "loosen", "move", "release", "resume"]
const decisions = ["accept", ...decide, "rollback"]
const events = "events.k8s.io"
const extensions = "apiextensions.k8s.io"

const rule = (
  apiGroups: readonly string[],
  resources: readonly string[],
  verbs: readonly string[],
) => ({ verbs, apiGroups, resources }) as JsonObject
const paths = (nonResourceURLs: readonly string[]) =>
  ({ verbs: ["get"], nonResourceURLs }) as JsonObject

interface Draft {
  readonly labels?: Readonly<Record<string, string>>
  readonly rules?: readonly JsonObject[]
  readonly aggregate?: Readonly<Record<string, string>>
}

function clusterRole(name: string, { labels = {}, rules, aggregate }: Draft): ApiObject {
  const annotations = { [autoUpdate]: "true" }
  const base = { apiVersion: `${rbacGroup}/v1`, kind: "ClusterRole" }
  const metadata = { name, labels: { ...bootstrapping, ...labels }, annotations }
  if (aggregate === undefined) return { ...base, metadata, rules: rules ?? [] }
  const clusterRoleSelectors = [{ matchLabels: aggregate }]
  return { ...base, metadata, aggregationRule: { clusterRoleSelectors }, rules: [] }
}

function bound(role: string, ...groups: readonly string[]): ApiObject {
  return {
    apiVersion: `${rbacGroup}/v1`,
    kind: "ClusterRoleBinding",
    metadata: { name: role, labels: bootstrapping, annotations: { [autoUpdate]: "true" } },
    roleRef: { apiGroup: rbacGroup, kind: "ClusterRole", name: role },
    subjects: groups.map((name) => ({ apiGroup: rbacGroup, kind: "Group", name })),
  }
}

const open = ["/healthz", "/livez", "/readyz", "/version", "/version/"]
const documents = ["/api", "/api/*", "/apis", "/apis/*", "/openapi", "/openapi/*", ...open]

/** A kind that has targets or children. */
export interface RoleKind {
  readonly group: string
  readonly resource: string
  /** Who may write it holds the host. */
  readonly privileged: boolean
}

/** Kinds: those besides our own. */
export function defaultRoles(kinds: readonly RoleKind[]): readonly ApiObject[] {
  const groups = [...new Set(kinds.map(({ group }) => group))].sort()
  return [...kubernetesRoles(), ...userRoles(groups), ...tokenRoles(groups, kinds)]
}

/** Agents may propose what others than a person may do; what holds the host they only read. */
function proposed(kinds: readonly RoleKind[]): readonly JsonObject[] {
  if (!protects("agents-hold-no-host"))
    return [...kinds].map(({ group }) => rule([group], ["*"], write))
  const open = kinds.filter(({ privileged }) => !privileged)
  const groups = [...new Set(open.map(({ group }) => group))].sort()
  return groups.map((group) => {
    const own = open.filter((kind) => kind.group === group).map(({ resource }) => resource)
    return rule([group], own.sort(), write)
  })
}

function kubernetesRoles(): readonly ApiObject[] {
  const reviews = rule(
    ["authorization.k8s.io"],
    ["selfsubjectaccessreviews", "selfsubjectrulesreviews"],
    ["create"],
  )
  const self = rule(["authentication.k8s.io"], ["selfsubjectreviews"], ["create"])
  const issuer = ["/.well-known/openid-configuration", "/openid/v1/jwks"]
  return [
    clusterRole("cluster-admin", { rules: [rule(["*"], ["*"], ["*"]), everyPath] }),
    clusterRole("system:discovery", { rules: [paths(documents)] }),
    clusterRole("system:basic-user", { rules: [reviews, self] }),
    clusterRole("system:public-info-viewer", { rules: [paths(open)] }),
    clusterRole("system:service-account-issuer-discovery", { rules: [paths(issuer)] }),
    clusterRole("system:auth-delegator", {
      rules: [
        rule(["authentication.k8s.io"], ["tokenreviews"], ["create"]),
        rule(["authorization.k8s.io"], ["subjectaccessreviews"], ["create"]),
      ],
    }),
    bound("cluster-admin", mastersGroup),
    bound("system:discovery", authenticatedGroup),
    bound("system:basic-user", authenticatedGroup),
    bound("system:public-info-viewer", authenticatedGroup, "system:unauthenticated"),
    bound("system:service-account-issuer-discovery", "system:serviceaccounts"),
  ]
}

const everyPath: JsonObject = { verbs: ["*"], nonResourceURLs: ["*"] }

/** admin, edit and view: for role bindings inside a namespace; each is made of labelled others. */
function userRoles(groups: readonly string[]): readonly ApiObject[] {
  const accounts = ["serviceaccounts"]
  const own = [setpointGroup]
  return [
    clusterRole("admin", { aggregate: aggregateTo("admin") }),
    clusterRole("edit", { aggregate: aggregateTo("edit"), labels: aggregateTo("admin") }),
    clusterRole("view", { aggregate: aggregateTo("view"), labels: aggregateTo("edit") }),
    clusterRole("system:aggregate-to-admin", {
      labels: aggregateTo("admin"),
      rules: [
        rule(["authorization.k8s.io"], ["localsubjectaccessreviews"], ["create"]),
        rule([rbacGroup], ["roles", "rolebindings"], [...read, ...write]),
      ],
    }),
    clusterRole("system:aggregate-to-edit", {
      labels: aggregateTo("edit"),
      rules: [
        rule([""], ["secrets"], read),
        rule([""], accounts, ["impersonate"]),
        rule([""], ["configmaps", "secrets", ...accounts], write),
        rule([""], ["serviceaccounts/token"], ["create"]),
        rule(["", events], ["events"], write),
        rule(["coordination.k8s.io"], ["leases"], [...read, ...write]),
      ],
    }),
    clusterRole("system:aggregate-to-view", {
      labels: aggregateTo("view"),
      rules: [
        rule([""], ["configmaps", "namespaces", "namespaces/status", ...accounts], read),
        rule(["", events], ["events"], read),
      ],
    }),
    clusterRole("setpoint:aggregate-to-admin", {
      labels: aggregateTo("admin"),
      rules: [
        rule(own, ["loops", "plans", "plans/approval", "guardpolicies", "invariants"], decisions),
        rule(own, ["plans"], ["delete"]),
        rule(own, ["invariants", "guardpolicies", "loops/checkpoints"], write),
        rule(groups, ["*"], decisions),
      ],
    }),
    clusterRole("setpoint:aggregate-to-edit", {
      labels: aggregateTo("edit"),
      rules: [
        rule(own, ["loops", "signals", "notifiers"], [...write, "look", "stop"]),
        rule(own, ["loops/checkpoints"], ["create"]),
        rule(groups, ["*"], [...write, "stop"]),
      ],
    }),
    clusterRole("setpoint:aggregate-to-view", {
      labels: aggregateTo("view"),
      rules: [rule(own, ["*"], read), rule(groups, ["*"], read)],
    }),
    clusterRole("setpoint:discovery", {
      rules: [paths(["/setpoint/v1/kinds", "/setpoint/v1/status"])],
    }),
    bound("setpoint:discovery", authenticatedGroup),
  ]
}

/** What the kinds of tokens may do everywhere; docs/guides/access.md has them as a table. */
function tokenRoles(groups: readonly string[], kinds: readonly RoleKind[]): readonly ApiObject[] {
  const all = [...read, ...write]
  const plain = ["coordination.k8s.io", events]
  return [
    clusterRole("setpoint:operator", {
      rules: [rule(["*"], ["*"], [...all, ...decisions, "look", "stop"]), paths(["*"])],
    }),
    clusterRole("setpoint:service", { aggregate: oursTo("service") }),
    clusterRole("setpoint:proposer", { aggregate: oursTo("proposer"), labels: oursTo("service") }),
    clusterRole("setpoint:aggregate-to-service", {
      labels: oursTo("service"),
      rules: [
        rule([""], ["secrets"], all),
        rule([extensions], ["customresourcedefinitions"], write),
        // Signals and notifiers call addresses from where the plane stands: agents only read them.
        rule([setpointGroup], ["guardpolicies", "invariants"], write),
        rule([setpointGroup], ["signals", "notifiers"], [...write, "look"]),
        rule(groups, ["*"], all),
      ],
    }),
    clusterRole("setpoint:aggregate-to-proposer", {
      labels: oursTo("proposer"),
      rules: [
        rule([""], ["configmaps", "events", "namespaces"], all),
        rule([""], ["serviceaccounts"], read),
        rule(plain, ["*"], all),
        rule([extensions, setpointGroup], ["*"], read),
        rule([setpointGroup], ["loops"], [...write, "look"]),
        rule([setpointGroup], ["loops", "planes"], ["stop"]),
        rule([setpointGroup], ["loops/checkpoints"], ["create"]),
        rule(groups, ["*"], read),
        ...proposed(kinds),
      ],
    }),
    clusterRole("setpoint:monitor", { rules: [paths(["/metrics"])] }),
    bound("setpoint:operator", humansGroup),
    bound("setpoint:service", servicesGroup),
    bound("setpoint:proposer", agentsGroup),
    bound("setpoint:monitor", monitorsGroup),
  ]
}
