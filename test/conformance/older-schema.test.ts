// What lies in the store may be older than the schema of its kind, or of another version: it is
// read as the definition is now. The answers are those of kube-apiserver 1.35.

import { afterEach, beforeEach, describe, expect, test } from "vitest"
import { objectBytes } from "../../src/api/object-bytes.ts"
import { eventLine } from "../../src/api/raw-reads.ts"
import { storageKey } from "../../src/api/storage-keys.ts"
import type { RawWatchEvent } from "../../src/api/verb-watch.ts"
import type { JsonObject } from "../../src/base/json.ts"
import type { PatchType } from "../../src/contract/client.ts"
import type { ApiObject, ResourceRef } from "../../src/object/object.ts"
import { alice, configMaps, definitions, faultOf } from "./client-world.ts"
import { type DefinitionWorld, openDefinitionWorld } from "./definition-world.ts"
import {
  BoxConverter,
  boxDefinition,
  boxes,
  boxOf,
  packDefinition,
  versionOf,
} from "./versioned-boxes.ts"

const text: JsonObject = { type: "string" }
const number: JsonObject = { type: "integer" }
const pads: ResourceRef = { group: "pack.dev", version: "v1", resource: "pads" }
const padAt = { ...pads, namespace: "default", name: "a" }

let world: DefinitionWorld
beforeEach(async () => {
  world = await openDefinitionWorld()
})
afterEach(() => world.close())

const pad = (spec: JsonObject, version = "v1"): ApiObject => ({
  apiVersion: `pack.dev/${version}`,
  kind: "Pad",
  metadata: { name: "a", namespace: "default" },
  spec,
})

const define = (...versions: readonly JsonObject[]) =>
  world.create(definitions, packDefinition("pads", "Pad", versions))

async function redefine(...versions: readonly JsonObject[]): Promise<void> {
  const live = await world.read(definitions, "pads.pack.dev", "")
  await world.update(definitions, { ...live, spec: { ...live.spec, versions } })
}

const parsed = (bytes: Uint8Array | undefined): ApiObject =>
  JSON.parse(Buffer.from(bytes ?? []).toString("utf8"))

async function stored(
  ref = padAt,
): Promise<{ readonly bytes: Uint8Array; readonly spec: unknown }> {
  const entry = await world.store.get(storageKey(ref))
  if (entry === undefined || "kind" in entry) throw new Error("there is none")
  return { bytes: entry.value, spec: parsed(entry.value).spec }
}

const patch = async (type: PatchType, body: JsonObject | readonly JsonObject[]) =>
  (await world.verbs.patch(alice, padAt, type, body, { fieldValidation: "Strict" })).object

/** Everything that is said of the collection after `resourceVersion`, up to `count` changes. */
async function watched(resourceVersion: string, count: number): Promise<RawWatchEvent[]> {
  const signal = AbortSignal.timeout(20_000)
  const events: RawWatchEvent[] = []
  for await (const event of world.reads.watch(pads, { resourceVersion, signal })) {
    if (event.type === "BOOKMARK") continue
    events.push(event)
    if (events.length === count) break
  }
  return events
}

const specIn = (event: RawWatchEvent | undefined): unknown => {
  if (event === undefined || event.type === "BOOKMARK") throw new Error("no event")
  const line = Buffer.from(eventLine(world.registry.need(pads), event)).toString("utf8")
  return (JSON.parse(line) as { object: ApiObject }).object.spec
}

describe("a field that a definition has no more", () => {
  const keyed = {
    type: "object",
    additionalProperties: { type: "object", properties: { a: text } },
  }
  const before = versionOf(
    "v1",
    { size: number, note: text, list: { type: "array", items: keyed } },
    { storage: true },
  )
  const inner = { type: "object", additionalProperties: { type: "object", properties: {} } }
  const after = versionOf(
    "v1",
    { size: number, list: { type: "array", items: inner } },
    { storage: true },
  )
  const full = { size: 1, note: "n", list: [{ x: { a: "1" } }] }
  const left = { size: 1, list: [{ x: {} }] }

  beforeEach(() => define(before))

  test("is not read, whoever asks and how", async () => {
    const made = await world.create(pads, pad(full))
    await redefine(after)
    expect((await world.read(pads, "a")).spec).toEqual(left)
    expect(parsed(await world.reads.get(padAt)).spec).toEqual(left)
    const list = await world.verbs.list(alice, pads)
    expect(list.items.map(({ spec }) => spec)).toEqual([left])
    const raw = await world.reads.list(pads, {})
    expect(raw.items.map((item) => parsed(item).spec)).toEqual([left])
    const labelled = await world.reads.list(pads, { labelSelector: "!x" })
    expect(labelled.items.map((item) => parsed(item).spec)).toEqual([left])
    const since = String(Number(made.metadata.resourceVersion) - 1)
    const [event] = await watched(since, 1)
    expect(specIn(event)).toEqual(left)
  })

  test("is not in what a watch says of an object that went", async () => {
    const made = await world.create(pads, pad(full))
    await redefine(after)
    await world.verbs.delete(alice, padAt)
    const [event] = await watched(made.metadata.resourceVersion ?? "", 1)
    expect(event?.type).toBe("DELETED")
    expect(specIn(event)).toEqual(left)
  })

  test("keeps nobody from changing another one strictly", async () => {
    await world.create(pads, pad(full))
    await redefine(after)
    expect((await patch("merge", { spec: { size: 2 } })).spec).toEqual({ ...left, size: 2 })
    const replace = { op: "replace", path: "/spec/size", value: 3 }
    expect((await patch("json", [replace])).spec).toEqual({ ...left, size: 3 })
  })

  test("is refused strictly when the patch brings it, and is not there to be tested", async () => {
    await world.create(pads, pad(full))
    await redefine(after)
    const brought = await faultOf(patch("merge", { spec: { note: "m" } }))
    expect(brought.message).toContain('unknown field "spec.note"')
    const tested = await faultOf(patch("json", [{ op: "test", path: "/spec/note", value: "n" }]))
    expect(tested.status).toBe(422)
  })

  test("goes from the store with the next write", async () => {
    await world.create(pads, pad(full))
    await redefine(after)
    expect((await stored()).spec).toEqual(full)
    await world.change(pads, "a", (spec) => ({ ...spec, size: 2 }))
    expect((await stored()).spec).toEqual({ ...left, size: 2 })
  })

  test("does not come back when the object is marked for deletion", async () => {
    const { metadata, ...rest } = pad(full)
    await world.create(pads, { ...rest, metadata: { ...metadata, finalizers: ["pack.dev/x"] } })
    await redefine(after)
    const { object } = await world.verbs.delete(alice, padAt)
    expect(object.spec).toEqual(left)
    expect((await stored()).spec).toEqual(left)
    expect(parsed(await world.reads.get(padAt)).spec).toEqual(left)
  })

  test("is not stored by a write that was judged before", async () => {
    await world.create(pads, pad({ size: 1 }))
    let changes = 0
    const redefining = {
      admit: async () => {
        if (changes++ === 0) await redefine(after)
      },
    }
    Object.assign(world.context, { validating: [...world.context.validating, redefining] })
    await world.change(pads, "a", (spec) => ({ ...spec, note: "n", size: 2 }))
    expect(changes).toBeGreaterThan(0)
    expect((await stored()).spec).toEqual({ size: 2 })
  })
})

describe("stored bytes", () => {
  const plain = async (ref: ResourceRef = pads): Promise<boolean> => {
    const entry = await world.store.get(storageKey({ ...padAt, ...ref }))
    if (entry === undefined || "kind" in entry) throw new Error("there is none")
    const resource = world.registry.need(ref)
    return objectBytes(resource, entry.value, entry.modRevision) !== undefined
  }
  const withDefault = { size: { type: "integer", default: 1 } }

  test("go out as they are when they are newer than their schema", async () => {
    await define(versionOf("v1", withDefault, { storage: true }))
    await world.create(pads, pad({}))
    expect(await plain()).toBe(true)
  })

  test("are looked at when the schema is newer, until they are written again", async () => {
    await define(versionOf("v1", withDefault, { storage: true }))
    await world.create(pads, pad({}))
    await redefine(versionOf("v1", { ...withDefault, note: text }, { storage: true }))
    expect(await plain()).toBe(false)
    await world.change(pads, "a", (spec) => ({ ...spec, note: "n" }))
    expect(await plain()).toBe(true)
  })

  test("stay as they are when only the status or metadata of the definition changes", async () => {
    await define(versionOf("v1", withDefault, { storage: true }))
    await world.create(pads, pad({}))
    const live = await world.read(definitions, "pads.pack.dev", "")
    const metadata = { ...live.metadata, annotations: { x: "y" } }
    await world.update(definitions, { ...live, metadata })
    expect(await plain()).toBe(true)
  })

  test("always go out as they are where nothing is ever unknown", async () => {
    const free = { type: "object", "x-kubernetes-preserve-unknown-fields": true }
    const open = { name: "v1", served: true, storage: true, schema: { openAPIV3Schema: free } }
    await define(open)
    await world.create(pads, pad({ any: { thing: 1 } }))
    await redefine({ ...open, deprecated: true })
    expect(await plain()).toBe(true)
    expect((await world.read(pads, "a")).spec).toEqual({ any: { thing: 1 } })
  })
})

describe("versions with other schemas and no webhook", () => {
  const one = { type: "string", default: "one" }
  const two = { type: "string", default: "two" }
  const v2: ResourceRef = { ...pads, version: "v2" }

  beforeEach(() =>
    define(
      versionOf("v1", { size: number, note: text, one }, { storage: true }),
      versionOf("v2", { size: number, extra: text, two }),
    ),
  )

  test("show of an object what they know, with the defaults of the stored one", async () => {
    await world.create(pads, pad({ size: 1, note: "n" }))
    expect((await world.read(pads, "a")).spec).toEqual({ size: 1, note: "n", one: "one" })
    expect((await world.read(v2, "a")).spec).toEqual({ size: 1 })
    const raw = await world.reads.list(v2, {})
    expect(raw.items.map((item) => parsed(item).spec)).toEqual([{ size: 1 }])
  })

  test("keep what the stored one has a place for, and say so at once", async () => {
    const made = await world.create(v2, pad({ size: 1, extra: "e" }, "v2"))
    expect(made.spec).toEqual({ size: 1 })
    expect((await stored()).spec).toEqual({ size: 1 })
    expect(parsed(await world.reads.get(padAt)).spec).toEqual({ size: 1, one: "one" })
  })

  test("can be patched strictly, each by what it shows", async () => {
    await world.create(pads, pad({ size: 1, note: "n" }))
    const at = { ...v2, namespace: "default", name: "a" }
    const strict = { fieldValidation: "Strict" } as const
    const { object } = await world.verbs.patch(alice, at, "merge", { spec: { size: 3 } }, strict)
    expect(object.spec).toEqual({ size: 3 })
  })
})

describe("what a conversion webhook answers", () => {
  test("is read without what the version does not know", async () => {
    const converter = new BoxConverter()
    const spoilt = async (call: Parameters<typeof converter.callWebhook>[0]) => {
      const review = JSON.stringify(await converter.callWebhook(call))
      return JSON.parse(review.replaceAll('"spec":{', '"spec":{"stray":"x",'))
    }
    Object.assign(world.context, { callWebhook: spoilt })
    await world.create(definitions, boxDefinition())
    await world.create(boxes("v2"), boxOf("v2", { count: 1 }))
    expect((await stored({ ...padAt, resource: "boxes" })).spec).toEqual({ size: 1 })
    expect((await world.read(boxes("v2"), "a")).spec).toEqual({ count: 1 })
    const raw = await world.reads.list(boxes("v2"), {})
    expect(raw.items.map((item) => parsed(item).spec)).toEqual([{ count: 1 }])
  })
})

describe("a built-in kind", () => {
  test("can be patched strictly when an older release stored more", async () => {
    const at = { ...configMaps, namespace: "default", name: "old" }
    const old = {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: "old", namespace: "default", uid: "u", generation: 1 },
      data: { a: "1" },
      gone: "x",
    }
    const value = Buffer.from(JSON.stringify(old))
    await world.store.commit([], [{ kind: "put", key: storageKey(at), value }])
    const strict = { fieldValidation: "Strict" } as const
    const body = { data: { a: "2" } }
    const { object } = await world.verbs.patch(alice, at, "strategic", body, strict)
    expect(object.data).toEqual({ a: "2" })
    expect(object).not.toHaveProperty("gone")
  })
})
