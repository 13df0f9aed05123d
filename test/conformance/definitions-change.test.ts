import { createServer, type Server } from "node:https"
import { afterEach, beforeEach, describe, expect, test } from "vitest"
import { callWebhook } from "../../src/api/http/call-webhook.ts"
import type { Json, JsonObject } from "../../src/base/json.ts"
import type { ApiObject, ResourceRef } from "../../src/object/object.ts"
import { alice, definitions } from "./client-world.ts"
import { type DefinitionWorld, fixture, openDefinitionWorld } from "./definition-world.ts"

const policies: ResourceRef = {
  group: "net.example.k8s.io",
  version: "v1alpha1",
  resource: "trafficpolicies",
}
const issuers: ResourceRef = { group: "certs.example.dev", version: "v1", resource: "issuers" }

const policy = (name: string, spec: JsonObject = {}): ApiObject => ({
  apiVersion: "net.example.k8s.io/v1alpha1",
  kind: "TrafficPolicy",
  metadata: { name, namespace: "default" },
  spec: { tier: "Admin", subject: { namespaces: {} }, ...spec },
})

const issuer = (name: string, spec: JsonObject): ApiObject => ({
  apiVersion: "certs.example.dev/v1",
  kind: "Issuer",
  metadata: { name },
  spec,
})

let world: DefinitionWorld
beforeEach(async () => {
  world = await openDefinitionWorld("network-policy", "certificate-issuer")
})
afterEach(() => world.close())

/** Writes a definition as the edit leaves it. */
async function redefine(name: string, edit: (spec: JsonObject) => JsonObject): Promise<ApiObject> {
  const live = await world.read(definitions, name, "")
  return world.update(definitions, { ...live, spec: edit((live.spec ?? {}) as JsonObject) })
}

type Versions = { name: string; schema: JsonObject }[]

/** The definition with one member more in the spec of every version. */
const withMember =
  (name: string, schema: JsonObject) =>
  (spec: JsonObject): JsonObject => {
    const copy = structuredClone(spec) as JsonObject
    for (const version of copy.versions as Versions) {
      const root = version.schema.openAPIV3Schema as { properties: JsonObject }
      const inner = (root.properties.spec as { properties?: Record<string, JsonObject> }).properties
      if (inner !== undefined) inner[name] = schema
    }
    return copy
  }

const policyDefinition = "trafficpolicies.net.example.k8s.io"

describe("a definition that changes", () => {
  test("shows a new default on objects that are older", async () => {
    await world.create(policies, policy("a"))
    await redefine(policyDefinition, withMember("mode", { type: "string", default: "new" }))
    expect((await world.read(policies, "a")).spec).toMatchObject({ mode: "new" })
    const { items } = await world.verbs.list(alice, policies)
    expect(items[0]?.spec).toMatchObject({ mode: "new" })
    const bytes = await world.reads.get({ ...policies, namespace: "default", name: "a" })
    expect(JSON.parse(Buffer.from(bytes ?? []).toString("utf8")).spec.mode).toBe("new")
  })

  test("forgives what it made wrong later, until that part changes", async () => {
    await world.create(policies, policy("a", { priority: 900, ingress: [] }))
    const small = { type: "integer", maximum: 100, default: 50 }
    await redefine(policyDefinition, withMember("priority", small))
    const other = await world.change(policies, "a", (spec) => ({
      ...spec,
      egress: [{ name: "x", action: "Deny" }],
    }))
    expect(other.spec).toMatchObject({ priority: 900 })
    const worse = world.change(policies, "a", (spec) => ({ ...spec, priority: 901 }))
    expect(await world.causes(worse)).toEqual([
      "Invalid spec.priority: Invalid value: 901: spec.priority in body should be less " +
        "than or equal to 100",
    ])
  })

  test("forgives unchanged items of map lists and rules without an old value", async () => {
    const wide = { name: "wide", action: "Deny", ports: [{ port: 5, endPort: 9 }] }
    await world.create(policies, policy("a", { ingress: [wide] }))
    const strict = (spec: JsonObject): JsonObject =>
      JSON.parse(
        JSON.stringify(spec).replaceAll(
          "!has(self.endPort) || self.endPort >= self.port",
          "!has(self.endPort)",
        ),
      )
    await redefine(policyDefinition, strict)
    const first = { name: "first", action: "Accept" }
    const moved = await world.change(policies, "a", (spec) => ({ ...spec, ingress: [first, wide] }))
    expect(moved.spec?.ingress).toHaveLength(2)
    const changed = world.change(policies, "a", (spec) => ({
      ...spec,
      ingress: [{ ...wide, ports: [{ port: 5, endPort: 10 }] }],
    }))
    expect(await world.causes(changed)).toEqual([
      "Invalid spec.ingress[0].ports[0].endPort: Invalid value: a range can not end at 10 before 5",
    ])
  })

  test("keeps every version that objects may be stored in", async () => {
    const v1Only = (spec: JsonObject): JsonObject => ({
      ...spec,
      versions: (spec.versions as JsonObject[])
        .filter((version) => version.name === "v1")
        .map((version) => ({ ...version, storage: true })),
    })
    const swap = (spec: JsonObject): JsonObject => ({
      ...spec,
      versions: (spec.versions as JsonObject[]).map((version) => ({
        ...version,
        storage: version.name === "v1",
      })),
    })
    await world.create(policies, policy("a"))
    const swapped = await redefine(policyDefinition, swap)
    expect(swapped.status?.storedVersions).toEqual(["v1alpha1", "v1"])
    const [cause] = await world.causes(redefine(policyDefinition, v1Only))
    expect(cause).toContain("status.storedVersions[0]")
    const live = await world.read(definitions, policyDefinition, "")
    const status = { ...live.status, storedVersions: ["v1"] }
    await world.verbs.updateStatus(alice, definitions, { ...live, status })
    await redefine(policyDefinition, v1Only)
    const read = await world.read({ ...policies, version: "v1" }, "a")
    expect(read).toMatchObject({ apiVersion: "net.example.k8s.io/v1", kind: "TrafficPolicy" })
    const empty = { ...live, status: { ...live.status, storedVersions: [] } }
    await expect(world.verbs.updateStatus(alice, definitions, empty)).rejects.toThrow()
  })

  test("ends the watches of a version that is no longer served", async () => {
    const signal = AbortSignal.timeout(20_000)
    const { resourceVersion } = await world.verbs.list(alice, policies)
    const events: string[] = []
    const watching = (async () => {
      const request = { resourceVersion, signal }
      for await (const event of world.verbs.watch(alice, policies, request)) events.push(event.type)
    })()
    await world.create(policies, policy("a"))
    await redefine(policyDefinition, (spec) => ({
      ...spec,
      versions: (spec.versions as JsonObject[]).map((version) => ({
        ...version,
        served: version.name === "v1",
      })),
    }))
    await watching
    expect(signal.aborted).toBe(false)
    expect(events.filter((type) => type === "ADDED")).toHaveLength(1)
    await expect(world.verbs.list(alice, policies)).rejects.toThrow("no such kind")
  })

  test("says what it is: accepted, served, not approved, in which versions", async () => {
    const { status } = await world.read(definitions, policyDefinition, "")
    const conditions = status?.conditions as JsonObject[]
    expect(conditions.map(({ type, status: is, reason }) => `${type} ${is} ${reason}`)).toEqual([
      "KubernetesAPIApprovalPolicyConformant False UnapprovedAnnotation",
      "NamesAccepted True NoConflicts",
      "Established True InitialNamesAccepted",
    ])
    const served = world.registry.find({ ...issuers, version: "v1beta1" })
    expect(served?.deprecationWarning).toBe("certs.example.dev/v1beta1 Issuer is deprecated")
  })

  test("is stored and not served while its names are taken", async () => {
    const twin = fixture("certificate-issuer")
    const spec = twin.spec as JsonObject
    const names = { plural: "publishers", kind: "Issuer", singular: "publisher" }
    const made = await world.create(definitions, {
      ...twin,
      metadata: { name: "publishers.certs.example.dev" },
      spec: { ...spec, names },
    })
    expect(made.status?.conditions).toMatchObject([
      { type: "NamesAccepted", status: "False", reason: "ListKindConflict" },
      { type: "Established", status: "False", reason: "NotAccepted" },
    ])
    expect(world.registry.find({ ...issuers, resource: "publishers" })).toBeUndefined()
  })
})

describe("the definition of an issuer", () => {
  test.each<[string, JsonObject, string]>([
    [
      "two ways at once",
      { selfSigned: {}, authority: { secretName: "x" } },
      "Invalid spec: Invalid value: exactly one way to issue must be given",
    ],
    [
      "a renewal that is too late",
      { selfSigned: {}, renewBefore: "10m" },
      'Invalid spec.renewBefore: Invalid value: "10m": renewal needs at least an hour',
    ],
    [
      "a mode that needs more",
      { selfSigned: {}, mode: "Strict" },
      "Invalid spec.mode: Invalid value: mode Strict needs acme or vault",
    ],
    [
      "a name that needs escaping",
      {
        vault: {
          server: "https://far",
          path: "p",
          auth: { token: { name: "t" } },
          "insecure-skip.verify/x": true,
        },
      },
      "Invalid spec.vault: Invalid value: only a local server may go unverified",
    ],
    [
      "a port that is none",
      {
        acme: {
          server: "https://acme.test/dir",
          account: { key: { name: "k" } },
          solvers: [{ name: "a", http: { port: 70000 } }],
        },
      },
      "Invalid spec.acme.solvers[0].http.port: Invalid value: 70000: must be a port or its name",
    ],
    [
      "servers that are no addresses",
      {
        acme: {
          server: "https://acme.test/dir",
          account: { key: { name: "k" } },
          solvers: [{ name: "a", dns: { provider: "cloud", servers: ["ns.test"] } }],
        },
      },
      "Invalid spec.acme.solvers[0].dns.servers: Invalid value: servers are addresses",
    ],
  ])("refuses %s", async (_, spec, cause) => {
    expect(await world.causes(world.create(issuers, issuer("a", spec)))).toEqual([cause])
  })

  test("serves the same object in every version when none converts", async () => {
    await world.create(issuers, issuer("a", { selfSigned: {} }))
    const old = await world.read({ ...issuers, version: "v1alpha1" }, "a", "")
    expect(old).toMatchObject({
      apiVersion: "certs.example.dev/v1alpha1",
      spec: { selfSigned: {}, mode: "Relaxed", renewBefore: "720h" },
    })
  })
})

describe("versions that a webhook converts", () => {
  let server: Server | undefined
  afterEach(() => server?.close())

  /** v1 keeps `spec.size`, v2 calls it `spec.count`. */
  const convert = (body: Json): Json => {
    const { request } = body as { request: JsonObject }
    const objects = request.objects as ApiObject[]
    const converted = objects.map((object) => {
      const { size, count } = (object.spec ?? {}) as { size?: number; count?: number }
      const number = size ?? count ?? 0
      const to = String(request.desiredAPIVersion)
      const spec = to.endsWith("v1") ? { size: number } : { count: number }
      const annotations = { from: object.apiVersion }
      return { ...object, apiVersion: to, spec, metadata: { ...object.metadata, annotations } }
    })
    return {
      apiVersion: "apiextensions.k8s.io/v1",
      kind: "ConversionReview",
      response: {
        uid: request.uid,
        convertedObjects: converted as readonly ApiObject[] as Json,
        result: { status: "Success" },
      },
    }
  }

  const definition = (): ApiObject => {
    const version = (name: string, member: string, storage: boolean) => ({
      name,
      storage,
      served: true,
      schema: {
        openAPIV3Schema: {
          type: "object",
          properties: {
            spec: { type: "object", properties: { [member]: { type: "integer" } } },
          },
        },
      },
    })
    return {
      apiVersion: "apiextensions.k8s.io/v1",
      kind: "CustomResourceDefinition",
      metadata: { name: "boxes.pack.dev" },
      spec: {
        group: "pack.dev",
        scope: "Namespaced",
        names: { plural: "boxes", kind: "Box" },
        versions: [version("v1", "size", true), version("v2", "count", false)],
        conversion: {
          strategy: "Webhook",
          webhook: {
            conversionReviewVersions: ["v1"],
            clientConfig: { url: "https://127.0.0.1:1/convert" },
          },
        },
      },
    }
  }

  const boxes = (version: string): ResourceRef => ({
    group: "pack.dev",
    version,
    resource: "boxes",
  })
  const box = (spec: JsonObject): ApiObject => ({
    apiVersion: "pack.dev/v2",
    kind: "Box",
    metadata: { name: "a", namespace: "default" },
    spec,
  })

  test("are stored in one and read in each, lists and watches too", async () => {
    Object.assign(world.context, { callWebhook: async ({ body }: { body: Json }) => convert(body) })
    await world.create(definitions, definition())
    const made = await world.create(boxes("v2"), box({ count: 3 }))
    expect(made).toMatchObject({ apiVersion: "pack.dev/v2", spec: { count: 3 } })
    const stored = await world.read(boxes("v1"), "a")
    expect(stored).toMatchObject({ apiVersion: "pack.dev/v1", spec: { size: 3 } })
    expect(stored.metadata.uid).toBe(made.metadata.uid)
    const list = await world.verbs.list(alice, boxes("v2"))
    expect(list.items[0]).toMatchObject({ apiVersion: "pack.dev/v2", spec: { count: 3 } })
    const { object } = await world.verbs.patch(
      alice,
      { ...boxes("v2"), namespace: "default", name: "a" },
      "merge",
      { spec: { count: 4 } },
    )
    expect(object.spec).toEqual({ count: 4 })
    expect((await world.read(boxes("v1"), "a")).spec).toEqual({ size: 4 })
    const signal = AbortSignal.timeout(20_000)
    const request = { resourceVersion: list.resourceVersion, signal }
    for await (const event of world.verbs.watch(alice, boxes("v2"), request)) {
      if (event.type === "BOOKMARK") continue
      expect(event).toMatchObject({ type: "MODIFIED", object: { spec: { count: 4 } } })
      break
    }
  })

  test("answer 500 with the reason when the webhook fails or cheats", async () => {
    await world.create(definitions, definition())
    const fails = async (answer: (body: Json) => Json): Promise<string> => {
      Object.assign(world.context, {
        callWebhook: async ({ body }: { body: Json }) => answer(body),
      })
      try {
        await world.create(boxes("v2"), box({ count: 1 }))
      } catch (error) {
        expect(error).toMatchObject({ status: 500, reason: "InternalError" })
        return (error as Error).message
      }
      return ""
    }
    expect(await fails(() => ({}))).toContain("expected webhook response of")
    const cheat = (edit: (object: JsonObject) => JsonObject) => (body: Json) => {
      const review = structuredClone(convert(body)) as { response: { convertedObjects: Json[] } }
      const { response } = review
      response.convertedObjects = response.convertedObjects.map((one) => edit(one as JsonObject))
      return review as JsonObject
    }
    const renamed = cheat((object) => ({ ...object, metadata: { name: "other" } }))
    expect(await fails(renamed)).toContain("must have the same name: a != other")
    expect(await fails(cheat((object) => ({ ...object, apiVersion: "x/v9" })))).toContain(
      "invalid groupVersion (expected pack.dev/v1, received x/v9)",
    )
  })

  test("are called over HTTPS only, without following anybody elsewhere", async () => {
    const call = (url: string) => callWebhook({ client: { url }, body: {}, timeoutMs: 2000 })
    await expect(call("http://127.0.0.1:1/")).rejects.toThrow("only allowed URL scheme")
    await expect(call("https://127.0.0.1:1/")).rejects.toThrow("ECONNREFUSED")
    server = createServer(() => {})
    await new Promise<void>((resolve) => void server?.listen(0, "127.0.0.1", resolve))
    const address = server.address()
    const port = typeof address === "object" && address !== null ? address.port : 0
    await expect(call(`https://127.0.0.1:${port}/`)).rejects.toThrow()
  })
})
