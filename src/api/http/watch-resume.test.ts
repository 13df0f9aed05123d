// Watches whose stream is cut or ends, resumed as client-go, kubectl and all others do it: strictly
// after the last resourceVersion that came.

import { request as startRequest } from "node:http"
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import {
  type ApiWorld,
  alice,
  configMap,
  configMaps,
  namespaceNamed,
  namespaces,
  note,
  notes,
  openApiWorld,
} from "../../../test/conformance/client-world.ts"
import type { Clock } from "../../base/clock.ts"
import { sha256 } from "../../base/hash.ts"
import { systemClock } from "../../base/system.ts"
import { allowAll } from "../../contract/authorizer.ts"
import type { ApiObject, ResourceRef } from "../../object/object.ts"
import { encodeObject } from "../codec.ts"
import { Extensions } from "../extensions.ts"
import { storageKey } from "../storage-keys.ts"
import { tokenAuthenticator } from "./authenticate.ts"
import { type HttpServer, serveHttp } from "./http-server.ts"

const endlessSeconds = 7777
let world: ApiWorld
let server: HttpServer
/** Ends the streams that asked for so many seconds. */
let endStreams: (() => void)[]

beforeEach(async () => {
  world = await openApiWorld()
  endStreams = []
  const clock: Clock = {
    now: () => systemClock.now(),
    monotonic: () => systemClock.monotonic(),
    after(delayMs, wake) {
      if (delayMs === endlessSeconds * 1000) endStreams.push(wake)
      return systemClock.after(delayMs, wake)
    },
  }
  server = await serveHttp({
    verbs: world.verbs,
    reads: world.reads,
    registry: world.registry,
    extensions: new Extensions(),
    clock,
    authenticate: tokenAuthenticator(() => [{ sha256: sha256("t"), principal: alice }]),
    authorizer: allowAll,
    ready: () => undefined,
    version: "1.2.3",
    port: 0,
  })
})
afterEach(async () => {
  await server.close()
  await world.close()
})

const make = async (object: ApiObject, resource: ResourceRef = configMaps) =>
  (await world.verbs.create(alice, resource, object)).object

const labelled = (object: ApiObject): ApiObject => {
  return { ...object, metadata: { ...object.metadata, labels: { team: "a" } } }
}

const owned = (object: ApiObject, { apiVersion, kind, metadata }: ApiObject): ApiObject => {
  const { name, uid = "" } = metadata
  const ownerReferences = [{ apiVersion, kind, name, uid }]
  return { ...object, metadata: { ...object.metadata, ownerReferences } }
}

interface Line {
  readonly type: string
  readonly object: ApiObject
}

/** One stream, until its end or until it is cut after so many events. */
function stream(path: string, query: Record<string, string>, most: number): Promise<Line[]> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(server.url ?? "")
    const target = `${path}?${new URLSearchParams({ watch: "1", ...query })}`
    const headers = { authorization: "Bearer t" }
    const request = startRequest({ hostname, port, path: target, headers })
    request.once("error", reject)
    request.once("response", (response) => {
      const lines: Line[] = []
      let rest = ""
      response.setEncoding("utf8")
      response.on("data", (chunk: string) => {
        const parts = (rest + chunk).split("\n")
        rest = parts.pop() ?? ""
        for (const part of parts) if (lines.length < most) lines.push(JSON.parse(part))
        if (lines.length < most) return
        resolve(lines)
        request.destroy()
      })
      response.once("end", () => resolve(lines))
      response.once("error", reject)
    })
    request.end()
  })
}

const shown = ({ type, object }: Line) =>
  `${type} ${object.metadata.name} ${object.metadata.resourceVersion}`

/** What a client has seen that is cut off after so many events each time. */
async function followCut(
  path: string,
  query: Record<string, string>,
  from: number,
  [events, most]: readonly [number, number],
): Promise<string[]> {
  const seen: Line[] = []
  let after = String(from)
  while (seen.length < events) {
    const left = Math.min(most, events - seen.length)
    const lines = await stream(path, { ...query, resourceVersion: after }, left)
    seen.push(...lines)
    after = lines.at(-1)?.object.metadata.resourceVersion ?? after
  }
  return seen.map(shown)
}

const mapsPath = "/api/v1/namespaces/default/configmaps"
const notesPath = "/apis/test.dev/v1/namespaces/default/notes"

describe("a watch that is cut after each event", () => {
  it.each([{}, { labelSelector: "team=a" }, { allowWatchBookmarks: "false" }])(
    "sees every object of a deletecollection once, asked with %o",
    async (query) => {
      for (const name of ["a", "b", "c", "d", "e"]) await make(labelled(configMap(name)))
      const from = world.store.revision
      await world.verbs.deleteCollection(alice, configMaps, { namespace: "default" })
      const expected = ["a", "b", "c", "d", "e"].map((name, index) => {
        return `DELETED ${name} ${from + 1 + index}`
      })
      for (const most of [1, 2, 3]) {
        expect(await followCut(mapsPath, query, from, [5, most])).toEqual(expected)
      }
    },
  )

  it("sees every object of a cascade once", async () => {
    const owner = await make(note("owner"), notes)
    for (const name of ["a", "b", "c"]) await make(owned(note(name), owner), notes)
    const from = world.store.revision
    await world.verbs.delete(alice, { ...notes, namespace: "default", name: "owner" })
    expect(await followCut(notesPath, {}, from, [4, 1])).toEqual([
      `DELETED owner ${from + 1}`,
      `DELETED a ${from + 2}`,
      `DELETED b ${from + 3}`,
      `DELETED c ${from + 4}`,
    ])
  })

  it("sees everything that goes with a namespace once, and then the namespace", async () => {
    await make(namespaceNamed("site"), namespaces)
    for (const name of ["a", "b", "c"]) {
      const object = configMap(name)
      await make({ ...object, metadata: { ...object.metadata, namespace: "site" } })
    }
    const from = world.store.revision
    await world.verbs.delete(alice, { ...namespaces, namespace: "", name: "site" })
    expect(await followCut("/api/v1/namespaces/site/configmaps", {}, from, [3, 1])).toEqual([
      `DELETED a ${from + 2}`,
      `DELETED b ${from + 3}`,
      `DELETED c ${from + 4}`,
    ])
    expect(await followCut("/api/v1/namespaces", {}, from, [2, 1])).toEqual([
      `MODIFIED site ${from + 1}`,
      `DELETED site ${from + 5}`,
    ])
  })
})

describe("a stream that ends", () => {
  const put = (name: string, n: string) => {
    const key = storageKey({ group: "", resource: "configmaps", namespace: "default", name })
    const object = labelled(configMap(name, { n }))
    return { kind: "put", key, value: encodeObject(object) } as const
  }

  /** Several objects at one revision, as older versions stored them. */
  async function storedTogether(names: readonly string[]): Promise<number> {
    const answer = await world.store.commit(
      [],
      names.map((name) => put(name, "2")),
    )
    return answer.kind === "committed" ? answer.revision : 0
  }

  it.each([1, 2, 3, 4])(
    "leaves nothing out of a revision with many objects, when it ends at step %i of it",
    async (step) => {
      const names = ["a", "b", "c", "d"]
      for (const name of names) await make(labelled(configMap(name, { n: "1" })))
      const from = world.store.revision
      const revision = await storedTogether(names)
      // The former content is read for each change: the time is over while that is under way.
      let steps = 0
      const get = world.store.get.bind(world.store)
      vi.spyOn(world.store, "get").mockImplementation(async (key, at) => {
        if (at !== undefined && ++steps === step) for (const end of endStreams.splice(0)) end()
        return get(key, at)
      })
      const query = {
        ...{ labelSelector: "team=a", allowWatchBookmarks: "true" },
        timeoutSeconds: String(endlessSeconds),
      }
      const seen: string[] = []
      let after = String(from)
      while (seen.length < names.length) {
        // The one that goes on is cut when it has brought what was left.
        const most = steps === 0 ? 99 : names.length - seen.length
        const lines = await stream(mapsPath, { ...query, resourceVersion: after }, most)
        for (const { type, object } of lines) {
          after = object.metadata.resourceVersion ?? after
          if (type !== "BOOKMARK") seen.push(`${object.metadata.name} ${after}`)
        }
      }
      expect(seen).toEqual(names.map((name) => `${name} ${revision}`))
    },
  )
})
