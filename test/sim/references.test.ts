import { afterEach, describe, expect, it } from "vitest"
import type { Json, JsonObject } from "../../src/base/json.ts"
import { disarm, type Protection } from "../../src/base/protections.ts"
import { authenticatedGroup, mastersGroup, type Principal } from "../../src/contract/principal.ts"
import type { ApiObject } from "../../src/object/object.ts"
import { valueOfReference } from "../../src/plane/find-reference.ts"
import { defineComposite } from "../../src/provider/define-composite.ts"
import { siteWith } from "../corpus/site-with.ts"
import { ann, type Site, type SiteOptions, widget, widgets } from "./site.ts"
import { colored, outputOf, secretOf, wired } from "./wired-widgets.ts"

let armAgain: (() => void) | undefined
afterEach(() => {
  armAgain?.()
  armAgain = undefined
})
const without = (name: Protection) => {
  armAgain = disarm(name)
}

const open = (options: SiteOptions = {}) => siteWith({ kind: wired }, options)
const colorOf = (site: Site, name: string) => site.world.find(name)[0]?.value.color
const verbs = (site: Site) => site.world.ledger.map((one) => `${one.verb} ${one.identity}`)

const secrets = { group: "", version: "v1", resource: "secrets" } as const
const value = "correct-horse-battery"
const secret = (name: string, password: string): ApiObject => ({
  apiVersion: "v1",
  kind: "Secret",
  metadata: { name, namespace: "default" },
  data: { password: Buffer.from(password).toString("base64") },
})

describe("a value that is taken from another object", () => {
  it("is waited for, and used as soon as it is known", async () => {
    const site = await open()
    await site.declare([colored("b", outputOf("a"))])
    expect(site.there()).toEqual([])
    expect(await site.reason("b")).toBe("MissingReference")
    await site.declare([colored("b", outputOf("a")), widget("a", { color: "green" })])
    expect(colorOf(site, "b")).toBe("green")
    expect(verbs(site)).toEqual(["created a", "created b"])
  })

  it("flows through a chain when it changes, without waiting for a look", async () => {
    const site = await open({ loop: { interval: "24h" } })
    const chain = [colored("b", outputOf("a")), colored("c", outputOf("b"))]
    await site.declare([widget("a", { color: "green" }), ...chain])
    expect(colorOf(site, "c")).toBe("green")
    await site.declare([widget("a", { color: "blue" }), ...chain], 5000)
    expect([colorOf(site, "b"), colorOf(site, "c")]).toEqual(["blue", "blue"])
    const entries = await site.journal()
    const intents = entries.flatMap(({ event }) => (event.type === "intent" ? event.actions : []))
    const causes = intents.map(({ verb, cause }) => `${verb} ${cause.kind}`)
    expect(causes.filter((one) => one === "update dependency")).toHaveLength(2)
  })

  it("wakes nobody when the object changes in other fields", async () => {
    const site = await open({ loop: { interval: "24h" } })
    await site.declare([widget("a"), colored("b", outputOf("a"))])
    const reads = site.world.calls.observe
    await site.declare([widget("a", { size: 7 }), colored("b", outputOf("a"))], 5000)
    expect(site.world.find("a")[0]?.value.size).toBe(7)
    expect(site.world.calls.observe - reads).toBeLessThanOrEqual(3)
  })

  it("comes from the spec of an object, too, and from a ConfigMap", async () => {
    const site = await open()
    const map: ApiObject = {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: "colors" },
      data: { "first.color": "pink" },
    }
    const first = { kind: "ConfigMap", name: "colors", field: "data.first.color" }
    const second = { kind: "Widget", name: "a", field: "spec.size" }
    await site.declare([map, colored("a", first), colored("b", second)])
    expect(colorOf(site, "a")).toBe("pink")
    expect(await site.reason("b")).toBe("MissingReference") // A number is no color.
    await site.declare([{ ...map, data: { "first.color": "grey" } }, colored("a", first)], 5000)
    expect(colorOf(site, "a")).toBe("grey")
  })

  it("survives a restart without a write", async () => {
    const site = await open()
    await site.declare([widget("a"), colored("b", outputOf("a"))])
    await site.restart()
    await site.look()
    const before = [site.revision, site.mutations]
    await site.look()
    await site.look()
    expect([site.revision, site.mutations]).toEqual(before)
  })
})

describe("deletes of objects that refer to each other", () => {
  const loop = { limits: { deletes: 100, deletesPercent: 100 }, onEmpty: "Allow" }
  const chain = [widget("a"), colored("b", outputOf("a")), colored("c", outputOf("b"))]

  it("go in reverse order, also after a restart", async () => {
    for (const restart of [false, true]) {
      const site = await open({ loop: { ...loop, interval: "24h" } })
      await site.declare(chain)
      if (restart) await site.restart()
      await site.declare([], 60_000)
      expect(verbs(site).slice(3)).toEqual(["deleted c", "deleted b", "deleted a"])
    }
  })

  it("(twin) would go in any order", async () => {
    without("dependents-go-first")
    const site = await open({ loop })
    await site.declare(chain)
    await site.declare([], 60_000)
    expect(verbs(site).slice(3)).not.toEqual(["deleted c", "deleted b", "deleted a"])
  })

  const color = { kind: "Widget", name: "a", field: "spec.color" }
  const theirs = async () => {
    const site = await open({ loop })
    const value = { name: "a", size: 9, color: "black" }
    site.world.create({ identity: "a", scope: "all", value }, "somebody")
    await site.declare([widget("a"), colored("b", color)])
    expect(colorOf(site, "b")).toBe("red")
    return { site, lift: site.world.faults.add({ how: "refused", on: ["delete", "batch"] }) }
  }

  it("wait for each other also where a target is not ours and stays", async () => {
    const { site, lift } = await theirs()
    await site.declare([], 10_000)
    expect(await site.reason("a")).toBe("DependentFirst")
    lift()
    await site.declare([], 600_000)
    expect([await site.object("a"), await site.object("b")]).toEqual([undefined, undefined])
    expect(site.there()).toEqual(["a"])
  })

  it("(twin) would leave b without what it takes from a", async () => {
    without("dependents-go-first")
    const { site } = await theirs()
    await site.declare([], 10_000)
    expect(await site.object("a")).toBeUndefined()
    expect(await site.object("b")).toBeDefined()
  })

  it("do not wait for what stays", async () => {
    const site = await open({ loop })
    await site.declare(chain)
    await site.declare(chain.slice(1), 30_000)
    expect(site.there()).toEqual(["b", "c"])
    expect(await site.reason("b")).toBe("MissingReference")
  })

  it("end although specs refer to each other in a circle", async () => {
    const site = await open({ loop })
    const size = (name: string) => ({ kind: "Widget", name, field: "spec.name" })
    await site.declare([colored("a", size("b")), colored("b", size("a"))])
    expect(site.there()).toEqual(["a", "b"])
    await site.declare([], 60_000)
    expect(site.there()).toEqual([])
  })
})

describe("a value that is taken from a Secret", () => {
  const everything = async (site: Site) => {
    const { store } = site.sim.plane.ports
    const page = await site.run(store.range({ prefix: "", limit: 100_000 }))
    if (page.kind !== "range") throw new Error("compacted")
    const others = page.entries.filter(({ key }) => !key.includes("/secrets/"))
    const texts = others.map((one) => Buffer.from(one.value).toString("utf8"))
    return (text: string) => texts.some((one) => one.includes(text))
  }
  const explained = async (site: Site, name: string) => {
    const path = `/setpoint/v1/explain?object=widgets.sim.setpoint.dev/default/${name}`
    return JSON.stringify(await site.run(site.as(ann).call("GET", path)))
  }
  const filled = async (options: SiteOptions = {}) => {
    const site = await open(options)
    await site.declare([secret("db", value), colored("a", secretOf("db"))])
    return site
  }

  it("reaches the target decoded, and nothing that is remembered or shown", async () => {
    const site = await filled()
    expect(colorOf(site, "a")).toBe(value)
    expect((await everything(site))(value)).toBe(false)
    expect((await explained(site, "a")).includes(value)).toBe(false)
    site.world.edit("a", { color: "drifted" })
    await site.look()
    expect(colorOf(site, "a")).toBe(value)
    expect((await everything(site))(value)).toBe(false)
  })

  it("(twin) would be remembered in clear", async () => {
    without("values-of-secrets-stay-hidden")
    const site = await filled()
    expect((await everything(site))(value)).toBe(true)
  })

  it("shows in a plan as a hash only", async () => {
    const site = await filled({ loop: { mode: "Propose" } })
    expect(site.pending().held).toHaveLength(1)
    expect(JSON.stringify(site.pending()).includes(value)).toBe(false)
    expect((await everything(site))(value)).toBe(false)
  })

  it("is brought to the target when the Secret changes, at once", async () => {
    const site = await filled({ loop: { interval: "24h" } })
    await site.declare([secret("db", "second-secret"), colored("a", secretOf("db"))], 5000)
    expect(colorOf(site, "a")).toBe("second-secret")
    expect((await everything(site))("second-secret")).toBe(false)
  })

  it("takes the place of a written value, and gives way to one, without a conflict", async () => {
    const site = await open()
    const db = secret("db", value)
    await site.declare([db, widget("a", { color: "plain" })])
    await site.declare([db, colored("a", secretOf("db"))])
    expect(colorOf(site, "a")).toBe(value)
    await site.declare([db, widget("a", { color: "plain" })])
    expect(colorOf(site, "a")).toBe("plain")
    expect(site.plans("Pending")).toEqual([])
  })

  it("is not taken from another namespace", async () => {
    const site = await open()
    const other = { ...secret("db", value), metadata: { name: "db", namespace: "setpoint-system" } }
    await site.run(site.as(ann).create(secrets, other))
    await site.declare([colored("a", { ...secretOf("db"), namespace: "setpoint-system" })])
    expect(site.there()).toEqual([])
  })
})

it("takes all values of a Secret by their names", () => {
  const all = { kind: "Secret", name: "db", field: "data" }
  expect(valueOfReference(secret("db", value), all)).toEqual({ password: value })
})

describe("who may take a value from a Secret", () => {
  const mine = async () => {
    const site = await open({ loop: { interval: "1m" } })
    await site.run(site.as(ann).create(secrets, secret("db", value)))
    return site
  }
  const eve: Principal = { name: "eve", kind: "human", groups: [authenticatedGroup] }
  const roles = { group: "rbac.authorization.k8s.io", version: "v1" }
  const bind = async (site: Site, user: string, name: string, rule: Json) => {
    const [apiVersion, apiGroup] = ["rbac.authorization.k8s.io/v1", "rbac.authorization.k8s.io"]
    const metadata = { name, namespace: "default" }
    const role: ApiObject = { apiVersion, kind: "Role", metadata, rules: [rule] }
    const roleRef = { apiGroup, kind: "Role", name }
    const subjects = [{ apiGroup, kind: "User", name: user }]
    const binding: ApiObject = { apiVersion, kind: "RoleBinding", metadata, roleRef, subjects }
    await site.run(site.as(ann).create({ ...roles, resource: "roles" }, role))
    await site.run(site.as(ann).create({ ...roles, resource: "rolebindings" }, binding))
  }
  const reads = { apiGroups: [""], resources: ["secrets"], resourceNames: ["db"], verbs: ["get"] }
  const makes = { apiGroups: [widgets.group], resources: ["widgets"], verbs: ["create"] }

  it("is a source that declares it, or that a role lets read it, and no other", async () => {
    const site = await mine()
    await site.declare([colored("a", secretOf("db"))])
    expect(site.there()).toEqual([])
    expect(await site.reason("a")).toBe("ReferenceRefused")
    await bind(site, "setpoint-source/default.site", "reads", reads)
    await site.look()
    expect(colorOf(site, "a")).toBe(value)
  })

  it("is not a source that declares nothing but a label of it", async () => {
    const site = await mine()
    const label: ApiObject = {
      ...{ apiVersion: "v1", kind: "Secret", metadata: { name: "db", labels: { mine: "yes" } } },
    }
    await site.declare([label, colored("a", secretOf("db"))])
    expect(await site.reason("a")).toBe("ReferenceRefused")
    await site.declare([label, colored("a", { ...secretOf("db"), field: "data" })])
    expect(await site.reason("a")).toBe("ReferenceRefused")
    expect(site.there()).toEqual([])
  })

  it("(twin) would be any source", async () => {
    without("secrets-are-taken-for-their-readers")
    const site = await mine()
    await site.declare([colored("a", secretOf("db"))])
    expect(colorOf(site, "a")).toBe(value)
  })

  it("is whoever may read it, where the reference is written by API", async () => {
    const site = await mine()
    await bind(site, "eve", "makes", makes)
    const { spec, ...plain } = colored("a", secretOf("db"))
    const a = { ...plain, spec: spec ?? {}, metadata: { name: "a", namespace: "default" } }
    expect(await site.refused(site.as(eve).create(widgets, a))).toContain("secrets")
    await bind(site, "eve", "reads", reads)
    await site.create(colored("a", secretOf("db")), eve)
    await site.clock.advance(3000)
    expect(colorOf(site, "a")).toBe(value)
  })

  const changes = { ...makes, verbs: ["create", "patch"] }
  const inDefault = (object: ApiObject): ApiObject => ({
    ...object,
    metadata: { ...object.metadata, namespace: "default" },
  })
  const apply = (site: Site, who: Principal, object: ApiObject) =>
    site.as(who).apply(widgets, inDefault(object), { fieldManager: who.name, force: true })

  it("is not whoever may only change what takes it already", async () => {
    const site = await mine()
    await bind(site, "eve", "changes", changes)
    const a = colored("a", secretOf("db"))
    await site.run(apply(site, ann, a))
    const larger = { ...a, spec: { ...a.spec, size: 7 } }
    expect(await site.refused(apply(site, eve, larger))).toContain("secrets")
    await bind(site, "eve", "reads", reads)
    await site.run(apply(site, eve, larger))
  })

  it("is who may read the object, where it is in another namespace", async () => {
    const site = await mine()
    await bind(site, "eve", "changes", changes)
    const elsewhere = { kind: "ConfigMap", name: "c", field: "data.color" }
    const there = { ...elsewhere, namespace: "setpoint-system" }
    expect(await site.refused(apply(site, eve, colored("a", there)))).toContain("configmaps")
    const unknown = { ...there, kind: "Gadget" }
    expect(await site.refused(apply(site, eve, colored("a", unknown)))).toContain("forbidden")
    await site.run(apply(site, eve, colored("a", elsewhere)))
  })
})

describe("a Secret that a composite hands on to its children", () => {
  const racks = { group: "sim.setpoint.dev", version: "v1", resource: "racks" } as const
  const rackKind = defineComposite({
    ...{ group: "sim.setpoint.dev", version: "v1", kind: "Rack", plural: "racks" },
    spec: {
      type: "object",
      properties: { from: { type: "object", "x-kubernetes-preserve-unknown-fields": true } },
    },
    children: [{ group: "sim.setpoint.dev", kind: "Widget" }],
    compose: ({ parent }) => ({
      children: [colored("in-rack", parent.spec.from as JsonObject)],
      status: {},
    }),
  })
  const rack = (from: JsonObject): ApiObject => ({
    ...{ apiVersion: "sim.setpoint.dev/v1", kind: "Rack" },
    ...{ metadata: { name: "r", namespace: "default" }, spec: { from } },
  })
  const people = { kind: "human", groups: [authenticatedGroup, mastersGroup] } as const
  const owner: Principal = { name: "owner", ...people }
  const eve: Principal = { name: "eve", kind: "human", groups: [authenticatedGroup] }
  const grant = async (site: Site, user: string) => {
    const group = "rbac.authorization.k8s.io"
    const [apiVersion, metadata] = [`${group}/v1`, { name: "racks" }]
    const rules = [{ apiGroups: [racks.group], resources: ["racks"], verbs: ["create", "patch"] }]
    const roleRef = { apiGroup: group, kind: "ClusterRole", name: "racks" }
    const subjects = [{ apiGroup: group, kind: "User", name: user }]
    const at = { group, version: "v1" }
    const role: ApiObject = { apiVersion, kind: "ClusterRole", metadata, rules }
    const bound: ApiObject = { apiVersion, kind: "ClusterRoleBinding", metadata, roleRef, subjects }
    await site.run(site.as(ann).create({ ...at, resource: "clusterroles" }, role))
    await site.run(site.as(ann).create({ ...at, resource: "clusterrolebindings" }, bound))
  }
  const openRacks = async () => {
    const site = await open({ composites: [rackKind], loop: { interval: "1m" } })
    await site.run(site.as(ann).create(secrets, secret("db", value)))
    await grant(site, "eve")
    return site
  }
  const apply = (site: Site, who: Principal, object: ApiObject) =>
    site.as(who).apply(racks, object, { fieldManager: who.name, force: true })

  it("is given when who wrote the parent may read it, by whatever group", async () => {
    const site = await openRacks()
    await site.run(apply(site, owner, rack(secretOf("db"))))
    await site.clock.advance(5000)
    expect(colorOf(site, "in-rack")).toBe(value)
  })

  it("is not given to who may only write the parent, nor after somebody else did", async () => {
    const site = await openRacks()
    expect(await site.refused(apply(site, eve, rack(secretOf("db"))))).toContain("secrets")
    await site.run(apply(site, owner, rack({ kind: "ConfigMap", name: "c", field: "data.x" })))
    expect(await site.refused(apply(site, eve, rack(secretOf("db"))))).toContain("secrets")
  })
})
