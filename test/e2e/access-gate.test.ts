// Gate: every path that the plane serves, taken from its router, asked by every role. A new route,
// kind or verb fails here until somebody has written down who may use it.

import { afterAll, beforeAll, describe, expect, it, vi } from "vitest"
import type { ServedResource } from "../../src/api/served-resource.ts"
import type { Json } from "../../src/base/json.ts"
import { kinds, subresources } from "./access/kind-roles.ts"
import { declareAsked, letters, rows } from "./access/path-roles.ts"
import { AccessRig, type Answered, home, other, type RoleName, roles } from "./plane/access-rig.ts"

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 })

const rig = new AccessRig()
beforeAll(async () => {
  await rig.open()
  await declareAsked(rig)
})
afterAll(() => rig.close())

/** Refused by roles, or because only people decide. */
const refusals = /^SPT-(API-029|PLAN-005|OWN-001|STOP-001|ROLL-002|GLASS-001|API-093|GIT-041)$/

const isRefused = (role: RoleName, { status, code }: Answered): boolean =>
  status === 403 && (role === "agent" ? refusals.test(code) : code === "SPT-API-029")

/** "200", or of what is no success the code too: a path that is not served has one of its own. */
const answerOf = ({ status, code }: Answered): string =>
  code === "" ? `${status}` : `${status} ${code}`

interface Asked {
  /** In the tables. */
  readonly letter: string
  readonly method: string
  readonly path: string
  readonly body?: Json
  /** What whoever may gets. */
  readonly answer: string
}

/** Nothing is there by that name, nothing stands in those bodies: so far it comes. */
const [notFound, noObject] = ["404 SPT-API-001", "400 SPT-API-006"]
const one: Readonly<Record<string, Asked>> = {
  get: { letter: "g", method: "GET", path: "/missing", answer: notFound },
  update: { letter: "u", method: "PUT", path: "/missing", body: {}, answer: noObject },
  patch: { letter: "p", method: "PATCH", path: "/missing", body: {}, answer: notFound },
  delete: { letter: "d", method: "DELETE", path: "/missing", answer: notFound },
}
const many: Readonly<Record<string, Asked>> = {
  list: { letter: "l", method: "GET", path: "", answer: "200" },
  watch: { letter: "w", method: "GET", path: "?watch=1", answer: "200" },
  deletecollection: {
    ...{ letter: "D", method: "DELETE", path: "?labelSelector=a%3Dnever", answer: "200" },
  },
}
const create: Asked = { letter: "c", method: "POST", path: "", body: {}, answer: noObject }
const verbs = { ...one, ...many, create }

/** Where a verb of a kind answers otherwise. */
const otherwise: Readonly<Record<string, string>> = {
  // Plans are what was decided: nobody removes many of them.
  "plans.setpoint.dev D": "403 SPT-API-015",
  // These need nothing to say what they say.
  "selfsubjectrulesreviews.authorization.k8s.io c": "201",
  "selfsubjectreviews.authentication.k8s.io c": "201",
}

const nameOf = ({ group, resource }: ServedResource) =>
  group === "" ? resource : `${resource}.${group}`

/** Below a namespace, or with "" over all of them. */
function pathOf({ group, version, resource, namespaced }: ServedResource, where: string): string {
  const root = `${group === "" ? "/api" : `/apis/${group}`}/${version}`
  return `${root}${namespaced && where !== "" ? `/namespaces/${where}` : ""}/${resource}`
}

const below = (path: string, { path: rest, ...more }: Asked): Asked => ({
  ...more,
  path: path + rest,
})

/** Everything that is served of a kind: its verbs, and of /status and /scale what it has. */
function requestsOf(kind: ServedResource, where: string): Map<string, readonly Asked[]> {
  const path = pathOf(kind, where)
  const own = kind.verbs.map((verb) => {
    const asked = verbs[verb as keyof typeof verbs] ?? create
    if (!(verb in verbs)) throw new Error(`${nameOf(kind)} has the verb ${verb}`)
    const answer = otherwise[`${nameOf(kind)} ${asked.letter}`] ?? asked.answer
    return { ...below(path, asked), answer }
  })
  const parts = new Map<string, readonly Asked[]>([[nameOf(kind), own]])
  const { get, update, patch } = one
  const written = [get, update, patch].filter((asked) => asked !== undefined)
  const names = [kind.statusSubresource ? "status" : "", kind.scale === undefined ? "" : "scale"]
  for (const name of names.filter((name) => name !== "")) {
    const asked = written.map((part) => below(path, { ...part, path: `${part.path}/${name}` }))
    parts.set(`${nameOf(kind)}/${name}`, asked)
  }
  return parts
}

/** Letters of what a role may. Whoever may gets what the path has to say, never a mistake of it. */
async function allowedOf(role: RoleName, asked: readonly Asked[]): Promise<string> {
  const letters = await Promise.all(
    asked.map(async ({ letter, method, path, body, answer: wanted }) => {
      const answer = await rig.call(role, method, path, body)
      if (isRefused(role, answer)) return ""
      const what = `${role} ${method} ${path}`
      expect(`${what} ${answerOf(answer)}`).toBe(`${what} ${wanted}`)
      return letter
    }),
  )
  return sorted(letters.join(""))
}

const sorted = (text: string) => [...text].sort().join("")
const tables: typeof kinds = { ...kinds, ...subresources }

describe("every kind and every verb", () => {
  it("is allowed to exactly whom the table says", async () => {
    const served = rig.local.plane.api.registry.all()
    const names = served.flatMap((kind) => [...requestsOf(kind, home).keys()])
    expect(names.sort()).toEqual(Object.keys(tables).sort())
    for (const kind of served) {
      for (const [name, asked] of requestsOf(kind, home)) {
        for (const role of roles) {
          const wanted = tables[name]?.[role] ?? ""
          const allowed = await allowedOf(role, asked)
          expect(`${name} ${role} ${allowed}`).toBe(`${name} ${role} ${sorted(wanted)}`)
        }
      }
    }
  })

  it("is allowed over all namespaces to whoever has the role in all of them", async () => {
    for (const kind of rig.local.plane.api.registry.all()) {
      const name = nameOf(kind)
      const asked = Object.entries(many)
        .filter(([verb]) => kind.namespaced && kind.verbs.includes(verb))
        .map(([, one]) => {
          const answer = otherwise[`${name} ${one.letter}`] ?? one.answer
          return { ...below(pathOf(kind, ""), one), answer }
        })
      for (const role of roles) {
        const has = role === "agent" ? (kinds[name]?.agent ?? "") : ""
        const wanted = asked.map(({ letter }) => letter).filter((letter) => has.includes(letter))
        const allowed = await allowedOf(role, asked)
        expect(`${name} ${role} ${allowed}`).toBe(`${name} ${role} ${sorted(wanted.join(""))}`)
      }
    }
  })

  it("is refused in another namespace to whoever has a role in one", async () => {
    for (const kind of rig.local.plane.api.registry.all()) {
      if (!kind.namespaced) continue
      for (const [name, asked] of requestsOf(kind, other)) {
        for (const role of ["view", "edit", "admin"] as const) {
          expect(`${name} ${role} ${await allowedOf(role, asked)}`).toBe(`${name} ${role} `)
        }
      }
    }
  })
})

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
          if (isRefused(role, answer)) continue
          allowed += letters[role]
          const what = `${role} ${pattern} ${namespace}`
          expect(`${what} ${answerOf(answer)}`).toBe(`${what} ${row.answer ?? "200"}`)
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

/** Something that a pattern stands for. */
const documentAt = (pattern: string): string =>
  pattern
    .replace("{group}/{version}", "setpoint.dev/v1alpha1")
    .replace("{group}", "setpoint.dev")
    .replace("{version}", "v1")
    .replace("{check}", "ping")
    .replace("*", "api/v1")

describe("every document", () => {
  it("is open to all who signed in, unless it is named here", async () => {
    for (const { pattern } of rig.local.server.routes) {
      const path = documentAt(pattern)
      let allowed = ""
      for (const role of roles) {
        const answer = await rig.call(role, "GET", path)
        if (isRefused(role, answer)) continue
        allowed += letters[role]
        expect(`${pattern} ${answerOf(answer)}`).toBe(`${pattern} 200`)
      }
      expect(`${pattern} ${allowed}`).toBe(`${pattern} ${plainRows[pattern] ?? "nveag"}`)
    }
  })
})

describe("without credentials", () => {
  it("nothing answers but health and version", async () => {
    const asked: Omit<Asked, "answer" | "letter">[] = []
    for (const kind of rig.local.plane.api.registry.all()) {
      asked.push(...[...requestsOf(kind, home).values()].flat())
    }
    for (const [pattern, row] of Object.entries(rows)) {
      asked.push({ method: pattern.split(" ")[0] ?? "", path: row.path(home), body: {} })
    }
    const open: string[] = []
    for (const { pattern } of rig.local.server.routes) {
      const path = documentAt(pattern)
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
