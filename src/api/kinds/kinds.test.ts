import { afterEach, beforeEach, describe, expect, it } from "vitest"
import {
  type ApiWorld,
  alice,
  configMaps,
  faultOf,
  openApiWorld,
} from "../../../test/conformance/client-world.ts"
import type { JsonObject } from "../../base/json.ts"
import type { ApiObject, ResourceRef } from "../../object/object.ts"

let world: ApiWorld
beforeEach(async () => {
  world = await openApiWorld()
})
afterEach(() => world.close())

const secrets: ResourceRef = { group: "", version: "v1", resource: "secrets" }
const leases: ResourceRef = { group: "coordination.k8s.io", version: "v1", resource: "leases" }
const metadata = (name: string) => ({ name, namespace: "default" })
const base64 = (text: string) => Buffer.from(text).toString("base64")
const secret = (name: string, more: JsonObject): ApiObject => ({
  apiVersion: "v1",
  kind: "Secret",
  metadata: metadata(name),
  ...more,
})
const make = async (ref: ResourceRef, object: ApiObject) =>
  (await world.verbs.create(alice, ref, object)).object
const refused = (ref: ResourceRef, object: ApiObject) =>
  faultOf(world.verbs.create(alice, ref, object))

describe("a secret", () => {
  it("takes stringData in, gives only data out, and is Opaque by default", async () => {
    const given = { data: { a: base64("1"), b: base64("2") }, stringData: { b: "x", c: "y" } }
    const made = await make(secrets, secret("s", given))
    expect(made.stringData).toBeUndefined()
    expect(made.data).toEqual({ a: base64("1"), b: base64("x"), c: base64("y") })
    expect(made.type).toBe("Opaque")
    const owned = JSON.stringify(made.metadata.managedFields)
    expect(owned).not.toContain("stringData")
    expect(owned).toContain("f:data")
  })

  it("is changed by a patch or an apply with stringData as well", async () => {
    await make(secrets, secret("s", { stringData: { a: "1" } }))
    const ref = { ...secrets, namespace: "default", name: "s" }
    await world.verbs.patch(alice, ref, "merge", { stringData: { b: "2" } })
    const applied = secret("s", { stringData: { c: "3" } })
    const { object } = await world.verbs.apply(alice, secrets, applied, { fieldManager: "me" })
    expect(object.data).toEqual({ a: base64("1"), b: base64("2"), c: base64("3") })
    expect(object.stringData).toBeUndefined()
  })

  it("is refused with a value that is no base64, and the value is not told", async () => {
    for (const value of ["@canary@", "Y2FuYXJ5=", "YWJ", "YQ==YQ=="]) {
      const fault = await refused(secrets, secret("s", { data: { a: value } }))
      expect(fault).toMatchObject({ code: "SPT-API-090", status: 400, reason: "BadRequest" })
      expect(`${fault.message} ${JSON.stringify(fault.details)}`).not.toContain(value)
    }
  })

  it("is refused with stringData that is no map of texts", async () => {
    for (const stringData of [["canary"], { a: ["canary"] }, { a: 5 }, "canary"]) {
      const fault = await refused(secrets, secret("s", { stringData }))
      expect(fault).toMatchObject({ status: 422, reason: "Invalid" })
      expect(`${fault.message} ${JSON.stringify(fault.details)}`).not.toContain("canary")
    }
  })

  it("keeps its type, and everything once it is immutable", async () => {
    const made = await make(secrets, secret("s", { immutable: true, stringData: { a: "1" } }))
    const ref = { ...secrets, namespace: "default", name: "s" }
    const patches: JsonObject[] = [
      { type: "example.com/other" },
      { stringData: { a: "2" } },
      { data: { b: "" } },
      { immutable: false },
    ]
    for (const patch of patches) {
      const fault = await faultOf(world.verbs.patch(alice, ref, "merge", patch))
      expect(fault).toMatchObject({ status: 422, reason: "Invalid" })
    }
    const labelled = { metadata: { labels: { a: "b" } } }
    const { object } = await world.verbs.patch(alice, ref, "merge", labelled)
    expect(object.data).toEqual(made.data)
  })

  it("of a well-known type has the keys that its users need", async () => {
    const bad: [string, JsonObject][] = [
      ["kubernetes.io/tls", { "tls.crt": "" }],
      ["kubernetes.io/basic-auth", {}],
      ["kubernetes.io/ssh-auth", {}],
      ["kubernetes.io/dockerconfigjson", { ".dockerconfigjson": base64("no json") }],
      ["kubernetes.io/dockercfg", {}],
      ["kubernetes.io/service-account-token", {}],
    ]
    for (const [type, data] of bad) {
      expect(await refused(secrets, secret("s", { type, data }))).toMatchObject({ status: 422 })
    }
    await make(
      secrets,
      secret("s", { type: "kubernetes.io/tls", data: { "tls.crt": "", "tls.key": "" } }),
    )
    const odd = secret("k", { data: { "no/key": "" } })
    expect(await refused(secrets, odd)).toMatchObject({ status: 422 })
  })

  it("may hold a mebibyte and no more", async () => {
    const big = secret("big", { data: { a: Buffer.alloc(1024 * 1024, 1).toString("base64") } })
    await make(secrets, big)
    const more = secret("more", { data: { a: Buffer.alloc(1024 * 1024 + 1).toString("base64") } })
    expect(await refused(secrets, more)).toMatchObject({ status: 422 })
  })
})

describe("a config map", () => {
  const map = (more: JsonObject): ApiObject => ({
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: metadata("m"),
    ...more,
  })

  it("has each key once, and keys that can be file names", async () => {
    for (const bad of [
      { data: { a: "1" }, binaryData: { a: "" } },
      { data: { "a/b": "1" } },
      { binaryData: { "..": "" } },
    ]) {
      expect(await refused(configMaps, map(bad))).toMatchObject({ status: 422 })
    }
    const noBase64 = map({ binaryData: { a: "%" } })
    expect(await refused(configMaps, noBase64)).toMatchObject({ status: 400 })
  })

  it("stays as it is once it is immutable", async () => {
    await make(configMaps, map({ data: { a: "1" }, immutable: true }))
    const ref = { ...configMaps, namespace: "default", name: "m" }
    const change = world.verbs.patch(alice, ref, "merge", { data: { a: "2" } })
    expect(await faultOf(change)).toMatchObject({ status: 422 })
  })
})

describe("a lease", () => {
  const lease = (spec: JsonObject, more: object = {}): ApiObject => ({
    apiVersion: "coordination.k8s.io/v1",
    kind: "Lease",
    metadata: { ...metadata("l"), ...more },
    spec,
  })

  it("goes to exactly one of two that renew what they both read", async () => {
    const made = await make(leases, lease({ holderIdentity: "a", leaseDurationSeconds: 15 }))
    const { resourceVersion = "" } = made.metadata
    const renew = (who: string) =>
      world.verbs.update(alice, leases, lease({ holderIdentity: who }, { resourceVersion }))
    const ends = await Promise.allSettled([renew("b"), renew("c")])
    expect(ends.filter(({ status }) => status === "fulfilled")).toHaveLength(1)
    const [lost] = ends.filter((end) => end.status === "rejected")
    expect(lost?.reason).toMatchObject({ status: 409, reason: "Conflict" })
  })

  it("has a duration above zero", async () => {
    const fault = await refused(leases, lease({ leaseDurationSeconds: 0 }))
    expect(fault).toMatchObject({ status: 422 })
  })
})
