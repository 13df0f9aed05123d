// An API over a memory store behind real HTTP, and a client that hides nothing of an answer.

import { request as startRequest } from "node:http"
import { gunzipSync } from "node:zlib"
import { Extensions } from "../../src/api/extensions.ts"
import { tokenAuthenticator } from "../../src/api/http/authenticate.ts"
import { serveHttp } from "../../src/api/http/http-server.ts"
import { sha256 } from "../../src/base/hash.ts"
import { systemClock } from "../../src/base/system.ts"
import { type Authorizer, allowAll } from "../../src/contract/authorizer.ts"
import type { ApiObject, ResourceRef } from "../../src/object/object.ts"
import { type ApiWorld, alice, definitions, openApiWorld } from "./client-world.ts"

export const memos: ResourceRef = { group: "test.dev", version: "v1", resource: "memos" }

export interface HttpReply {
  readonly status: number
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
  readonly bytes: Buffer
  /** Unpacked, and read as JSON. */
  readonly body: Readonly<Record<string, unknown>>
}

export interface Asking {
  readonly accept?: string
  readonly body?: object
  readonly headers?: Readonly<Record<string, string>>
}

export interface HttpWorld {
  readonly world: ApiWorld
  send(method: string, path: string, asking?: Asking): Promise<HttpReply>
  get(path: string, accept?: string): Promise<HttpReply>
  /** The events of a watch until there are as many as that. */
  events(path: string, count: number, accept?: string): Promise<readonly unknown[]>
  close(): Promise<void>
}

export async function openHttpWorld(authorizer: Authorizer = allowAll): Promise<HttpWorld> {
  const world = await openApiWorld()
  await world.verbs.create(alice, definitions, memoDefinition)
  const server = await serveHttp({
    ...{ verbs: world.verbs, reads: world.reads, registry: world.registry, clock: systemClock },
    ...{ extensions: new Extensions(), authorizer, ready: () => undefined, version: "1", port: 0 },
    authenticate: tokenAuthenticator(() => [{ sha256: sha256("t"), principal: alice }]),
  })
  const start = (method: string, path: string, { accept, body, headers }: Asking) => {
    const { hostname: host, port } = new URL(server.url ?? "")
    const text = body === undefined ? "" : JSON.stringify(body)
    // A DELETE has no body unless its length is told.
    const length = { "content-length": Buffer.byteLength(text) }
    const type = body === undefined ? {} : { "content-type": "application/json", ...length }
    const accepts = accept === undefined ? {} : { accept }
    const head = { authorization: "Bearer t", ...accepts, ...type, ...headers }
    const request = startRequest({ host, port, method, path, headers: head })
    request.end(text)
    return request
  }
  const send = (method: string, path: string, asking: Asking = {}) =>
    new Promise<HttpReply>((resolve, reject) => {
      const request = start(method, path, asking)
      request.once("error", reject)
      request.once("response", (response) => {
        const chunks: Buffer[] = []
        response.on("data", (chunk: Buffer) => chunks.push(chunk))
        response.once("error", reject)
        response.once("end", () => {
          const { statusCode: status = 0, headers } = response
          const bytes = Buffer.concat(chunks)
          const plain = headers["content-encoding"] === "gzip" ? gunzipSync(bytes) : bytes
          resolve({ status, headers, bytes, body: JSON.parse(plain.toString("utf8")) })
        })
      })
    })
  const events = (path: string, count: number, accept?: string) =>
    new Promise<readonly unknown[]>((resolve, reject) => {
      const request = start("GET", path, accept === undefined ? {} : { accept })
      request.once("error", reject)
      request.once("response", (response) => {
        let text = ""
        const take = () => {
          const lines = text.split("\n").slice(0, -1)
          if (lines.length < count && !response.complete) return
          resolve(lines.slice(0, count).map((line) => JSON.parse(line) as unknown))
          request.destroy()
        }
        response.setEncoding("utf8")
        response.on("data", (chunk: string) => {
          text += chunk
          take()
        })
        response.once("end", take)
      })
    })
  return {
    ...{ world, send, events },
    get: (path, accept) => send("GET", path, accept === undefined ? {} : { accept }),
    close: async () => {
      await server.close()
      await world.close()
    },
  }
}

/** Fields to select by, and a column that only wide tables show. */
const memoDefinition: ApiObject = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "memos.test.dev" },
  spec: {
    group: "test.dev",
    scope: "Namespaced",
    names: { plural: "memos", singular: "memo", kind: "Memo", listKind: "MemoList" },
    versions: [
      {
        ...{ name: "v1", served: true, storage: true },
        selectableFields: [{ jsonPath: ".spec.text" }],
        additionalPrinterColumns: [
          { name: "Text", type: "string", jsonPath: ".spec.text" },
          { name: "Weight", type: "integer", jsonPath: ".spec.weight", priority: 1 },
        ],
        schema: {
          openAPIV3Schema: {
            type: "object",
            properties: {
              spec: {
                type: "object",
                properties: { text: { type: "string" }, weight: { type: "integer" } },
              },
            },
          },
        },
      },
    ],
  },
}

export const memo = (name: string, text: string, weight = 1): ApiObject => ({
  apiVersion: "test.dev/v1",
  kind: "Memo",
  metadata: { name, namespace: "default" },
  spec: { text, weight },
})
