import * as fc from "fast-check"
import { describe, expect, test } from "vitest"
import type { Json, JsonObject } from "../../base/json.ts"
import type { Access } from "../../contract/authorizer.ts"
import type { Principal } from "../../contract/principal.ts"
import type { ApiObject } from "../../object/object.ts"
import { storageKey } from "../storage-keys.ts"
import { uncovered } from "./policy-rule.ts"
import { roleAuthorizer } from "./role-authorizer.ts"
import { RoleIndex, rbacGroup } from "./role-index.ts"

const alice: Principal = { name: "alice", kind: "human", groups: ["team"] }

const get: Access = {
  ...{ verb: "get", group: "", resource: "configmaps", subresource: "" },
  ...{ namespace: "shop", name: "a" },
}

function made(kind: string, namespace: string, name: string, rest: JsonObject): ApiObject {
  const metadata = { name, ...(namespace === "" ? {} : { namespace }) }
  return { apiVersion: `${rbacGroup}/v1`, kind, metadata, ...rest }
}

const plural = (kind: string) => `${kind.toLowerCase()}s`

class World {
  readonly index = new RoleIndex()
  readonly roles = roleAuthorizer(this.index)
  #revision = 0

  put(object: ApiObject): void {
    this.index.put(this.#key(object), object, ++this.#revision)
  }

  remove(object: ApiObject): void {
    this.index.put(this.#key(object), undefined, ++this.#revision)
  }

  allows(access: Partial<Access> = {}, principal = alice): boolean {
    return this.roles.authorize(principal, { ...get, ...access }).allowed
  }

  #key({ kind, metadata }: ApiObject): string {
    const { namespace = "", name } = metadata
    return storageKey({ group: rbacGroup, resource: plural(kind), namespace, name })
  }
}

const rule = (more: JsonObject = {}): JsonObject => ({
  ...{ verbs: ["get"], apiGroups: [""], resources: ["configmaps"] },
  ...more,
})
const to = (kind: string, role: string, ...subjects: Json[]): JsonObject => ({
  roleRef: { apiGroup: rbacGroup, kind, name: role },
  subjects,
})
const user: JsonObject = { kind: "User", name: "alice" }

function bound(rules: readonly JsonObject[], namespace = ""): World {
  const world = new World()
  world.put(made("ClusterRole", "", "r", { rules }))
  const kind = namespace === "" ? "ClusterRoleBinding" : "RoleBinding"
  world.put(made(kind, namespace, "b", to("ClusterRole", "r", user)))
  return world
}

describe("roles", () => {
  test("allow nothing that no rule allows", () => {
    expect(new World().allows()).toBe(false)
    const world = bound([rule()])
    expect(world.allows()).toBe(true)
    for (const other of [
      { verb: "list" },
      { group: "apps" },
      { resource: "secrets" },
      { subresource: "status" },
    ]) {
      expect(world.allows(other), JSON.stringify(other)).toBe(false)
    }
    expect(world.allows({}, { name: "bob", kind: "human" })).toBe(false)
  })

  test("let a binding inside a namespace say nothing about others", () => {
    const world = bound([rule()], "shop")
    expect(world.allows()).toBe(true)
    expect(world.allows({ namespace: "bank" })).toBe(false)
    expect(world.allows({ namespace: "" })).toBe(false)
  })

  test("are bound to users, groups and service accounts", () => {
    const world = new World()
    world.put(made("Role", "shop", "r", { rules: [rule()] }))
    const account = { kind: "ServiceAccount", name: "bot" }
    const group = { kind: "Group", name: "team" }
    world.put(made("RoleBinding", "shop", "b", to("Role", "r", account, group)))
    expect(world.allows()).toBe(true)
    const bot: Principal = { name: "system:serviceaccount:shop:bot", kind: "service" }
    expect(world.allows({}, bot)).toBe(true)
    expect(world.allows({}, { ...bot, name: "system:serviceaccount:bank:bot" })).toBe(false)
  })

  test("restrict by name what has one, so that nothing is created by it", () => {
    const world = bound([rule({ verbs: ["*"], resourceNames: ["a"] })])
    expect(world.allows()).toBe(true)
    expect(world.allows({ name: "b" })).toBe(false)
    expect(world.allows({ verb: "create", name: "" })).toBe(false)
  })

  test("match subresources by name, by star, and never by their resource alone", () => {
    const status = { subresource: "status" }
    expect(bound([rule({ resources: ["configmaps/status"] })]).allows(status)).toBe(true)
    expect(bound([rule({ resources: ["*/status"] })]).allows(status)).toBe(true)
    expect(bound([rule({ resources: ["*"] })]).allows(status)).toBe(true)
    expect(bound([rule({ resources: ["configmaps/*"] })]).allows(status)).toBe(false)
  })

  test("match paths by a star at the end, and resource rules no path", () => {
    const world = bound([{ verbs: ["get"], nonResourceURLs: ["/openapi/*", "/version"] }])
    expect(world.allows({ path: "/openapi/v3" })).toBe(true)
    expect(world.allows({ path: "/version" })).toBe(true)
    expect(world.allows({ path: "/versions" })).toBe(false)
    expect(bound([rule({ resources: ["*"], apiGroups: ["*"] })]).allows({ path: "/x" })).toBe(false)
  })

  test("let members of system:masters do everything", () => {
    expect(new World().allows({}, { ...alice, groups: ["system:masters"] })).toBe(true)
  })

  test("count no more as soon as the binding or the role is gone", () => {
    const world = bound([rule()])
    const role = made("ClusterRole", "", "r", {})
    world.remove(role)
    expect(world.allows()).toBe(false)
    const again = bound([rule()])
    again.remove(made("ClusterRoleBinding", "", "b", {}))
    expect(again.allows()).toBe(false)
  })

  test("are not brought back by an older revision that comes late", () => {
    const world = bound([rule()])
    const binding = made("ClusterRoleBinding", "", "b", to("ClusterRole", "r", user))
    const key = storageKey({
      ...{ group: rbacGroup, resource: "clusterrolebindings", namespace: "", name: "b" },
    })
    world.index.put(key, undefined, 10)
    world.index.put(key, binding, 9)
    expect(world.allows()).toBe(false)
    world.index.settle(10)
    world.index.put(key, binding, 11)
    expect(world.allows()).toBe(true)
  })

  test("aggregate the rules of labelled roles, through others, and never in circles", () => {
    const world = new World()
    const aggregationRule = (label: string): JsonObject => ({
      aggregationRule: { clusterRoleSelectors: [{ matchLabels: { [label]: "true" } }] },
    })
    const labelled = (name: string, label: string, rest: JsonObject): ApiObject => {
      const object = made("ClusterRole", "", name, rest)
      return { ...object, metadata: { name, labels: { [label]: "true" } } }
    }
    world.put(made("ClusterRole", "", "r", aggregationRule("to-r")))
    world.put(labelled("middle", "to-r", aggregationRule("to-middle")))
    world.put(made("ClusterRoleBinding", "", "b", to("ClusterRole", "r", user)))
    expect(world.allows()).toBe(false)
    world.put(labelled("leaf", "to-middle", { rules: [rule()] }))
    expect(world.allows()).toBe(true)
    world.put(labelled("leaf", "to-middle", { rules: [] }))
    expect(world.allows()).toBe(false)
    world.put(labelled("r", "to-middle", aggregationRule("to-r")))
    expect(world.allows()).toBe(false)
  })
})

const word = (...values: string[]) => fc.constantFrom(...values)
const verb = word("get", "list", "*")
const anyRule = fc.oneof(
  fc.record({
    verbs: fc.array(verb, { minLength: 1, maxLength: 2 }),
    apiGroups: fc.array(word("", "apps", "*"), { minLength: 1, maxLength: 2 }),
    resources: fc.array(word("a", "b", "a/s", "*/s", "*"), { minLength: 1, maxLength: 2 }),
    resourceNames: fc.array(word("x", "y"), { maxLength: 1 }),
  }),
  fc.record({
    verbs: fc.array(verb, { minLength: 1, maxLength: 1 }),
    nonResourceURLs: fc.array(word("/p", "/p/*", "*"), { minLength: 1, maxLength: 2 }),
  }),
)
const anyAccess: fc.Arbitrary<Access> = fc.oneof(
  fc.record({
    verb: word("get", "list"),
    group: word("", "apps"),
    resource: word("a", "b"),
    subresource: word("", "s", "t"),
    namespace: word("", "n", "m"),
    name: word("", "x", "y"),
  }),
  fc.record({
    ...{ verb: word("get", "list"), path: word("/p", "/p/q", "/q") },
    ...{ group: fc.constant(""), resource: fc.constant(""), subresource: fc.constant("") },
    ...{ namespace: fc.constant(""), name: fc.constant("") },
  }),
)
const anySubject = word("u:alice", "u:bob", "g:team", "g:other")
const anyGrant = fc.record({
  rules: fc.array(anyRule, { maxLength: 3 }),
  subjects: fc.array(anySubject, { maxLength: 3 }),
  namespace: word("", "n", "m"),
})

type Grant = typeof anyGrant extends fc.Arbitrary<infer T> ? T : never
type Rule = Grant["rules"][number]

/** The same question answered by looking at everything, written without the code under test. */
function oracle(grants: readonly Grant[], access: Access): boolean {
  const star = (list: readonly string[] | undefined, one: string) =>
    list !== undefined && (list.indexOf("*") >= 0 || list.indexOf(one) >= 0)
  const ofPath = (one: Rule, path: string) =>
    "nonResourceURLs" in one &&
    one.nonResourceURLs.some((url) => {
      const open = url.charAt(url.length - 1) === "*"
      return open ? path.indexOf(url.slice(0, -1)) === 0 : url === path
    })
  const ofResource = (one: Rule) => {
    if (!("resources" in one)) return false
    const { resource, subresource, group, name } = access
    const full = subresource === "" ? resource : `${resource}/${subresource}`
    const wanted = ["*", full, ...(subresource === "" ? [] : [`*/${subresource}`])]
    const names = one.resourceNames
    return (
      star(one.apiGroups, group) &&
      one.resources.some((each) => wanted.indexOf(each) >= 0) &&
      (names.length === 0 || names.indexOf(name) >= 0)
    )
  }
  return grants.some(
    ({ rules, subjects, namespace }) =>
      subjects.some((one) => one === "u:alice" || one === "g:team") &&
      (namespace === "" || (access.path === undefined && namespace === access.namespace)) &&
      rules.some(
        (one) =>
          star(one.verbs, access.verb) &&
          (access.path === undefined ? ofResource(one) : ofPath(one, access.path)),
      ),
  )
}

function worldOf(grants: readonly Grant[]): World {
  const world = new World()
  for (const [index, { rules, subjects, namespace }] of grants.entries()) {
    const people = subjects.map((one) => ({
      kind: one.startsWith("u:") ? "User" : "Group",
      name: one.slice(2),
    }))
    const kind = namespace === "" ? "ClusterRoleBinding" : "RoleBinding"
    world.put(made("ClusterRole", "", `r${index}`, { rules }))
    world.put(made(kind, namespace, `b${index}`, to("ClusterRole", `r${index}`, ...people)))
  }
  return world
}

test("answers every question as a reading of all rules does, also after changes", () => {
  const cases = fc.tuple(fc.array(anyGrant, { maxLength: 5 }), anyAccess, fc.nat(4))
  fc.assert(
    fc.property(cases, ([grants, access, gone]) => {
      const world = worldOf(grants)
      expect(world.allows(access)).toBe(oracle(grants, access))
      const left = grants.filter((_, index) => index !== gone)
      const namespace = grants[gone]?.namespace ?? ""
      const kind = namespace === "" ? "ClusterRoleBinding" : "RoleBinding"
      world.remove(made(kind, namespace, `b${gone}`, {}))
      expect(world.allows(access)).toBe(oracle(left, access))
    }),
    { numRuns: 400 },
  )
})

test("never finds rules covered that allow something the held ones do not", () => {
  const rules = fc.array(anyRule, { maxLength: 4 })
  fc.assert(
    fc.property(rules, rules, anyAccess, (held, wanted, access) => {
      const [mine, theirs] = [bound(held), bound(wanted)]
      const missing = uncovered(mine.roles.rulesFor(alice, ""), theirs.roles.rulesFor(alice, ""))
      if (missing.length === 0 && theirs.allows(access)) expect(mine.allows(access)).toBe(true)
    }),
    { numRuns: 1000 },
  )
})
