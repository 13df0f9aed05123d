// Gate: a file whose declaration moves leaves its old place, also when the plane remembers its
// content by a hash only.

import { afterEach, expect, it } from "vitest"
import type { JsonObject } from "../../src/base/json.ts"
import type { ApiObject } from "../../src/object/object.ts"
import { worldWith } from "../../src/provider/missing-handles.ts"
import { fileKinds } from "../../src/providers/file/file-kinds.ts"
import { memoryFiles } from "../../src/sim/memory-files.ts"
import { SimClock } from "../../src/sim/sim-clock.ts"
import { SimPlane } from "../../src/sim/sim-plane.ts"
import { SimRandom } from "../../src/sim/sim-random.ts"
import { ann, loops } from "./site.ts"

const clock = new SimClock()
const files = memoryFiles({ clock, random: new SimRandom(1) })
const kinds = fileKinds({ roots: ["/"], forbidden: [], clock })
const sim = new SimPlane({ clock, kinds, world: worldWith({ files }) })
afterEach(() => sim.stopPlane())

const file = (path: string, content: JsonObject): ApiObject => ({
  ...{ apiVersion: "host.setpoint.dev/v1", kind: "File", metadata: { name: "f" } },
  spec: { path, ...content },
})

const secret: ApiObject = {
  ...{ apiVersion: "v1", kind: "Secret", metadata: { name: "s", namespace: "default" } },
  data: { password: Buffer.from("correct-horse").toString("base64") },
}

const loop: ApiObject = {
  ...{ apiVersion: "setpoint.dev/v1alpha1", kind: "Loop" },
  metadata: { name: "site", namespace: "default" },
  spec: { mode: "Enforce", source: { directory: { path: "/site" } } },
}

async function declare(...objects: readonly ApiObject[]): Promise<readonly string[]> {
  sim.source.declare(objects)
  await clock.advance(30_000)
  return (await files.list("/")).map(({ name }) => name).sort()
}

it("moves with a long content and with one from a Secret", async () => {
  await sim.start()
  await sim.plane.client(ann).apply(loops, loop, { fieldManager: "ann" })
  await clock.advance(100)
  const long = { content: "x".repeat(5000) }
  expect(await declare(file("/a", long))).toEqual(["a"])
  expect(await declare(file("/b", long))).toEqual(["b"])
  await clock.advance(11 * 60_000) // A move takes a file away, and a window allows one.
  const hidden = { contentFrom: { kind: "Secret", name: "s", field: "data.password" } }
  expect(await declare(secret, file("/b", hidden))).toEqual(["b"])
  expect(await declare(secret, file("/c", hidden))).toEqual(["c"])
  expect(Buffer.from(await files.read("/c", 100)).toString()).toBe("correct-horse")
})
