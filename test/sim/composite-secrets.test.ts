// A composite with a secret in its spec: what is shown of its checkpoints is a keyed hash, and its
// composer can tell a changed secret without keeping it.

import { expect, it } from "vitest"
import { z } from "zod"
import { defineComposite } from "../../src/provider/define-composite.ts"
import { secret } from "../../src/provider/schema-marks.ts"
import { ann, Site, widget } from "./site.ts"

const canary = "canary-91c7"
const changed = "canary-5d02"

const boxKind = () =>
  defineComposite({
    ...{ group: "sim.setpoint.dev", version: "v1", kind: "Box", plural: "boxes" },
    spec: z.strictObject({ lock: z.strictObject({ code: secret(z.string()) }) }),
    children: [{ group: "sim.setpoint.dev", kind: "Widget" }],
    compose: ({ parent, hashSecret }) => ({
      children: [widget(parent.metadata.name)],
      status: { code: hashSecret?.(parent.spec.lock.code) ?? "" },
    }),
  })

const box = (code: string) => ({
  ...{ apiVersion: "sim.setpoint.dev/v1", kind: "Box", metadata: { name: "box" } },
  spec: { lock: { code } },
})

it("shows no secret of a composite in checkpoints, their differences and rollbacks", async () => {
  const site = await Site.open({ composites: [boxKind()] })
  const call = async (
    method: "GET" | "POST",
    path: string,
    body?: { readonly [name: string]: string },
  ) => JSON.stringify(await site.run(site.as(ann).call(method, `/setpoint/v1/${path}`, body)))
  await site.declare([box(canary)], 10_000)
  await call("POST", "checkpoints", { loop: site.loopId, name: "first" })
  await site.declare([box(changed)], 10_000)
  const shown = await call("GET", `checkpoints/${site.loopId}/first`)
  const differences = await call("GET", `checkpoints/${site.loopId}/first/diff`)
  const rollback = await call("POST", "rollback", {
    ...{ loop: site.loopId, to: "first", reason: "try" },
  })
  expect(shown).toContain("hmac:sim:")
  expect(differences).toContain("spec.lock.code")
  for (const text of [shown, differences, rollback]) {
    expect(text).not.toContain(canary)
    expect(text).not.toContain(changed)
  }
})

it("tells a composer by a keyed hash that a secret is another one", async () => {
  const site = await Site.open({ composites: [boxKind()] })
  const at = { group: "sim.setpoint.dev", version: "v1", resource: "boxes" }
  const code = async () => {
    const object = await site.run(site.as(ann).get({ ...at, namespace: "default", name: "box" }))
    return String(object?.status?.code)
  }
  await site.declare([box(canary)])
  const first = await code()
  await site.look()
  expect(await code()).toBe(first)
  await site.declare([box(changed)])
  expect(await code()).not.toBe(first)
  expect(first).toContain("hmac:sim:")
  expect(first).not.toContain(canary)
})
