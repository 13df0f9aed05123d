import type { IncomingHttpHeaders } from "node:http"
import { describe, expect, it } from "vitest"
import { at, isObject, type Json, type JsonObject } from "../../base/json.ts"
import { jsonText, parseJson } from "../../base/json-text.ts"
import { systemClock } from "../../base/system.ts"
import type { ApiObject } from "../../object/object.ts"
import type { Answer } from "../http/answer.ts"
import { findRoute } from "../http/plain-route.ts"
import { WireReader } from "../protobuf/wire-reader.ts"
import { ResourceRegistry } from "../resource-registry.ts"
import { openApiRoutes } from "./openapi-routes.ts"

const protobuf = "application/com.github.proto-openapi.spec.v2@v1.0+protobuf"

const spec = {
  type: "object",
  required: ["port", "maybe"],
  properties: {
    port: { "x-kubernetes-int-or-string": true },
    maybe: { type: "string", nullable: true },
    open: {
      ...{ type: "object", "x-kubernetes-preserve-unknown-fields": true },
      properties: { a: { type: "string" } },
    },
    big: { type: "integer", format: "int64", maximum: 9223372036854775807n },
    none: { type: "object", properties: {} },
  },
}

function definition(name = "gadgets", schema: object = { type: "object", properties: { spec } }) {
  const kind = name.slice(0, 1).toUpperCase() + name.slice(1, -1)
  const scale = { specReplicasPath: ".spec.port", statusReplicasPath: ".status.port" }
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${name}.example.com` },
    spec: {
      group: "example.com",
      scope: "Namespaced",
      names: { plural: name, kind },
      versions: [
        {
          ...{ name: "v1", served: true, storage: true, subresources: { status: {}, scale } },
          schema: { openAPIV3Schema: schema },
        },
      ],
    },
    status: { conditions: [{ type: "Established", status: "True" }] },
  } as object as ApiObject
}

function open(...definitions: readonly ApiObject[]) {
  const registry = new ResourceRegistry()
  definitions.forEach((one, index) => {
    registry.put(one, index + 1)
  })
  const routes = openApiRoutes(registry, { clock: systemClock, version: "1.2.3" })
  const ask = async (url: string, headers: IncomingHttpHeaders = {}): Promise<Answer> => {
    const { pathname, searchParams } = new URL(url, "http://localhost")
    const call = { principal: undefined, path: pathname, query: searchParams, headers }
    const route = findRoute(routes, pathname)
    if (route === undefined) throw new Error(`no route for ${url}`)
    return route.answer(call)
  }
  const json = async (url: string) => bodyOf(await ask(url))
  return { registry, ask, json }
}

function bodyOf({ bytes }: Answer): Json {
  return parseJson(Buffer.from(bytes ?? new Uint8Array()).toString("utf8"))
}

async function urlOf({ json }: ReturnType<typeof open>, path: string): Promise<string> {
  return String(at(await json("/openapi/v3"), "paths", path, "serverRelativeURL"))
}

/** Every reference in a document, wherever it stands. */
function references(value: Json | undefined): string[] {
  if (Array.isArray(value)) return value.flatMap(references)
  if (!isObject(value)) return []
  const own = typeof value.$ref === "string" ? [value.$ref] : []
  return [...own, ...Object.values(value).flatMap(references)]
}

const gadget = "com.example.v1.Gadget"
const item = "/apis/example.com/v1/namespaces/{namespace}/gadgets/{name}"

describe("OpenAPI 3", () => {
  it("lists a document for each group and version, under its hash", async () => {
    const server = open(definition())
    const url = await urlOf(server, "apis/example.com/v1")
    expect(url).toMatch(/^\/openapi\/v3\/apis\/example\.com\/v1\?hash=[0-9A-F]{64}$/)
    const answer = await server.ask(url)
    expect(answer).toMatchObject({ status: 200, contentType: "application/json" })
    expect(answer.headers?.["cache-control"]).toContain("immutable")
    expect(await server.ask(url.replace(/=.*/, "=OLD"))).toMatchObject({
      status: 301,
      headers: { location: url },
    })
    expect((await server.ask("/openapi/v3/apis/nope/v1")).status).toBe(404)
  })

  it("answers 304 to whoever has the index, until a definition comes", async () => {
    const server = open()
    const { headers } = await server.ask("/openapi/v3")
    const again = { "if-none-match": headers?.etag ?? "" }
    expect((await server.ask("/openapi/v3", again)).status).toBe(304)
    server.registry.put(definition(), 9)
    expect((await server.ask("/openapi/v3", again)).status).toBe(200)
    expect(await urlOf(server, "apis/example.com/v1")).toContain("?hash=")
  })

  it("changes the hash of the group that changed and of no other", async () => {
    const server = open(definition())
    const [core, own] = [await urlOf(server, "api/v1"), await urlOf(server, "apis/example.com/v1")]
    server.registry.put(definition("others"), 9)
    expect(await urlOf(server, "api/v1")).toBe(core)
    expect(await urlOf(server, "apis/example.com/v1")).not.toBe(own)
  })

  it("tells kubectl that writes can be validated, and which patches there are", async () => {
    const server = open(definition())
    const gvk = { group: "example.com", version: "v1", kind: "Gadget" }
    const patch = at(await server.json("/openapi/v3/apis/example.com/v1"), "paths", item, "patch")
    expect(patch).toMatchObject({
      "x-kubernetes-group-version-kind": gvk,
      parameters: expect.arrayContaining([
        { name: "fieldValidation", in: "query", schema: { type: "string" } },
      ]),
    })
    const types = Object.keys(at(patch, "requestBody", "content") as JsonObject)
    expect(types).toContain("application/apply-patch+yaml")
    expect(types).not.toContain("application/strategic-merge-patch+json")
    const path = "/api/v1/namespaces/{namespace}/configmaps/{name}"
    const builtIn = at(await server.json("/openapi/v3/api/v1"), "paths", path, "patch")
    const strategic = at(builtIn, "requestBody", "content")
    expect(strategic).toHaveProperty(["application/strategic-merge-patch+json"])
  })

  it("shows a schema as it was declared, with what every object has", async () => {
    const document = await open(definition()).json("/openapi/v3/apis/example.com/v1")
    const model = at(document, "components", "schemas", gadget)
    expect(model).toMatchObject({
      "x-kubernetes-group-version-kind": [{ group: "example.com", version: "v1", kind: "Gadget" }],
      properties: {
        spec,
        metadata: {
          allOf: [{ $ref: "#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta" }],
        },
      },
    })
  })

  it("refers to no model that is missing, and gives every operation an id of its own", async () => {
    const server = open(definition())
    const { paths } = (await server.json("/openapi/v3")) as { paths: JsonObject }
    for (const path of Object.keys(paths)) {
      const document = await server.json(`/openapi/v3/${path}`)
      const schemas = at(document, "components", "schemas") as JsonObject
      const known = new Set(Object.keys(schemas).map((name) => `#/components/schemas/${name}`))
      expect(references(document).filter((one) => !known.has(one))).toEqual([])
      const ids = jsonText(document).match(/"operationId":"[^"]+"/g) ?? []
      expect(new Set(ids).size).toBe(ids.length)
    }
  })

  it("names models as Kubernetes does", async () => {
    const server = open()
    const schemas = async (path: string) =>
      Object.keys(at(await server.json(`/openapi/v3/${path}`), "components", "schemas") ?? {})
    expect(await schemas("api/v1")).toContain("io.k8s.api.core.v1.ConfigMap")
    expect(await schemas("apis/setpoint.dev/v1alpha1")).toContain("dev.setpoint.v1alpha1.Loop")
    expect(await schemas("apis/apiextensions.k8s.io/v1")).toContain(
      "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinition",
    )
  })
})

describe("OpenAPI 2", () => {
  it("is lowered so that old clients accept what the server accepts", async () => {
    const document = await open(definition()).json("/openapi/v2")
    const properties = at(document, "definitions", gadget, "properties", "spec", "properties")
    expect(properties).toEqual({
      port: { "x-kubernetes-int-or-string": true },
      maybe: {},
      open: { "x-kubernetes-preserve-unknown-fields": true },
      big: { type: "integer", format: "int64", maximum: 9223372036854775807n },
      none: { type: "object" },
    })
    expect(at(document, "definitions", gadget, "properties", "spec", "required")).toEqual(["port"])
  })

  it("lists no fields of a kind that keeps unknown ones", async () => {
    const schema = { type: "object", "x-kubernetes-preserve-unknown-fields": true }
    const document = await open(definition("gadgets", schema)).json("/openapi/v2")
    expect(at(document, "definitions", gadget)).toEqual({
      type: "object",
      "x-kubernetes-group-version-kind": [{ group: "example.com", version: "v1", kind: "Gadget" }],
    })
  })

  it("refers to no model that is missing, and has every path of every group", async () => {
    const document = await open(definition()).json("/openapi/v2")
    const known = new Set(
      Object.keys(at(document, "definitions") ?? {}).map((name) => `#/definitions/${name}`),
    )
    expect(references(document).filter((one) => !known.has(one))).toEqual([])
    expect(Object.keys(at(document, "paths") ?? {})).toEqual(
      expect.arrayContaining([item, `${item}/status`, `${item}/scale`, "/api/v1/namespaces"]),
    )
  })

  it("is the same document in protobuf", async () => {
    const server = open(definition())
    const answer = await server.ask("/openapi/v2", { accept: protobuf })
    expect(answer.contentType).toBe(protobuf.replace("@", "."))
    const fields = readMessages(answer.bytes ?? new Uint8Array())
    expect(Buffer.from(fields.get(1)?.[0] ?? []).toString()).toBe("2.0")
    const names = (field: number, entry: number) =>
      (fields.get(field) ?? [])
        .flatMap((part) => readMessages(part).get(entry) ?? [])
        .map((one) => Buffer.from(readMessages(one).get(1)?.[0] ?? []).toString())
    const document = await server.json("/openapi/v2")
    expect(names(8, 2).sort()).toEqual(Object.keys(at(document, "paths") ?? {}).sort())
    expect(names(9, 1).sort()).toEqual(Object.keys(at(document, "definitions") ?? {}).sort())
  })

  it("refuses forms that it does not have", async () => {
    const refused = open().ask("/openapi/v2", { accept: "text/html" })
    await expect(refused).rejects.toMatchObject({ code: "SPT-API-065" })
  })
})

/** The byte fields of a message, by number. */
function readMessages(bytes: Uint8Array): Map<number, Uint8Array[]> {
  const found = new Map<number, Uint8Array[]>()
  const reader = new WireReader(bytes)
  while (!reader.done) {
    const field = reader.field()
    found.set(field, [...(found.get(field) ?? []), reader.bytes()])
  }
  return found
}
