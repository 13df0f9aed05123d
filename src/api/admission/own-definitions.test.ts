import { afterEach, beforeEach, describe, expect, it } from "vitest"
import {
  type ApiWorld,
  alice,
  definitionOf,
  definitions,
  faultOf,
  openApiWorld,
} from "../../../test/conformance/client-world.ts"
import { disarm } from "../../base/protections.ts"
import { authenticatedGroup, enginePrincipal, mastersGroup } from "../../contract/principal.ts"
import type { ApiObject } from "../../object/object.ts"

let world: ApiWorld
let rearm = () => {}
beforeEach(async () => {
  world = await openApiWorld()
})
afterEach(async () => {
  rearm()
  await world.close()
})

const outside = { ...alice, groups: [mastersGroup, authenticatedGroup] }
const roles = { group: "rbac.authorization.k8s.io", version: "v1", resource: "clusterroles" }
const role: ApiObject = {
  apiVersion: "rbac.authorization.k8s.io/v1",
  kind: "ClusterRole",
  metadata: { name: "reader" },
  rules: [],
}

const ofBuiltIn: ApiObject = {
  ...definitionOf("ClusterRole"),
  metadata: {
    name: `clusterroles.${roles.group}`,
    annotations: { "api-approved.kubernetes.io": "unapproved, a trick" },
  },
  spec: {
    ...definitionOf("ClusterRole").spec,
    group: roles.group,
    scope: "Cluster",
    names: { plural: "clusterroles", kind: "ClusterRole" },
  },
}
const nameOfBuiltIn = { ...definitions, namespace: "", name: ofBuiltIn.metadata.name }
const left = async () => (await world.verbs.list(alice, roles)).items.length

describe("a definition with the name of a built-in kind", () => {
  it("is refused, whoever makes it", async () => {
    const fault = await faultOf(world.verbs.create(outside, definitions, ofBuiltIn))
    expect(fault).toMatchObject({ code: "SPT-API-013", status: 403 })
    const dryRun = world.verbs.create(alice, definitions, ofBuiltIn, { dryRun: true })
    expect(await faultOf(dryRun)).toMatchObject({ code: "SPT-API-013" })
  })

  it("takes nothing along when it is deleted, should there be one", async () => {
    await world.verbs.create(alice, roles, role)
    rearm = disarm("built-in-names-are-taken")
    await world.verbs.create(alice, definitions, ofBuiltIn)
    rearm()
    expect(await world.verbs.delete(alice, nameOfBuiltIn)).toMatchObject({ gone: true })
    expect(await left()).toBe(1)
  })

  it("[twin] takes all objects of the built-in kind along without the protection", async () => {
    await world.verbs.create(alice, roles, role)
    rearm = disarm("built-in-names-are-taken")
    await world.verbs.create(alice, definitions, ofBuiltIn)
    await world.verbs.delete(alice, nameOfBuiltIn)
    expect(await left()).toBe(0)
  })
})

describe("the definition of a kind with targets", () => {
  const things = { ...definitions, namespace: "", name: "things.test.dev" }
  const notes = { ...things, name: "notes.test.dev" }
  const webhook = {
    strategy: "Webhook",
    webhook: {
      conversionReviewVersions: ["v1"],
      clientConfig: { url: "https://elsewhere.test/convert" },
    },
  }
  const converting = { spec: { conversion: webhook } }
  const change = (ref: typeof things, principal = outside) =>
    world.verbs.patch(principal, ref, "merge", converting)

  it("is changed by nobody from outside", async () => {
    expect(await faultOf(change(things))).toMatchObject({ code: "SPT-API-013", status: 403 })
    const status = { status: { conditions: [] } }
    const options = { subresource: "status" } as const
    const patched = world.verbs.patch(outside, things, "merge", status, options)
    expect(await faultOf(patched)).toMatchObject({ code: "SPT-API-013" })
    const source = { name: "setpoint-source/default.main", kind: "service" } as const
    expect(await faultOf(change(things, { ...source, groups: [] }))).toMatchObject({
      code: "SPT-API-013",
    })
  })

  it("may be labelled, and the plane itself may change it", async () => {
    const labels = { metadata: { labels: { team: "a" } } }
    await world.verbs.patch(outside, things, "merge", labels)
    await change(things, { ...enginePrincipal, groups: [] } as typeof outside)
  })

  it("is not made by others where it is missing", async () => {
    await world.verbs.delete(alice, things)
    const made = world.verbs.create(outside, definitions, definitionOf("Thing"))
    expect(await faultOf(made)).toMatchObject({ code: "SPT-API-013" })
  })

  it("leaves those without targets to everybody", async () => {
    await change(notes)
  })

  it("[twin] gets a webhook that rewrites declared objects without the protection", async () => {
    rearm = disarm("definitions-with-targets-are-the-planes")
    expect((await change(things)).object.spec?.conversion).toMatchObject({ strategy: "Webhook" })
  })
})
