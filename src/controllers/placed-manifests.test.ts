import { expect, test } from "vitest"
import { Breath } from "../base/breath.ts"
import type { Json } from "../base/json.ts"
import type { Manifest } from "../contract/source.ts"
import { SimClock } from "../sim/sim-clock.ts"
import type { ServedKind } from "./place-manifest.ts"
import { PlacedManifests } from "./placed-manifests.ts"

function manifest(name: string): Manifest {
  const position = { file: "a.yaml", line: 1, column: 1 }
  const spec = { size: 1, color: "red" }
  const object = { apiVersion: "sim.setpoint.dev/v1", kind: "Widget", metadata: { name }, spec }
  return { object, position, locate: () => position }
}

const resource = { group: "sim.setpoint.dev", version: "v1", resource: "widgets" }

function keeper() {
  const served: { kind: ServedKind | undefined } = { kind: { resource, namespaced: true } }
  const breath = new Breath(new SimClock())
  return { served, manifests: new PlacedManifests("default.site", () => served.kind, breath) }
}

test("works nothing out again for the same list, and only new manifests of another", async () => {
  const { manifests } = keeper()
  const list = [manifest("a"), manifest("b")]
  const first = await manifests.place(list)
  expect([...first.declared]).toHaveLength(2)
  expect(await manifests.place(list)).toBe(first)
  const more = await manifests.place([...list, manifest("c")])
  expect(more.placed).toHaveLength(3)
  expect(more.placed[0]).toBe(first.placed[0])
})

test("says at once when a kind of an unchanged list is not served any more", async () => {
  const { served, manifests } = keeper()
  const list = [manifest("a")]
  expect((await manifests.place(list)).issues).toEqual([])
  served.kind = undefined
  const gone = await manifests.place(list)
  expect(gone.placed).toEqual([])
  expect(gone.issues).toHaveLength(1)
  served.kind = { resource: { ...resource, version: "v2" }, namespaced: true }
  const back = await manifests.place(list)
  expect(back.placed[0]?.resource.version).toBe("v2")
})

test("refuses what can't be written out as an issue of its manifest, not as an error", async () => {
  const { manifests } = keeper()
  let deep: Json = 1
  for (let depth = 0; depth < 100_000; depth++) deep = [deep]
  const plain = manifest("a")
  const one: Manifest = { ...plain, object: { ...plain.object, spec: { deep } } }
  const { placed, issues } = await manifests.place([one, manifest("b")])
  expect(placed.map(({ text }) => text)).toHaveLength(1)
  expect(issues).toMatchObject([{ code: "SPT-SRC-101", position: { file: "a.yaml", line: 1 } }])
})
