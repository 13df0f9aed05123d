// A GpuPool on a whole plane: what the API lets people change of a pool that is in use.

import { expect, it } from "vitest"
import type { JsonObject } from "../../src/base/json.ts"
import { quotaKinds } from "../../src/providers/quota/quota-kinds.ts"
import { ann, Site } from "./site.ts"

const gpu = { group: "gpu.setpoint.dev", version: "v1alpha1" } as const

const make = (site: Site, kind: string, resource: string, name: string, spec: JsonObject) => {
  const metadata = { name, namespace: "default" }
  const object = { apiVersion: "gpu.setpoint.dev/v1alpha1", kind, metadata, spec }
  return site.run(site.as(ann).create({ ...gpu, resource }, object))
}

it("keeps a node in its pool and flavor, which its GPUs were given away by", async () => {
  const site = await Site.open({ composites: quotaKinds, source: false })
  await make(site, "GpuNode", "gpunodes", "n1", { flavor: "a100", gpus: 8, simulated: true })
  const ref = { ...gpu, resource: "gpunodes", namespace: "default", name: "n1" }
  const change = (spec: JsonObject) => site.as(ann).patch(ref, "merge", { spec })
  for (const spec of [{ flavor: "h100" }, { pool: "other" }]) {
    expect(await site.refused(change(spec))).toContain("can't be changed; delete the node")
  }
  const changed = await site.run(change({ gpus: 4, cordoned: true }))
  expect(changed.spec).toMatchObject({ pool: "default", flavor: "a100", gpus: 4 })
})
