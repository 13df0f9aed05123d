// Whatever a webhook answers: what is stored keeps its identity, its loop and its finalizer, and is
// valid; else nothing is stored, and the refusal is a fault with a code.

import fc from "fast-check"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { isFault } from "../../src/base/faults.ts"
import { at, type Json, type JsonObject } from "../../src/base/json.ts"
import type { WebhookCall } from "../../src/contract/webhook.ts"
import { loopLabel, targetFinalizer } from "../../src/object/object.ts"
import { configuration, mutatingConfigurations, webhook } from "./admission-objects.ts"
import { type ApiWorld, alice, openApiWorld, thing, things } from "./client-world.ts"

let world: ApiWorld
let answer: (uid: string) => Json = () => null
beforeEach(async () => {
  world = await openApiWorld()
  const callWebhook = async ({ body }: WebhookCall) => answer(String(at(body, "request", "uid")))
  Object.assign(world.context, { callWebhook })
  const hook = webhook("any.test.dev", { url: "https://any.test/" })
  await world.verbs.create(alice, mutatingConfigurations, configuration("Mutating", "any", hook))
})
afterEach(() => world.close())

const places = [
  ..."name namespace uid generation creationTimestamp deletionTimestamp resourceVersion".split(" "),
  ..."labels annotations finalizers ownerReferences managedFields generateName".split(" "),
].map((name) => `/metadata/${name}`)
const deeper = [
  ...["/metadata/labels/setpoint.dev~1loop", "/metadata/finalizers/0", "/metadata/finalizers/-"],
  ...["/spec", "/spec/size", "/spec/color", "/spec/tags", "/spec/odd", "/status", "/status/ok"],
  ...["/kind", "/apiVersion", "/metadata", "", "/__proto__/x", "/metadata/labels/x"],
]

const value: fc.Arbitrary<Json> = fc.oneof(
  fc.constantFrom<Json>(null, 7, "x", "", true, [], {}, ["a", "a"], { a: "b" }, 1000, -1),
  fc.jsonValue({ maxDepth: 2 }) as fc.Arbitrary<Json>,
)
const operation = fc.record({
  op: fc.constantFrom("add", "remove", "replace", "copy", "move", "test", "odd"),
  path: fc.constantFrom(...places, ...deeper),
  from: fc.constantFrom(...places, ...deeper),
  value,
})

const encoded = (patch: Json): string => Buffer.from(JSON.stringify(patch)).toString("base64")

async function write(name: string): Promise<JsonObject | undefined> {
  try {
    const { object } = await world.verbs.create(alice, things, thing(name, { size: 3 }))
    return object as JsonObject
  } catch (error) {
    expect(isFault(error) && error.code).toMatch(/^SPT-API-/)
    return undefined
  }
}

describe("a hostile webhook", () => {
  let count = 0
  const judge = async () => {
    const name = `t${count++}`
    const stored = await write(name)
    const found = await world.verbs.get(alice, { ...things, namespace: "default", name })
    if (stored === undefined) {
      expect(found).toBeUndefined()
      return false
    }
    expect(stored).toMatchObject({
      apiVersion: "test.dev/v1",
      kind: "Thing",
      metadata: { name, namespace: "default", generation: 1, uid: expect.stringMatching(/-4/) },
    })
    expect(at(stored, "metadata", "labels", loopLabel)).toBe("default.default")
    expect(at(stored, "metadata", "finalizers")).toContain(targetFinalizer)
    expect(at(stored, "metadata", "deletionTimestamp")).toBeUndefined()
    expect(stored.status).toBeUndefined()
    expect(Object.keys((stored.spec ?? {}) as object)).not.toContain("odd")
    const size = at(stored, "spec", "size")
    expect(size === undefined || Number(size) <= 100).toBe(true)
    return true
  }

  it("gets at nothing by any patch", async () => {
    let passed = 0
    await fc.assert(
      fc.asyncProperty(fc.array(operation, { maxLength: 4 }), async (patch) => {
        answer = (uid) => ({
          ...{ apiVersion: "admission.k8s.io/v1", kind: "AdmissionReview" },
          response: { uid, allowed: true, patchType: "JSONPatch", patch: encoded(patch as Json) },
        })
        if (await judge()) passed++
      }),
      { numRuns: 300 },
    )
    expect(passed).toBeGreaterThan(20)
  })

  it("gets at nothing by any answer", async () => {
    await fc.assert(
      fc.asyncProperty(value, value, value, async (response, patch, status) => {
        answer = (uid) => ({
          ...{ apiVersion: "admission.k8s.io/v1", kind: "AdmissionReview" },
          response:
            status === null
              ? response
              : { uid, allowed: response, patch, status, warnings: response, patchType: patch },
        })
        await judge()
      }),
      { numRuns: 200 },
    )
  })
})
