import { afterEach, beforeEach, describe, expect, it } from "vitest"
import {
  type ApiWorld,
  alice,
  openApiWorld,
  things,
} from "../../../test/conformance/client-world.ts"
import { sha256 } from "../../base/hash.ts"
import { systemClock } from "../../base/system.ts"
import { type HttpClient, httpClient } from "../../client/http/http-client.ts"
import { allowAll } from "../../contract/authorizer.ts"
import type { ApiObject } from "../../object/object.ts"
import { Extensions } from "../extensions.ts"
import { tokenAuthenticator } from "./authenticate.ts"
import { type HttpServer, serveHttp } from "./http-server.ts"

const wide = 9223372036854775807n
const ref = { ...things, namespace: "default", name: "a" }
let world: ApiWorld
let server: HttpServer
let client: HttpClient

beforeEach(async () => {
  world = await openApiWorld()
  server = await serveHttp({
    verbs: world.verbs,
    reads: world.reads,
    registry: world.registry,
    extensions: new Extensions(),
    clock: systemClock,
    authenticate: tokenAuthenticator(() => [{ sha256: sha256("t"), principal: alice }]),
    authorizer: allowAll,
    ready: () => undefined,
    version: "1.2.3",
    port: 0,
  })
  client = httpClient({ url: server.url ?? "", token: "t" })
})
afterEach(async () => {
  client.close()
  await server.close()
  await world.close()
})

const thing = (spec: ApiObject["spec"] = {}): ApiObject => ({
  apiVersion: "test.dev/v1",
  kind: "Thing",
  metadata: { name: "a", namespace: "default" },
  spec,
})

describe("an integer of 64 bits", () => {
  it("comes back from every verb to the last digit", async () => {
    const made = await client.create(things, thing())
    const status = { big: wide, low: -(2n ** 63n), near: 9007199254740993n, small: 7 }
    const written = await client.updateStatus(things, { ...made, status })
    expect(written.status).toEqual(status)
    expect((await client.get(ref))?.status).toEqual(status)
    const { items, resourceVersion } = await client.list(things, { namespace: "default" })
    expect(items.map((item) => item.status)).toEqual([status])
    const ends = new AbortController()
    const events = client.watch(things, { resourceVersion, signal: ends.signal })
    await client.updateStatus(things, { ...written, status: { ...status, big: wide - 1n } })
    for await (const event of events) {
      if (event.type !== "MODIFIED") continue
      expect(event.object.status).toEqual({ ...status, big: wide - 1n })
      break
    }
    ends.abort()
    const test = (value: bigint) => [{ op: "test", path: "/status/big", value }]
    await expect(client.patch(ref, "json", test(wide))).rejects.toMatchObject({ status: 422 })
    await client.patch(ref, "json", test(wide - 1n))
  })

  it("is judged by the schema as the integer it is", async () => {
    await expect(client.create(things, thing({ size: wide }))).rejects.toThrow(/spec\.size.*100/)
  })
})
