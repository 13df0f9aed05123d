// Gate: every path that the plane serves, taken from its router, asked by every role. A new route,
// kind or verb fails here until somebody has written down who may use it.

import { afterAll, beforeAll, describe, expect, it, vi } from "vitest"
import type { ServedResource } from "../../src/api/served-resource.ts"
import type { Json } from "../../src/base/json.ts"
import { AccessRig, type Answered, home, other, type RoleName, roles } from "./plane/access-rig.ts"

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 })

const rig = new AccessRig()
beforeAll(() => rig.open())
afterAll(() => rig.close())

/** Refused by roles, or because only people decide. */
const refusals = /^SPT-(API-029|PLAN-005|OWN-001|STOP-001|ROLL-002|GLASS-001|API-093|GIT-041)$/

const isRefused = (role: RoleName, { status, code }: Answered): boolean =>
  status === 403 && (role === "agent" ? refusals.test(code) : code === "SPT-API-029")

/** Letters of the verbs that each role has on a kind inside `shop`. */
const readers = "glw"
const all = "cdDglpuw"
const kinds: Readonly<Record<string, Partial<Record<RoleName, string>>>> = {
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

interface Asked {
  readonly method: string
  readonly path: string
  readonly body?: Json
}

function requestOf({ group, version, resource, namespaced }: ServedResource, where: string) {
  const root = group === "" ? "/api" : `/apis/${group}`
  const base = `${root}/${version}${namespaced ? `/namespaces/${where}` : ""}/${resource}`
  const one = `${base}/missing`
  const asked: Readonly<Record<string, [string, Asked]>> = {
    get: ["g", { method: "GET", path: one }],
    list: ["l", { method: "GET", path: base }],
    watch: ["w", { method: "GET", path: `${base}?watch=1` }],
    create: ["c", { method: "POST", path: base, body: {} }],
    update: ["u", { method: "PUT", path: one, body: {} }],
    patch: ["p", { method: "PATCH", path: one, body: {} }],
    delete: ["d", { method: "DELETE", path: one }],
    deletecollection: ["D", { method: "DELETE", path: `${base}?labelSelector=a%3Dnever` }],
  }
  return asked
}

async function allowedVerbs(role: RoleName, kind: ServedResource, where: string): Promise<string> {
  const requests = requestOf(kind, where)
  const letters = await Promise.all(
    kind.verbs.map(async (verb) => {
      const [letter = "?", asked] = requests[verb] ?? []
      if (asked === undefined) return letter
      const answer = await rig.call(role, asked.method, asked.path, asked.body)
      return isRefused(role, answer) ? "" : letter
    }),
  )
  return letters.join("")
}

const sorted = (text: string) => [...text].sort().join("")
const nameOf = ({ group, resource }: ServedResource) =>
  group === "" ? resource : `${resource}.${group}`

describe("every kind and every verb", () => {
  it("is allowed to exactly whom the table says", async () => {
    const served = rig.local.plane.api.registry.all()
    expect(served.map(nameOf).sort()).toEqual(Object.keys(kinds).sort())
    for (const kind of served) {
      for (const role of roles) {
        const allowed = await allowedVerbs(role, kind, home)
        const wanted = kinds[nameOf(kind)]?.[role] ?? ""
        expect(`${nameOf(kind)} ${role} ${sorted(allowed)}`).toBe(
          `${nameOf(kind)} ${role} ${sorted(wanted)}`,
        )
      }
    }
  })

  it("is refused in another namespace to whoever has a role in one", async () => {
    for (const kind of rig.local.plane.api.registry.all()) {
      if (!kind.namespaced) continue
      for (const role of ["view", "edit", "admin"] as const) {
        expect(`${nameOf(kind)} ${role} ${await allowedVerbs(role, kind, other)}`).toBe(
          `${nameOf(kind)} ${role} `,
        )
      }
    }
  })
})

interface Row {
  readonly path: (namespace: string) => string
  readonly body?: (namespace: string) => Json
  /** Who may, where the roles are; "" nobody. v e a g, and n for no role at all. */
  readonly home: string
  /** The same where they are not. */
  readonly other: string
}

const letters: Readonly<Record<RoleName, string>> = {
  ...{ none: "n", view: "v", edit: "e", admin: "a", agent: "g" },
}
const loopBody = (namespace: string): Json => ({ loop: `${namespace}.x`, reason: "a test" })
const objectBody = (namespace: string): Json => ({
  object: `files.host.setpoint.dev/${namespace}/x`,
  reason: "a test",
  to: `${namespace}.y`,
})
const at = (path: string) => () => path
const ofLoop = (path: string) => (namespace: string) => `${path}?loop=${namespace}.x`
const anyone = { home: "nveag", other: "nveag" }
const seeing = { home: "veag", other: "g" }
const deciding = { home: "a", other: "" }
const v1 = "/setpoint/v1"
const authorization = "/apis/authorization.k8s.io/v1"
const authentication = "/apis/authentication.k8s.io/v1"

/** Lists that show each caller only what they may see are open to anyone who signed in. */
const rows: Readonly<Record<string, Row>> = {
  [`GET ${v1}/status`]: { path: at(`${v1}/status`), ...anyone },
  [`GET ${v1}/kinds`]: { path: at(`${v1}/kinds`), ...anyone },
  [`GET ${v1}/history`]: { path: ofLoop(`${v1}/history`), ...seeing },
  [`GET ${v1}/report`]: { path: ofLoop(`${v1}/report`), ...seeing },
  [`GET ${v1}/explain`]: {
    path: (namespace) => `${v1}/explain?object=files.host.setpoint.dev/${namespace}/x`,
    ...seeing,
  },
  [`GET ${v1}/objects`]: { path: at(`${v1}/objects`), ...anyone },
  [`GET ${v1}/object`]: {
    path: (namespace) => `${v1}/object?object=files.host.setpoint.dev/${namespace}/x`,
    ...seeing,
  },
  [`GET ${v1}/timeline`]: {
    path: (namespace) => `${v1}/timeline?object=files.host.setpoint.dev/${namespace}/x`,
    ...seeing,
  },
  [`GET ${v1}/log`]: {
    path: (namespace) => `${v1}/log?object=processes.process.setpoint.dev/${namespace}/x`,
    ...seeing,
  },
  [`POST ${v1}/look`]: { path: ofLoop(`${v1}/look`), home: "eag", other: "g" },
  [`GET ${v1}/series`]: { path: ofLoop(`${v1}/series`), ...seeing },
  [`POST ${v1}/source/fetch`]: {
    path: at(`${v1}/source/fetch`),
    body: loopBody,
    ...{ home: "eag", other: "g" },
  },
  [`POST ${v1}/source/accept`]: { path: at(`${v1}/source/accept`), body: loopBody, ...deciding },
  [`POST ${v1}/notifiers/test`]: {
    path: at(`${v1}/notifiers/test`),
    body: (namespace) => ({ namespace, name: "missing" }),
    ...{ home: "ea", other: "" },
  },
  [`GET ${v1}/inventory`]: { path: ofLoop(`${v1}/inventory`), ...seeing },
  [`POST ${v1}/release`]: { path: at(`${v1}/release`), body: objectBody, ...deciding },
  [`POST ${v1}/move`]: { path: at(`${v1}/move`), body: objectBody, ...deciding },
  [`POST ${v1}/detach`]: { path: at(`${v1}/detach`), body: objectBody, ...deciding },
  [`POST ${v1}/adopt`]: { path: at(`${v1}/adopt`), body: objectBody, ...deciding },
  [`POST ${v1}/inventory/forget`]: {
    path: at(`${v1}/inventory/forget`),
    body: () => ({ target: "x", reason: "a test" }),
    ...{ home: "", other: "" },
  },
  [`GET ${v1}/audit/heads`]: { path: at(`${v1}/audit/heads`), home: "g", other: "g" },
  [`GET ${v1}/audit/loops`]: { path: at(`${v1}/audit/loops`), home: "g", other: "g" },
  [`POST ${v1}/audit/verify`]: {
    path: at(`${v1}/audit/verify`),
    body: () => ({}),
    ...{ home: "g", other: "g" },
  },
  [`GET ${v1}/audit/entries`]: { path: ofLoop(`${v1}/audit/entries`), ...seeing },
  [`GET ${v1}/journal`]: { path: ofLoop(`${v1}/journal`), ...seeing },
  [`GET ${v1}/journal/:loop/:sequence`]: { path: (one) => `${v1}/journal/${one}.x/1`, ...seeing },
  [`GET ${v1}/invariants`]: { path: at(`${v1}/invariants`), ...anyone },
  [`POST ${v1}/guards/test`]: { path: at(`${v1}/guards/test`), body: loopBody, ...seeing },
  [`GET ${v1}/plans`]: { path: at(`${v1}/plans`), ...anyone },
  [`GET ${v1}/plans/:name`]: { path: at(`${v1}/plans/missing`), home: "g", other: "g" },
  [`GET ${v1}/plans/:name/standing`]: {
    path: at(`${v1}/plans/missing/standing`),
    ...{ home: "g", other: "g" },
  },
  "POST /apis/setpoint.dev/v1alpha1/namespaces/:namespace/plans/:name/approval": {
    path: (one) => `/apis/setpoint.dev/v1alpha1/namespaces/${one}/plans/missing/approval`,
    body: () => ({ hash: "" }),
    ...deciding,
  },
  [`GET ${v1}/checkpoints`]: { path: ofLoop(`${v1}/checkpoints`), ...seeing },
  [`POST ${v1}/checkpoints`]: {
    path: at(`${v1}/checkpoints`),
    body: loopBody,
    ...{ home: "eag", other: "g" },
  },
  [`GET ${v1}/checkpoints/:loop/:name`]: {
    path: (one) => `${v1}/checkpoints/${one}.x/missing`,
    ...seeing,
  },
  [`GET ${v1}/checkpoints/:loop/:name/diff`]: {
    path: (one) => `${v1}/checkpoints/${one}.x/missing/diff`,
    ...seeing,
  },
  [`POST ${v1}/checkpoints/:loop/:name/delete`]: {
    path: (one) => `${v1}/checkpoints/${one}.x/missing/delete`,
    ...deciding,
  },
  [`POST ${v1}/rollback`]: { path: at(`${v1}/rollback`), body: loopBody, ...deciding },
  [`POST ${v1}/rollback/end`]: { path: at(`${v1}/rollback/end`), body: loopBody, ...deciding },
  [`POST ${v1}/stop`]: {
    path: at(`${v1}/stop`),
    body: loopBody,
    ...{ home: "eag", other: "g" },
  },
  [`POST ${v1}/resume`]: { path: at(`${v1}/resume`), body: loopBody, ...deciding },
  [`GET ${v1}/in-flight`]: { path: at(`${v1}/in-flight`), ...anyone },
  [`GET ${v1}/break-glass`]: { path: at(`${v1}/break-glass`), ...anyone },
  [`POST ${v1}/break-glass`]: { path: at(`${v1}/break-glass`), body: loopBody, ...deciding },
  [`POST ${v1}/break-glass/end`]: {
    path: at(`${v1}/break-glass/end`),
    body: loopBody,
    ...deciding,
  },
  [`GET ${v1}/secrets`]: { path: at(`${v1}/secrets`), home: "g", other: "g" },
  [`POST ${v1}/secrets/rotate`]: { path: at(`${v1}/secrets/rotate`), home: "", other: "" },
  "PUT /api/v1/namespaces/:name/finalize": {
    path: (one) => `/api/v1/namespaces/${one}/finalize`,
    body: () => ({}),
    ...{ home: "", other: "" },
  },
  [`POST ${authorization}/selfsubjectaccessreviews`]: {
    path: at(`${authorization}/selfsubjectaccessreviews`),
    body: () => ({}),
    ...anyone,
  },
  [`POST ${authorization}/subjectaccessreviews`]: {
    path: at(`${authorization}/subjectaccessreviews`),
    body: () => ({}),
    ...{ home: "", other: "" },
  },
  [`POST ${authorization}/namespaces/:namespace/localsubjectaccessreviews`]: {
    path: (one) => `${authorization}/namespaces/${one}/localsubjectaccessreviews`,
    body: () => ({}),
    ...deciding,
  },
  [`POST ${authorization}/selfsubjectrulesreviews`]: {
    path: at(`${authorization}/selfsubjectrulesreviews`),
    body: () => ({}),
    ...anyone,
  },
  [`POST ${authentication}/selfsubjectreviews`]: {
    path: at(`${authentication}/selfsubjectreviews`),
    body: () => ({}),
    ...anyone,
  },
  [`POST ${authentication}/tokenreviews`]: {
    path: at(`${authentication}/tokenreviews`),
    body: () => ({}),
    ...{ home: "", other: "" },
  },
  "POST /api/v1/namespaces/:namespace/serviceaccounts/:name/token": {
    path: (one) => `/api/v1/namespaces/${one}/serviceaccounts/missing/token`,
    body: () => ({}),
    ...{ home: "ea", other: "" },
  },
  [`POST ${v1}/dashboard/link`]: { path: at(`${v1}/dashboard/link`), ...anyone },
}

describe("every path that is no verb", () => {
  it("says what it asks of a role", () => {
    const { extensions } = rig.local.plane
    // These two are allowed by their path, which the default role of everyone names.
    const byPath = ["GET /setpoint/v1/status", "GET /setpoint/v1/kinds"]
    const silent = extensions
      .routes()
      .filter((route) => route.access === undefined && !route.pattern.startsWith("/api"))
      .map(({ method, pattern }) => `${method} ${pattern}`)
    expect(silent).toEqual(byPath)
    expect(extensions.patterns().sort()).toEqual(Object.keys(rows).sort())
  })

  it("is allowed to exactly whom the table says, here and in another namespace", async () => {
    for (const [pattern, row] of Object.entries(rows)) {
      const [method = ""] = pattern.split(" ")
      for (const namespace of [home, other]) {
        let allowed = ""
        for (const role of roles) {
          const path = row.path(namespace)
          const answer = await rig.call(role, method, path, row.body?.(namespace))
          if (!isRefused(role, answer)) allowed += letters[role]
        }
        const wanted = namespace === home ? row.home : row.other
        expect(`${pattern} ${namespace} ${allowed}`).toBe(`${pattern} ${namespace} ${wanted}`)
      }
    }
  })
})

const plainRows: Readonly<Record<string, string>> = {
  ...{ "/metrics": "", "/.well-known/openid-configuration": "", "/openid/v1/jwks": "" },
}

describe("every document", () => {
  it("is open to all who signed in, unless it is named here", async () => {
    for (const { pattern } of rig.local.server.routes) {
      const path = pattern.replace("*", "api/v1").replace(/\{\w+\}/g, "v1")
      let allowed = ""
      for (const role of roles) {
        const answer = await rig.call(role, "GET", path)
        if (!isRefused(role, answer)) allowed += letters[role]
      }
      expect(`${pattern} ${allowed}`).toBe(`${pattern} ${plainRows[pattern] ?? "nveag"}`)
    }
  })
})

describe("without credentials", () => {
  it("nothing answers but health and version", async () => {
    const asked: Asked[] = []
    for (const kind of rig.local.plane.api.registry.all()) {
      asked.push(...Object.values(requestOf(kind, home)).map(([, one]) => one))
    }
    for (const [pattern, row] of Object.entries(rows)) {
      asked.push({ method: pattern.split(" ")[0] ?? "", path: row.path(home), body: {} })
    }
    const open: string[] = []
    for (const { pattern } of rig.local.server.routes) {
      const path = pattern.replace("*", "api/v1").replace(/\{\w+\}/g, "v1")
      if ((await rig.call("stranger", "GET", path)).status !== 401) open.push(pattern)
    }
    expect(open).toEqual(
      ["/healthz", "/livez", "/readyz"]
        .flatMap((one) => [one, `${one}/{check}`])
        .concat("/version"),
    )
    for (const { method, path, body } of asked) {
      const { status } = await rig.call(
        "stranger",
        method,
        path,
        method === "GET" ? undefined : body,
      )
      expect(`${method} ${path} ${status}`).toBe(`${method} ${path} 401`)
      const wrong = await rig.send(method, path, { authorization: "Bearer nobody" })
      expect(`${method} ${path} ${wrong.status}`).toBe(`${method} ${path} 401`)
    }
    expect((await rig.call("stranger", "GET", "/nothing/here")).status).toBe(401)
  })
})
