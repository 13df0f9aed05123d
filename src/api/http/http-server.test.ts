import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs"
import { request as startRequest } from "node:http"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import {
  type ApiWorld,
  alice,
  configMap,
  configMaps,
  faultOf,
  openApiWorld,
} from "../../../test/conformance/client-world.ts"
import { deferred } from "../../base/async.ts"
import { sha256 } from "../../base/hash.ts"
import { systemClock } from "../../base/system.ts"
import { allowAll } from "../../contract/authorizer.ts"
import { enginePrincipal, sourcePrincipal } from "../../contract/principal.ts"
import { Extensions } from "../extensions.ts"
import { WireWriter } from "../protobuf/wire-writer.ts"
import { tokenAuthenticator } from "./authenticate.ts"
import { type HttpServer, serveHttp } from "./http-server.ts"

const path = "/api/v1/namespaces/default/configmaps"
let world: ApiWorld
let server: HttpServer
let directory: string
let extensions: Extensions
let problem: string | undefined

const start = (more: object = {}) =>
  serveHttp({
    verbs: world.verbs,
    reads: world.reads,
    registry: world.registry,
    extensions,
    clock: systemClock,
    authenticate: tokenAuthenticator(() => [
      { sha256: sha256("t"), principal: alice },
      { sha256: sha256("engine"), principal: enginePrincipal },
      { sha256: sha256("source"), principal: sourcePrincipal("default.site") },
    ]),
    authorizer: allowAll,
    ready: () => problem,
    version: "1.2.3",
    port: 0,
    limits: { watches: 2 },
    ...more,
  })

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), "setpoint-http-"))
  world = await openApiWorld()
  extensions = new Extensions()
  problem = undefined
  server = await start()
})
afterEach(async () => {
  await server.close()
  await world.close()
  rmSync(directory, { recursive: true, force: true })
})

interface Reply {
  readonly status: number
  readonly headers: Readonly<Record<string, unknown>>
  readonly body: { [key: string]: never } & { message?: string; reason?: string; kind?: string }
}

function send(
  method: string,
  target: string,
  body?: string | Buffer,
  headers: Record<string, string> = {},
): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const url = new URL(server.url ?? "")
    const request = startRequest({
      host: url.hostname,
      port: url.port,
      method,
      path: target,
      headers: { authorization: "Bearer t", ...headers },
    })
    request.once("error", reject)
    request.once("response", (response) => {
      const chunks: Buffer[] = []
      response.on("data", (chunk: Buffer) => chunks.push(chunk))
      response.once("error", reject)
      response.once("end", () => {
        const text = Buffer.concat(chunks).toString("utf8")
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          body: text.startsWith("{") ? JSON.parse(text) : { message: text },
        })
      })
    })
    request.end(body)
  })
}

describe("the HTTP API", () => {
  it("ends one exchange, and nothing else, by a mistake where no answer is made", async () => {
    let isWrong = true
    const newId = () => {
      if (isWrong) throw new Error("no id")
      return "one"
    }
    await server.close()
    server = await start({ audit: { newId, trouble: () => undefined, write: async () => {} } })
    await expect(send("GET", path)).rejects.toThrow()
    isWrong = false
    expect((await send("GET", path)).status).toBe(200)
  })

  it("answers nobody without a good token, and nobody as the engine or a source", async () => {
    for (const authorization of ["", "Bearer", "Bearer wrong", "Basic t", "Bearer engine"]) {
      for (const target of [path, "/nowhere"]) {
        const reply = await send("GET", target, undefined, { authorization })
        expect(reply).toMatchObject({ status: 401, body: { reason: "Unauthorized" } })
      }
    }
    const reply = await send("GET", path, undefined, { authorization: "Bearer source" })
    expect(reply.status).toBe(401)
  })

  it("says whether it is healthy and ready, and its version", async () => {
    expect((await send("GET", "/healthz")).status).toBe(200)
    expect((await send("GET", "/readyz")).status).toBe(200)
    problem = "still reading the store"
    expect(await send("GET", "/readyz")).toMatchObject({ status: 503 })
    expect((await send("GET", "/version")).body).toMatchObject({
      gitVersion: "v1.35.0+setpoint-1.2.3",
    })
  })

  it("answers as Kubernetes does: 201, lists, Status for a finished delete", async () => {
    const made = await send("POST", path, JSON.stringify(configMap("a")))
    expect(made).toMatchObject({ status: 201, body: { kind: "ConfigMap" } })
    const list = await send("GET", path)
    expect(list.body).toMatchObject({ kind: "ConfigMapList", apiVersion: "v1" })
    expect(await send("GET", `${path}/a`)).toMatchObject({ status: 200 })
    expect(await send("DELETE", `${path}/a`)).toMatchObject({
      status: 200,
      body: { kind: "Status", status: "Success" },
    })
    const missing = await send("GET", `${path}/a`)
    expect(missing).toMatchObject({
      status: 404,
      body: { kind: "Status", reason: "NotFound", details: { name: "a", kind: "configmaps" } },
    })
  })

  it("warns of dropped fields in a header", async () => {
    const odd = JSON.stringify({ ...configMap("a"), zzz: 1 })
    const { headers, status } = await send("POST", path, odd)
    expect(status).toBe(201)
    expect(headers.warning).toBe('299 - "unknown field \\"zzz\\""')
    expect(await send("POST", `${path}?fieldValidation=Strict`, odd)).toMatchObject({ status: 400 })
  })

  it("refuses, names or drops a key that comes twice, as the caller asks", async () => {
    const twice = (name: string) =>
      `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"${name}"},` +
      `"data":{"a":"1","a":"2"}}`
    const strict = await send("POST", `${path}?fieldValidation=Strict`, twice("a"))
    expect(strict).toMatchObject({ status: 400 })
    expect(strict.body.message).toContain('strict decoding error: duplicate field "data.a"')
    const warned = await send("POST", path, twice("a"))
    expect(warned).toMatchObject({ status: 201, body: { data: { a: "2" } } })
    expect(warned.headers.warning).toBe('299 - "duplicate field \\"data.a\\""')
    const ignored = await send("POST", `${path}?fieldValidation=Ignore`, twice("b"))
    expect(ignored.headers.warning).toBeUndefined()
  })

  it("takes YAML and protobuf bodies as it takes JSON", async () => {
    const yaml = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata:\n  k: 'yes'\n"
    const type = { "content-type": "application/yaml" }
    expect(await send("POST", path, yaml, type)).toMatchObject({ body: { data: { k: "yes" } } })
    const unknown = new WireWriter()
      .message(1, (names) => names.string(1, "v1").string(2, "ConfigMap"))
      .message(2, (map) =>
        map
          .message(1, (meta) => meta.string(1, "b").string(3, "default"))
          .message(2, (entry) => entry.string(1, "k").string(2, "v")),
      )
    const bytes = Buffer.concat([Buffer.from([0x6b, 0x38, 0x73, 0]), unknown.finish()])
    const protobuf = { "content-type": "application/vnd.kubernetes.protobuf" }
    expect(await send("POST", path, bytes, protobuf)).toMatchObject({
      status: 201,
      body: { kind: "ConfigMap", metadata: { name: "b" }, data: { k: "v" } },
    })
  })

  it("refuses hostile bodies with 400 or 413 and stays alive", async () => {
    const deep = `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},"data":`
    const bodies: [string | Buffer, number, string][] = [
      [`${deep}${"[".repeat(100_000)}`, 400, "nesting"],
      [`${deep}{"__proto__":"1"}}`, 400, "forbidden"],
      [`${deep}`, 400, "no JSON value"],
      [Buffer.from([0x22, 0xff, 0xfe, 0x22]), 400, "UTF-8"],
      ["[]", 400, "no object"],
      [`"${"x".repeat(3 * 1024 * 1024)}"`, 413, "more than"],
    ]
    for (const [body, status, words] of bodies) {
      const reply = await send("POST", path, body)
      expect(reply.status).toBe(status)
      expect(reply.body.message).toContain(words)
    }
    expect((await send("GET", path)).status).toBe(200)
    expect(({} as Record<string, unknown>).a).toBeUndefined()
  })

  it("refuses wrong media types, methods, paths and dryRun values", async () => {
    const text = { "content-type": "text/plain" }
    expect(await send("POST", path, "a: b", text)).toMatchObject({ status: 415 })
    expect(await send("PUT", path, "{}")).toMatchObject({ status: 405 })
    expect(await send("GET", "/apis/none.dev/v1/things")).toMatchObject({ status: 404 })
    expect(await send("GET", "/elsewhere")).toMatchObject({ status: 404 })
    expect(await send("GET", `${path}/a%2Fb`)).toMatchObject({ status: 404 })
    expect(await send("GET", `${path}/a/scale`)).toMatchObject({ status: 404 })
    const body = JSON.stringify(configMap("a"))
    expect(await send("POST", `${path}?dryRun=Some`, body)).toMatchObject({ status: 422 })
    expect(await send("GET", `${path}?limit=-1`)).toMatchObject({ status: 400 })
    const elsewhere = "/api/v1/namespaces/setpoint-system/configmaps"
    expect(await send("POST", elsewhere, body)).toMatchObject({ status: 400 })
  })

  it("serves extension routes below /apis too", async () => {
    extensions.register({
      method: "POST",
      pattern: "/apis/setpoint.dev/v1alpha1/namespaces/:namespace/plans/:name/approval",
      handler: async (principal, params, _, body) => ({
        by: principal.name,
        plan: `${params.namespace}/${params.name}`,
        body: body ?? null,
      }),
    })
    const target = "/apis/setpoint.dev/v1alpha1/namespaces/default/plans/p/approval"
    const reply = await send("POST", target, '{"hash":"x"}')
    expect(reply.body).toEqual({ by: "alice", plan: "default/p", body: { hash: "x" } })
  })

  it("bounds open watches and lets go of those that end", async () => {
    const open = () =>
      new Promise<() => void>((resolve, reject) => {
        const url = new URL(server.url ?? "")
        const request = startRequest({
          host: url.hostname,
          port: url.port,
          path: `${path}?watch=true&resourceVersion=${world.store.revision}`,
          headers: { authorization: "Bearer t" },
        })
        request.on("error", () => {})
        request.once("response", (response) => {
          response.on("error", () => {})
          if (response.statusCode === 200) resolve(() => request.destroy())
          else reject(new Error(`status ${response.statusCode}`))
        })
        request.end()
      })
    const first = await open()
    const second = await open()
    await expect(open()).rejects.toThrow("429")
    first()
    await expect.poll(() => open().then(Boolean, () => false), { timeout: 10_000 }).toBe(true)
    second()
  })

  it("sends the state and then its end mark to a watch without a resourceVersion", async () => {
    await world.verbs.create(alice, configMaps, configMap("a"))
    const query =
      "watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan" +
      "&allowWatchBookmarks=true&timeoutSeconds=1"
    const url = new URL(server.url ?? "")
    const lines = deferred<string[]>()
    const request = startRequest({
      host: url.hostname,
      port: url.port,
      path: `${path}?${query}`,
      headers: { authorization: "Bearer t" },
    })
    request.once("response", (response) => {
      const chunks: Buffer[] = []
      response.on("data", (chunk: Buffer) => chunks.push(chunk))
      response.once("end", () => lines.resolve(Buffer.concat(chunks).toString().split("\n")))
    })
    request.end()
    const [first = "", second = ""] = await lines.promise
    expect(JSON.parse(first)).toMatchObject({ type: "ADDED", object: { metadata: { name: "a" } } })
    expect(JSON.parse(second)).toMatchObject({
      type: "BOOKMARK",
      object: { metadata: { annotations: { "k8s.io/initial-events-end": "true" } } },
    })
  })

  it("finishes requests under way when it drains", async () => {
    const gate = deferred<void>()
    const begun = deferred<void>()
    extensions.register({
      method: "GET",
      pattern: "/setpoint/v1/slow",
      handler: async () => {
        begun.resolve()
        await gate.promise
        return { done: true }
      },
    })
    const reply = send("GET", "/setpoint/v1/slow")
    await begun.promise
    const closed = server.close()
    gate.resolve()
    expect((await reply).body).toEqual({ done: true })
    await closed
    await expect(send("GET", path)).rejects.toThrow()
  })
})

describe("the unix socket", () => {
  it("is for its owner only and replaces that of a dead process", async () => {
    const socketPath = join(directory, "api.sock")
    const dead = createServer()
    await new Promise<void>((resolve) => dead.listen(socketPath, resolve))
    const running = await faultOf(start({ socketPath, port: undefined }))
    expect(running.message).toContain("a running plane answers there")
    // Closing would remove the file as well; a killed process leaves it.
    const { unlinkSync, linkSync } = await import("node:fs")
    linkSync(socketPath, `${socketPath}.kept`)
    await new Promise((resolve) => dead.close(resolve))
    linkSync(`${socketPath}.kept`, socketPath)
    unlinkSync(`${socketPath}.kept`)
    const second = await start({ socketPath, port: undefined })
    expect(statSync(socketPath).mode & 0o777).toBe(0o600)
    await second.close()
  })

  it("never removes a file that is no socket", async () => {
    const socketPath = join(directory, "file")
    writeFileSync(socketPath, "precious")
    const fault = await faultOf(start({ socketPath, port: undefined }))
    expect(fault).toMatchObject({ code: "SPT-API-026" })
    expect(statSync(socketPath).size).toBe(8)
  })
})
