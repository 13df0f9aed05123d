import type { IncomingHttpHeaders } from "node:http"
import { describe, expect, it } from "vitest"
import type { ApiObject } from "../../object/object.ts"
import type { Answer } from "../http/answer.ts"
import { findRoute } from "../http/plain-route.ts"
import { ResourceRegistry } from "../resource-registry.ts"
import { discoveredGroups } from "./discovered-groups.ts"
import { discoveryRoutes } from "./discovery-routes.ts"
import { compareVersions } from "./version-order.ts"

const v2 = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"
const v2beta1 = v2.replace("v=v2", "v=v2beta1")

interface Draft {
  readonly plural?: string
  readonly group?: string
  readonly versions?: readonly object[]
  readonly established?: boolean
  readonly names?: object
}

function definition(draft: Draft = {}): ApiObject {
  const { plural = "widgets", group = "example.com", established = true } = draft
  const versions = draft.versions ?? [version("v1")]
  const kind = "Widget"
  const names = { plural, kind, shortNames: ["wd"], categories: ["all"], ...draft.names }
  const conditions = [{ type: "Established", status: established ? "True" : "False" }]
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.${group}` },
    spec: { group, scope: "Namespaced", names, versions: versions as never },
    status: { conditions },
  }
}

const version = (name: string, subresources: object = {}, served = true) => ({
  ...{ name, served, storage: false, subresources },
  schema: { openAPIV3Schema: { type: "object" } },
})

function ask(registry: ResourceRegistry, path: string, headers: IncomingHttpHeaders = {}): Answer {
  const routes = discoveryRoutes(registry)
  return askRoutes(routes, path, headers)
}

function askRoutes(
  routes: ReturnType<typeof discoveryRoutes>,
  path: string,
  headers: IncomingHttpHeaders = {},
) {
  const route = findRoute(routes, path)
  if (route === undefined) throw new Error(`no route for ${path}`)
  const call = { principal: undefined, path, query: new URLSearchParams(), headers }
  return route.answer(call) as Answer
}

interface Found {
  readonly groups: readonly { name: string }[]
  readonly items: readonly object[]
  readonly resources: readonly object[]
}
const json = (answer: Answer): Found =>
  JSON.parse(Buffer.from(answer.bytes ?? new Uint8Array()).toString("utf8"))

describe("version order", () => {
  it("prefers stable before beta before alpha, and higher numbers", () => {
    const given = ["foo", "v1alpha1", "v10", "bar", "v1beta1", "v2", "v1beta2", "v11alpha2", "v1"]
    expect([...given].sort(compareVersions)).toEqual([
      ...["v10", "v2", "v1", "v1beta2", "v1beta1", "v11alpha2", "v1alpha1", "bar", "foo"],
    ])
  })
})

describe("discovery", () => {
  it("lists core versions at /api and all other groups at /apis", () => {
    const registry = new ResourceRegistry()
    expect(json(ask(registry, "/api"))).toEqual({
      ...{ kind: "APIVersions", versions: ["v1"], serverAddressByClientCIDRs: [] },
    })
    const { groups } = json(ask(registry, "/apis/"))
    const names = groups.map(({ name }) => name)
    expect(names).toContain("setpoint.dev")
    expect(names).toContain("apiextensions.k8s.io")
    expect(names).not.toContain("")
  })

  it("puts the preferred version of a group first", () => {
    const registry = new ResourceRegistry()
    const versions = [version("v1alpha1"), version("v2beta1"), version("v1")]
    registry.put(definition({ versions }), 5)
    expect(json(ask(registry, "/apis/example.com"))).toMatchObject({
      kind: "APIGroup",
      name: "example.com",
      versions: [{ version: "v1" }, { version: "v2beta1" }, { version: "v1alpha1" }],
      preferredVersion: { groupVersion: "example.com/v1", version: "v1" },
    })
  })

  it("names status, scale and other subresources as entries of their own", () => {
    const registry = new ResourceRegistry()
    const scale = { specReplicasPath: ".spec.replicas", statusReplicasPath: ".status.replicas" }
    registry.put(definition({ versions: [version("v1", { status: {}, scale })] }), 5)
    const verbs = ["get", "patch", "update"]
    expect(json(ask(registry, "/apis/example.com/v1")).resources).toEqual([
      expect.objectContaining({
        ...{ name: "widgets", singularName: "widget", namespaced: true, kind: "Widget" },
        ...{ shortNames: ["wd"], categories: ["all"] },
      }),
      {
        ...{ name: "widgets/scale", singularName: "", namespaced: true, kind: "Scale", verbs },
        ...{ group: "autoscaling", version: "v1" },
      },
      { name: "widgets/status", singularName: "", namespaced: true, kind: "Widget", verbs },
    ])
    const all = JSON.stringify(json(ask(registry, "/apis", { accept: v2 })))
    expect(all).toContain(
      '"subresource":"scale","responseKind":{"group":"autoscaling","version":"v1","kind":"Scale"}',
    )
  })

  it("answers in the newest form that the client accepts, and says which", () => {
    const registry = new ResourceRegistry()
    const all = `${v2},${v2beta1},application/json`
    expect(ask(registry, "/apis", { accept: all }).contentType).toBe(v2)
    expect(ask(registry, "/api", { accept: `${v2beta1},application/json` }).contentType).toBe(
      v2beta1,
    )
    const odd = `${v2};profile=nopeer,application/json`
    expect(ask(registry, "/apis", { accept: odd }).contentType).toBe(v2)
    expect(ask(registry, "/apis", { accept: "*/*" }).contentType).toBe("application/json")
    expect(ask(registry, "/apis").contentType).toBe("application/json")
    const better = `${v2};q=0.1,application/json`
    expect(ask(registry, "/apis", { accept: better }).contentType).toBe("application/json")
    const wrong = { accept: v2.replace("v=v2", "v=v3") }
    expect(() => ask(registry, "/apis", wrong)).toThrow(
      expect.objectContaining({ code: "SPT-API-065" }),
    )
    expect(() => ask(registry, "/api/v1", { accept: "text/html" })).toThrow(
      expect.objectContaining({ code: "SPT-API-065" }),
    )
  })

  it("has only the core group at /api in the aggregated form", () => {
    const document = json(ask(new ResourceRegistry(), "/api", { accept: v2 }))
    expect(document).toMatchObject({ kind: "APIGroupDiscoveryList", items: [{ metadata: {} }] })
    expect(document.items.length).toBe(1)
  })

  it("answers 304 to whoever has the document, and varies by Accept", () => {
    const registry = new ResourceRegistry()
    const first = ask(registry, "/apis", { accept: v2 })
    const etag = first.headers?.etag ?? ""
    expect(first.headers).toMatchObject({ vary: "Accept", "cache-control": "public" })
    const again = ask(registry, "/apis", { accept: v2, "if-none-match": etag })
    expect(again.status).toBe(304)
    expect(again.bytes).toBeUndefined()
    registry.put(definition(), 5)
    const changed = ask(registry, "/apis", { accept: v2, "if-none-match": etag })
    expect(changed.status).toBe(200)
  })

  it("shows a definition at once, hides it while it is not established, and forgets it", () => {
    const registry = new ResourceRegistry()
    const routes = discoveryRoutes(registry)
    const status = () => askRoutes(routes, "/apis/example.com/v1").status
    expect(status()).toBe(404)
    registry.put(definition({ established: false }), 5)
    expect(status()).toBe(404)
    registry.put(definition(), 6)
    expect(status()).toBe(200)
    registry.remove("widgets.example.com", 7)
    expect(status()).toBe(404)
  })

  it("says 404 in plain text for an unknown group, as a Status for an unknown version", () => {
    const registry = new ResourceRegistry()
    const missing = { status: 404, text: "404 page not found\n" }
    expect(ask(registry, "/apis/nope")).toEqual(missing)
    expect(ask(registry, "/apis/nope/v1")).toEqual(missing)
    expect(() => ask(registry, "/api/v2")).toThrow(expect.objectContaining({ code: "SPT-API-025" }))
    expect(() => ask(registry, "/apis/setpoint.dev/v9")).toThrow(
      expect.objectContaining({ code: "SPT-API-025" }),
    )
  })

  it("does not list versions that are not served", () => {
    const registry = new ResourceRegistry()
    registry.put(definition({ versions: [version("v1"), version("v2", {}, false)] }), 5)
    const group = discoveredGroups(registry.all()).find(({ name }) => name === "example.com")
    expect(group?.versions.map((one) => one.version)).toEqual(["v1"])
  })

  it("makes a document once for each state of the registry", () => {
    const registry = new ResourceRegistry()
    const routes = discoveryRoutes(registry)
    const first = askRoutes(routes, "/apis").bytes
    expect(askRoutes(routes, "/apis").bytes).toBe(first)
    registry.put(definition(), 5)
    expect(askRoutes(routes, "/apis").bytes).not.toBe(first)
  })
})
