import { afterEach, beforeEach, describe, expect, it } from "vitest"
import {
  type ApiWorld,
  faultOf,
  loops,
  openApiWorld,
} from "../../../test/conformance/client-world.ts"
import type { JsonObject } from "../../base/json.ts"
import { disarm } from "../../base/protections.ts"
import {
  authenticatedGroup,
  enginePrincipal,
  type Principal,
  sourcePrincipal,
} from "../../contract/principal.ts"
import type { ApiObject } from "../../object/object.ts"

let world: ApiWorld
const rearms: (() => void)[] = []
beforeEach(async () => {
  world = await openApiWorld()
})
afterEach(async () => {
  for (const rearm of rearms.splice(0)) rearm()
  await world.close()
})

const group = "rbac.authorization.k8s.io"
const apiVersion = `${group}/v1`
const roles = { group, version: "v1", resource: "clusterroles" }
const bindings = { group, version: "v1", resource: "clusterrolebindings" }
const webhooks = {
  ...{ group: "admissionregistration.k8s.io", version: "v1" },
  resource: "mutatingwebhookconfigurations",
}
const source = sourcePrincipal("setpoint-system.site")
const agent: Principal = { name: "bot", kind: "agent", groups: [authenticatedGroup] }

const role = (name: string, rules: readonly JsonObject[]): ApiObject => ({
  ...{ apiVersion, kind: "ClusterRole", metadata: { name }, rules: [...rules] },
})
const binding = (name: string, user: string): ApiObject => ({
  ...{ apiVersion, kind: "ClusterRoleBinding", metadata: { name } },
  roleRef: { apiGroup: group, kind: "ClusterRole", name },
  subjects: [{ apiGroup: group, kind: "User", name: user }],
})
const loop = (path: string): ApiObject => ({
  ...{ apiVersion: "setpoint.dev/v1alpha1", kind: "Loop" },
  metadata: { name: "site", namespace: "setpoint-system" },
  spec: { source: { directory: { path } } },
})
const rule = (verbs: string[], apiGroup: string, resource: string) => ({
  ...{ verbs, apiGroups: [apiGroup], resources: [resource] },
})

/** Roles, and whom they are bound to. */
async function given(name: string, user: string, ...rules: ReturnType<typeof rule>[]) {
  await world.verbs.create(enginePrincipal, roles, role(name, rules))
  await world.verbs.create(enginePrincipal, bindings, binding(name, user))
}
const declare = (ref: typeof roles, object: ApiObject) =>
  world.verbs.apply(source, ref, object, { fieldManager: source.name })

const everything = [rule(["*"], "*", "*")]
const webhook: ApiObject = {
  ...{ apiVersion: `${webhooks.group}/v1`, kind: "MutatingWebhookConfiguration" },
  metadata: { name: "all" },
  webhooks: [],
}

describe("a source", () => {
  it("gives nobody a role, and asks nobody about requests, unless a role lets it", async () => {
    await given("all", "somebody", ...everything)
    const bound = faultOf(
      declare(bindings, { ...binding("all", "bot"), metadata: { name: "bot" } }),
    )
    expect(await bound).toMatchObject({ code: "SPT-API-073", status: 403 })
    const made = faultOf(declare(roles, role("more", everything)))
    expect(await made).toMatchObject({ code: "SPT-API-073" })
    expect(await faultOf(declare(webhooks, webhook))).toMatchObject({ code: "SPT-API-073" })
  })

  it("gives away what it was given, and no more", async () => {
    const write = ["create", "update", "get"]
    const own = [rule(write, group, "*"), rule(write, webhooks.group, "*")]
    await given("site", source.name, ...own, rule(["get"], "", "configmaps"))
    await declare(roles, role("reader", [rule(["get"], "", "configmaps")]))
    await declare(bindings, binding("reader", "bob"))
    await declare(webhooks, webhook)
    const more = faultOf(declare(roles, role("keeper", [rule(["get"], "", "secrets")])))
    expect(await more).toMatchObject({ code: "SPT-API-070" })
  })

  it("[twin] hands everything to anybody without the protections", async () => {
    await given("all", "somebody", ...everything)
    rearms.push(disarm("sources-hold-their-roles"), disarm("no-escalation"))
    await declare(bindings, { ...binding("all", "bot"), metadata: { name: "bot" } })
    const secrets = { verb: "get", group: "", resource: "secrets", subresource: "" }
    const access = { ...secrets, namespace: "default", name: "" }
    expect(world.roles.authorize(agent, access).allowed).toBe(true)
  })
})

describe("a loop whose source holds a role", () => {
  it("gets another source only from who holds as much", async () => {
    const own = rule(["create", "update", "patch"], "setpoint.dev", "loops")
    await given("loops", agent.name, own)
    await world.verbs.create(enginePrincipal, loops, loop("/srv/bot"))
    await given("site", source.name, ...everything)
    const ref = { ...loops, namespace: "setpoint-system", name: "site" }
    const move = () =>
      world.verbs.patch(agent, ref, "merge", { spec: loop("/srv/evil").spec ?? {} })
    expect(await faultOf(move())).toMatchObject({ code: "SPT-API-070", status: 403 })
    const other = sourcePrincipal("setpoint-system.other")
    const options = { fieldManager: other.name, force: true }
    const declared = world.verbs.apply(other, loops, loop("/srv/evil"), options)
    expect(await faultOf(declared)).toMatchObject({ code: "SPT-API-070" })
    await world.verbs.patch(agent, ref, "merge", { spec: { interval: "2m" } })
    await given("bot", agent.name, ...everything)
    await move()
  })
})

describe("who chooses a source", () => {
  const own = rule(["create", "update", "patch"], "setpoint.dev", "loops")
  const repository = { git: { url: "https://example.com/evil.git", secretRef: { name: "login" } } }
  const pointed = { ...loop(""), spec: { source: repository } } as ApiObject

  it("may write all that it could declare, and read the Secrets it could send away", async () => {
    await given("loops", agent.name, own)
    const refused = faultOf(world.verbs.create(agent, loops, pointed))
    expect(await refused).toMatchObject({ code: "SPT-API-074", status: 403 })
    await world.verbs.create(agent, loops, { ...pointed, spec: { interval: "2m" } })
    const ref = { ...loops, namespace: "setpoint-system", name: "site" }
    const later = () => world.verbs.patch(agent, ref, "merge", { spec: { source: repository } })
    expect(await faultOf(later())).toMatchObject({ code: "SPT-API-074" })
    const write = ["create", "patch", "delete"]
    await given("most", agent.name, rule(write, "*", "*"))
    expect(await faultOf(later())).toMatchObject({ details: { what: "get secrets" } })
    await given("bot", agent.name, rule(["get"], "", "secrets"))
    await later()
  })

  it("[twin] would be anybody who may make a loop", async () => {
    await given("loops", agent.name, own)
    rearms.push(disarm("sources-are-chosen-by-writers"))
    await world.verbs.create(agent, loops, pointed)
  })
})
