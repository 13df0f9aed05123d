// Who may use which verb of which kind: one row per kind that is served, by its name. A new kind is
// refused by the gate until somebody has added its row.

import type { RoleName } from "../plane/access-rig.ts"

/** Letters of the verbs that each role has on a kind inside `shop`. */
const readers = "glw"
const all = "cdDglpuw"
export const kinds: Readonly<Record<string, Partial<Record<RoleName, string>>>> = {
  namespaces: { agent: "cdglpuw" },
  configmaps: { view: readers, edit: all, admin: all, agent: all },
  secrets: { edit: all, admin: all },
  serviceaccounts: { view: readers, edit: all, admin: all, agent: readers },
  events: { view: readers, edit: all, admin: all, agent: all },
  "events.events.k8s.io": { view: readers, edit: all, admin: all, agent: all },
  "leases.coordination.k8s.io": { edit: all, admin: all, agent: all },
  "customresourcedefinitions.apiextensions.k8s.io": { agent: readers },
  "loops.setpoint.dev": { view: readers, edit: all, admin: all, agent: all },
  "plans.setpoint.dev": { view: readers, edit: readers, admin: "dglw", agent: readers },
  "planes.setpoint.dev": { agent: readers },
  "guardpolicies.setpoint.dev": { agent: readers },
  "invariants.setpoint.dev": { view: readers, edit: readers, admin: all, agent: readers },
  "signals.setpoint.dev": { view: readers, edit: all, admin: all, agent: readers },
  "notifiers.setpoint.dev": { view: readers, edit: all, admin: all, agent: readers },
  "roles.rbac.authorization.k8s.io": { admin: all },
  "clusterroles.rbac.authorization.k8s.io": {},
  "rolebindings.rbac.authorization.k8s.io": { admin: all },
  "clusterrolebindings.rbac.authorization.k8s.io": {},
  "mutatingwebhookconfigurations.admissionregistration.k8s.io": {},
  "validatingwebhookconfigurations.admissionregistration.k8s.io": {},
  "validatingadmissionpolicies.admissionregistration.k8s.io": {},
  "validatingadmissionpolicybindings.admissionregistration.k8s.io": {},
  "selfsubjectaccessreviews.authorization.k8s.io": everyone("c"),
  "subjectaccessreviews.authorization.k8s.io": {},
  "localsubjectaccessreviews.authorization.k8s.io": { admin: "c" },
  "selfsubjectrulesreviews.authorization.k8s.io": everyone("c"),
  "selfsubjectreviews.authentication.k8s.io": everyone("c"),
  "tokenreviews.authentication.k8s.io": {},
  // This plane is confined to a root; without one agents only read files.
  "files.host.setpoint.dev": { view: readers, edit: all, admin: all, agent: all },
  "directories.host.setpoint.dev": { view: readers, edit: all, admin: all, agent: all },
  ...holdsTheHost("dnszones.dns.setpoint.dev", "recordsets.dns.setpoint.dev"),
  "packages.host.setpoint.dev": { view: readers, edit: all, admin: all, agent: all },
  ...holdsTheHost("users.host.setpoint.dev", "groups.host.setpoint.dev"),
  ...holdsTheHost("cronfiles.host.setpoint.dev", "systemdunits.host.setpoint.dev"),
  ...holdsTheHost("processes.process.setpoint.dev", "processsets.process.setpoint.dev"),
  ...holdsTheHost("balancers.process.setpoint.dev", "workloads.gpu.setpoint.dev"),
  ...holdsTheHost("tenants.gpu.setpoint.dev", "gpunodes.gpu.setpoint.dev"),
  ...holdsTheHost("gpupools.gpu.setpoint.dev", "firewalls.firewall.setpoint.dev"),
  ...holdsTheHost("firewallhosts.firewall.setpoint.dev", "networkintents.firewall.setpoint.dev"),
}

/** What starts programs or lets people in is only read by agents. */
function holdsTheHost(...names: readonly string[]): typeof kinds {
  const who = { view: readers, edit: all, admin: all, agent: readers }
  return Object.fromEntries(names.map((name) => [name, who]))
}

function everyone(verbs: string): Record<RoleName, string> {
  return { none: verbs, view: verbs, edit: verbs, admin: verbs, agent: verbs }
}

const looking = { view: "g", edit: "g", admin: "g", agent: "g" }
const writing = { view: "g", edit: "gpu", admin: "gpu", agent: "g" }

/** Of /status and /scale, where a kind has them. Ours are written by the plane alone. */
export const subresources: typeof kinds = {
  "namespaces/status": {},
  "customresourcedefinitions.apiextensions.k8s.io/status": { agent: "g" },
  "loops.setpoint.dev/status": looking,
  "plans.setpoint.dev/status": looking,
  "planes.setpoint.dev/status": { agent: "g" },
  "invariants.setpoint.dev/status": looking,
  "signals.setpoint.dev/status": looking,
  "notifiers.setpoint.dev/status": looking,
  "validatingadmissionpolicies.admissionregistration.k8s.io/status": {},
  ...statusOf("host", "files", "directories", "packages", "users", "groups", "cronfiles"),
  ...statusOf("host", "systemdunits"),
  ...statusOf("dns", "dnszones", "recordsets"),
  ...statusOf("process", "processes", "processsets", "balancers"),
  ...statusOf("gpu", "workloads", "tenants", "gpunodes", "gpupools"),
  ...statusOf("firewall", "firewalls", "firewallhosts", "networkintents"),
  "processsets.process.setpoint.dev/scale": writing,
}

function statusOf(group: string, ...names: readonly string[]): typeof kinds {
  return Object.fromEntries(names.map((name) => [`${name}.${group}.setpoint.dev/status`, writing]))
}
