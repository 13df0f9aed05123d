// The forms of an answer byte for byte as clients of Kubernetes read them: metadata alone for
// controllers, tables for people. What is asserted here was seen on a kube-apiserver.

import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { alice, configMap, configMaps } from "../../../test/conformance/client-world.ts"
import { type HttpWorld, memo, memos, openHttpWorld } from "../../../test/conformance/http-world.ts"
import type { ApiObject } from "../../object/object.ts"
import { builtInTables } from "./built-in-tables.ts"

const as = (form: string) => `application/json;as=${form};g=meta.k8s.io;v=v1`
const metadataOnly = as("PartialObjectMetadata")
const table = as("Table")
const path = "/apis/test.dev/v1/namespaces/default/memos"
const initial = "sendInitialEvents=true&resourceVersionMatch=NotOlderThan"
const bookmarks = `watch=1&allowWatchBookmarks=true&${initial}`

let http: HttpWorld
let made: ApiObject[]
beforeEach(async () => {
  http = await openHttpWorld()
  made = []
  for (const [name, text] of Object.entries({ a: "first", b: "second" })) {
    made.push((await http.world.verbs.create(alice, memos, memo(name, text))).object)
  }
})
afterEach(() => http.close())

const now = () => String(http.world.store.revision)
const partial = ({ metadata }: ApiObject) => {
  return { kind: "PartialObjectMetadata", apiVersion: "meta.k8s.io/v1", metadata }
}

const columns = [
  {
    ...{ name: "Name", type: "string", format: "name", priority: 0 },
    description: "Name must be unique within a namespace.",
  },
  { name: "Text", type: "string", format: "", description: "", priority: 0 },
  { name: "Weight", type: "integer", format: "", description: "", priority: 1 },
]

const first = () => made[0] as ApiObject
const second = () => made[1] as ApiObject

describe("metadata alone", () => {
  it("is one object, or a list of them", async () => {
    expect(await http.get(`${path}/a`, metadataOnly)).toMatchObject({
      status: 200,
      headers: { "content-type": "application/json" },
    })
    expect((await http.get(`${path}/a`, metadataOnly)).body).toEqual(partial(first()))
    expect((await http.get(path, as("PartialObjectMetadataList"))).body).toEqual({
      kind: "PartialObjectMetadataList",
      apiVersion: "meta.k8s.io/v1",
      metadata: { resourceVersion: now() },
      items: made.map(partial),
    })
  })

  it("comes in every event of a watch, bookmarks too", async () => {
    const annotations = { "k8s.io/initial-events-end": "true" }
    const events = await http.events(`${path}?${bookmarks}&timeoutSeconds=1`, 4, metadataOnly)
    const mark = { kind: "PartialObjectMetadata", apiVersion: "meta.k8s.io/v1" }
    expect(events).toEqual([
      { type: "ADDED", object: partial(first()) },
      { type: "ADDED", object: partial(second()) },
      { type: "BOOKMARK", object: { ...mark, metadata: { resourceVersion: now(), annotations } } },
      // At its end: where to go on.
      { type: "BOOKMARK", object: { ...mark, metadata: { resourceVersion: now() } } },
    ])
  })
})

describe("a bookmark", () => {
  it("has the kind of what is watched, and nothing but a resourceVersion", async () => {
    const from = first().metadata.resourceVersion
    const query = `watch=1&allowWatchBookmarks=true&timeoutSeconds=1&resourceVersion=${from}`
    const [added, mark] = await http.events(`${path}?${query}`, 2)
    expect(added).toEqual({ type: "ADDED", object: second() })
    const metadata = { resourceVersion: now() }
    expect(mark).toEqual({
      type: "BOOKMARK",
      object: { kind: "Memo", apiVersion: "test.dev/v1", metadata },
    })
  })

  it("is a row without a name in every table there is", () => {
    const mark = { kind: "X", apiVersion: "v1", metadata: { resourceVersion: "1" } }
    for (const [kind, { cells, columns }] of builtInTables) {
      const row = cells(mark as Partial<ApiObject> as ApiObject, 0)
      expect([kind, row.length, row.includes(undefined as never)]).toEqual([
        kind,
        columns.length,
        false,
      ])
      expect(row[columns.findIndex(({ name }) => name === "Name")]).toBe("")
    }
  })
})

describe("a table", () => {
  const row = (object: ApiObject) => ({
    cells: [object.metadata.name, object.spec?.text, object.spec?.weight],
    object: partial(object),
  })
  const head = { kind: "Table", apiVersion: "meta.k8s.io/v1" }

  it("has a row for an object, with all columns, those of wide tables by priority", async () => {
    expect((await http.get(`${path}/a`, table)).body).toEqual({
      ...head,
      metadata: { resourceVersion: first().metadata.resourceVersion },
      columnDefinitions: columns,
      rows: [row(first())],
    })
  })

  it("has the metadata of the list, page by page", async () => {
    const page = (await http.get(`${path}?limit=1`, table)).body
    expect(page).toEqual({
      ...head,
      metadata: { resourceVersion: now(), continue: expect.any(String) },
      columnDefinitions: columns,
      rows: [row(first())],
    })
    const { continue: token } = page.metadata as { continue: string }
    expect((await http.get(`${path}?limit=1&continue=${token}`, table)).body).toEqual({
      ...head,
      metadata: { resourceVersion: now() },
      columnDefinitions: columns,
      rows: [row(second())],
    })
  })

  it("shows of each object what was asked for", async () => {
    const objects = async (include: string) => {
      const { body } = await http.get(`${path}?includeObject=${include}`, table)
      return (body.rows as readonly { object: unknown }[]).map(({ object }) => object)
    }
    expect(await objects("None")).toEqual([null, null])
    expect(await objects("Metadata")).toEqual(made.map(partial))
    expect(await objects("Object")).toEqual(made)
    expect(await http.get(`${path}?includeObject=All`, table)).toMatchObject({ status: 400 })
  })

  it("comes with every event of a watch, its columns with the first alone", async () => {
    const events = await http.events(`${path}?${bookmarks}`, 3, table)
    const annotations = { "k8s.io/initial-events-end": "true" }
    const metadata = { resourceVersion: now() }
    const nameless = { metadata: { ...metadata, annotations } }
    expect(events).toEqual([
      {
        type: "ADDED",
        object: {
          ...head,
          metadata: { resourceVersion: first().metadata.resourceVersion },
          columnDefinitions: columns,
          rows: [row(first())],
        },
      },
      {
        type: "ADDED",
        object: {
          ...head,
          metadata: { resourceVersion: second().metadata.resourceVersion },
          columnDefinitions: null,
          rows: [row(second())],
        },
      },
      {
        type: "BOOKMARK",
        object: {
          ...{ ...head, metadata, columnDefinitions: null },
          rows: [{ cells: ["", null, null], object: { ...partial(first()), ...nameless } }],
        },
      },
    ])
  })

  it("of a watch shows what was asked for in bookmarks too", async () => {
    const marks = async (include: string) => {
      const query = `${bookmarks}&includeObject=${include}`
      const events = await http.events(`${path}?${query}`, 3, table)
      const { object } = events[2] as { object: { rows: readonly { object: unknown }[] } }
      return object.rows[0]?.object
    }
    expect(await marks("None")).toBeNull()
    expect(await marks("Object")).toMatchObject({
      ...{ kind: "Memo", apiVersion: "test.dev/v1" },
      metadata: { resourceVersion: now() },
    })
  })

  it("of ConfigMaps is what kube-apiserver makes of a bookmark", async () => {
    await http.world.verbs.create(alice, configMaps, configMap("c", { k: "v" }))
    const maps = "/api/v1/namespaces/default/configmaps"
    const [added, mark] = await http.events(`${maps}?${bookmarks}`, 2, table)
    expect(added).toMatchObject({ object: { rows: [{ cells: ["c", 1, expect.any(String)] }] } })
    expect(mark).toMatchObject({ object: { rows: [{ cells: ["", 0, "<unknown>"] }] } })
  })
})
