import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { policies, policy } from "../../../test/conformance/admission-objects.ts"
import { type ApiWorld, faultOf, openApiWorld } from "../../../test/conformance/client-world.ts"
import { disarm } from "../../base/protections.ts"
import { authenticatedGroup, enginePrincipal, type Principal } from "../../contract/principal.ts"

let world: ApiWorld
let rearm = () => {}
beforeEach(async () => {
  world = await openApiWorld()
  await world.verbs.create(enginePrincipal, of("clusterroles"), {
    ...{ apiVersion: "rbac.authorization.k8s.io/v1", kind: "ClusterRole" },
    metadata: { name: "author" },
    rules: [
      { verbs: ["*"], apiGroups: [policies.group], resources: ["*"] },
      { verbs: ["get"], apiGroups: [""], resources: ["configmaps"] },
    ],
  })
  await world.verbs.create(enginePrincipal, of("clusterrolebindings"), {
    ...{ apiVersion: "rbac.authorization.k8s.io/v1", kind: "ClusterRoleBinding" },
    metadata: { name: "author" },
    roleRef: { apiGroup: rbac, kind: "ClusterRole", name: "author" },
    subjects: [{ apiGroup: rbac, kind: "User", name: author.name }],
  })
})
afterEach(async () => {
  rearm()
  await world.close()
})

const rbac = "rbac.authorization.k8s.io"
const of = (resource: string) => ({ group: rbac, version: "v1", resource })
const author: Principal = { name: "ann", kind: "human", groups: [authenticatedGroup] }
const reading = (kind: string, apiVersion = "v1") =>
  policy("p", { paramKind: { apiVersion, kind }, validations: [{ expression: "true" }] })
const make = (kind: string, apiVersion?: string) =>
  world.verbs.create(author, policies, reading(kind, apiVersion))

describe("a policy with parameters", () => {
  it("is made by who may read them, and by nobody else", async () => {
    expect(await faultOf(make("Secret"))).toMatchObject({ code: "SPT-API-029", status: 403 })
    expect(await faultOf(make("Later", "new.dev/v1"))).toMatchObject({ code: "SPT-API-029" })
    await make("ConfigMap")
    const ref = { ...policies, namespace: "", name: "p" }
    const change = { spec: { paramKind: { kind: "Secret" } } }
    const patched = world.verbs.patch(author, ref, "merge", change)
    expect(await faultOf(patched)).toMatchObject({ code: "SPT-API-029" })
  })

  it("[twin] reads Secrets for who may not without the protection", async () => {
    rearm = disarm("policies-read-for-their-authors")
    expect((await make("Secret")).created).toBe(true)
  })
})
