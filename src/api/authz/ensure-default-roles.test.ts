import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { type ApiWorld, openApiWorld } from "../../../test/conformance/client-world.ts"
import type { Json } from "../../base/json.ts"
import { disarm } from "../../base/protections.ts"
import { enginePrincipal } from "../../contract/principal.ts"
import type { ApiObject } from "../../object/object.ts"
import { aggregateRoles } from "./aggregate-roles.ts"
import { autoUpdate, defaultRoles } from "./default-roles.ts"
import { ensureDefaultRoles } from "./ensure-default-roles.ts"
import { rbacGroup } from "./role-index.ts"

let api: ApiWorld
beforeEach(async () => {
  api = await openApiWorld()
})
afterEach(() => api.close())

const ref = (resource: string, name: string) => ({
  ...{ group: rbacGroup, version: "v1", resource, namespace: "", name },
})
const host = "host.setpoint.dev"
const kinds = [
  { group: host, resource: "files", privileged: false },
  { group: host, resource: "users", privileged: true },
]
const ensure = (objects = defaultRoles(kinds)) =>
  ensureDefaultRoles({ verbs: api.verbs, store: api.store }, objects)
const get = (resource: string, name: string) => api.verbs.get(enginePrincipal, ref(resource, name))

async function need(resource: string, name: string): Promise<ApiObject> {
  const object = await get(resource, name)
  if (object === undefined) throw new Error(`no ${resource} ${name}`)
  return object
}

describe("default roles", () => {
  it("are made once, and stay deleted", async () => {
    await ensure()
    for (const role of defaultRoles([])) {
      expect(await get(`${role.kind.toLowerCase()}s`, role.metadata.name)).toBeDefined()
    }
    await api.verbs.delete(enginePrincipal, ref("clusterrolebindings", "setpoint:operator"))
    await ensure()
    expect(await get("clusterrolebindings", "setpoint:operator")).toBeUndefined()
    expect(await get("clusterroles", "setpoint:operator")).toBeDefined()
  })

  it("get the rules and subjects that they lack, and keep what was added", async () => {
    await ensure()
    const role = await need("clusterroles", "system:discovery")
    const rules: Json = [{ verbs: ["get"], nonResourceURLs: ["/mine"] }]
    await api.verbs.update(enginePrincipal, ref("clusterroles", ""), { ...role, rules })
    const binding = await need("clusterrolebindings", "setpoint:proposer")
    const other = { ...binding, subjects: [] }
    await api.verbs.update(enginePrincipal, ref("clusterrolebindings", ""), other)
    await ensure()
    const now = await need("clusterroles", "system:discovery")
    expect(now.rules).toHaveLength(2)
    expect((await need("clusterrolebindings", "setpoint:proposer")).subjects).toHaveLength(1)
  })

  it("are left alone where their annotation says so", async () => {
    await ensure()
    const role = await need("clusterroles", "system:discovery")
    const annotations = { [autoUpdate]: "false" }
    const changed = { ...role, rules: [], metadata: { ...role.metadata, annotations } }
    await api.verbs.update(enginePrincipal, ref("clusterroles", ""), changed)
    await ensure()
    expect((await need("clusterroles", "system:discovery")).rules).toEqual([])
  })

  it("show in admin, edit and view the rules that they are made of", async () => {
    await ensure()
    const aggregation = aggregateRoles(api.context.roles, api.verbs, (fault) => {
      throw fault
    })
    await aggregation.settled()
    const text = async (name: string) => JSON.stringify((await need("clusterroles", name)).rules)
    expect(await text("view")).toContain("configmaps")
    expect(await text("view")).not.toContain("secrets")
    expect(await text("edit")).toContain("secrets")
    expect(await text("admin")).toContain("rolebindings")
    const own = { name: "mine", labels: { "rbac.authorization.k8s.io/aggregate-to-view": "true" } }
    const rules: Json = [{ verbs: ["get"], apiGroups: ["my.dev"], resources: ["widgets"] }]
    const mine = { apiVersion: `${rbacGroup}/v1`, kind: "ClusterRole", metadata: own, rules }
    await api.verbs.create(enginePrincipal, ref("clusterroles", ""), mine)
    await aggregation.settled()
    for (const name of ["view", "edit", "admin"]) expect(await text(name)).toContain("widgets")
    await aggregation.close()
  })

  it("let agents declare what does not hold the host, and only read what does", () => {
    const mayWrite = (resource: string) =>
      defaultRoles(kinds)
        .filter(({ metadata }) => metadata.name === "setpoint:aggregate-to-proposer")
        .flatMap((role) => role.rules as object as readonly Rule[])
        .some(
          ({ apiGroups = [], resources = [], verbs }) =>
            apiGroups.includes(host) &&
            (resources.includes(resource) || resources.includes("*")) &&
            verbs.includes("create"),
        )
    expect(mayWrite("files")).toBe(true)
    expect(mayWrite("users")).toBe(false)
    const arm = disarm("agents-hold-no-host")
    try {
      expect(mayWrite("users")).toBe(true)
    } finally {
      arm()
    }
  })
})

interface Rule {
  readonly apiGroups?: readonly string[]
  readonly resources?: readonly string[]
  readonly verbs: readonly string[]
}
