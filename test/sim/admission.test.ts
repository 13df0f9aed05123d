import { describe, expect, it } from "vitest"
import { sleep } from "../../src/base/clock.ts"
import { at, type Json, type JsonObject } from "../../src/base/json.ts"
import type { WebhookCall } from "../../src/contract/webhook.ts"
import type { ApiObject } from "../../src/object/object.ts"
import { ann, names, Site, widget } from "./site.ts"

const configurations = {
  ...{ group: "admissionregistration.k8s.io", version: "v1" },
  resource: "validatingwebhookconfigurations",
} as const
const planes = { group: "setpoint.dev", version: "v1alpha1", resource: "planes" } as const

const everything: ApiObject = {
  apiVersion: "admissionregistration.k8s.io/v1",
  kind: "ValidatingWebhookConfiguration",
  metadata: { name: "gate" },
  webhooks: [
    {
      name: "gate.test.dev",
      clientConfig: { url: "https://gate.test/" },
      rules: [{ apiGroups: ["*"], apiVersions: ["*"], operations: ["*"], resources: ["*/*"] }],
      sideEffects: "None",
      admissionReviewVersions: ["v1"],
    },
  ],
}

/** A webhook that takes a second, allows what it is asked, and can be switched off. */
class Gate {
  site: Site | undefined
  up = true
  readonly asked: string[] = []
  patch: JsonObject[] | undefined

  readonly call = async ({ body }: WebhookCall): Promise<Json> => {
    const clock = this.site?.clock
    if (clock !== undefined) await sleep(clock, 1000)
    const member = (...path: readonly string[]) => String(at(body, "request", ...path) ?? "")
    this.asked.push(`${member("userInfo", "username")} ${member("operation")} ${member("name")}`)
    if (!this.up) throw new Error("connect ECONNREFUSED")
    const patch = Buffer.from(JSON.stringify(this.patch ?? [])).toString("base64")
    const changes = this.patch === undefined ? {} : { patch, patchType: "JSONPatch" }
    const response = { uid: member("uid"), allowed: true, ...changes }
    return { apiVersion: "admission.k8s.io/v1", kind: "AdmissionReview", response }
  }
}

async function open(): Promise<{ site: Site; gate: Gate }> {
  const gate = new Gate()
  const site = await Site.open({ callWebhook: gate.call })
  gate.site = site
  await site.run(site.as(ann).create(configurations, everything))
  return { site, gate }
}

describe("a webhook that all writes must pass", () => {
  it("is asked about what a source and a person write, and never about the engine", async () => {
    const { site, gate } = await open()
    await site.declare(
      names(3).map((name) => widget(name)),
      60_000,
    )
    expect(site.there()).toEqual(["w0", "w1", "w2"])
    expect(await site.reason("w0")).toBe("Converged")
    expect(gate.asked).toContain("setpoint-source/default.site CREATE w0")
    expect(gate.asked.filter((line) => line.startsWith("setpoint:engine"))).toEqual([])
  })

  it("stops new declarations while it is down, and nothing that keeps the plane safe", async () => {
    const { site, gate } = await open()
    await site.declare(
      names(3).map((name) => widget(name)),
      60_000,
    )
    gate.up = false
    await site.declare(
      names(4).map((name) => widget(name)),
      60_000,
    )
    expect(site.there()).toHaveLength(3)
    // Drift is corrected and told.
    site.world.edit("w1", { color: "blue" })
    await site.look(10_000)
    expect(site.world.find("w1")[0]?.value.color).toBe("red")
    // A person can stop the plane.
    const plane = await site.run(site.as(ann).get({ ...planes, namespace: "", name: "local" }))
    expect(plane).toBeDefined()
    await site.run(
      site.as(ann).patch({ ...planes, namespace: "", name: "local" }, "merge", {
        spec: { stop: [{ scope: "all", by: "ann", reason: "testing" }] },
      }),
    )
    expect(JSON.stringify(await site.status())).toContain("testing")
  })

  it("lets the declaration in by itself when it is back", async () => {
    const { site, gate } = await open()
    gate.up = false
    await site.declare(
      names(3).map((name) => widget(name)),
      60_000,
    )
    expect(site.there()).toEqual([])
    gate.up = true
    await site.clock.advance(20 * 60_000)
    expect(site.there()).toHaveLength(3)
  })
})

describe("a webhook that adds to what a source declares", () => {
  it("leaves the plane quiet", async () => {
    const gate = new Gate()
    const site = await Site.open({ callWebhook: gate.call, seed: 7 })
    gate.site = site
    gate.patch = [{ op: "add", path: "/metadata/labels/checked", value: "yes" }]
    const mutating = { ...configurations, resource: "mutatingwebhookconfigurations" }
    const kind = "MutatingWebhookConfiguration"
    const [hook] = Array.isArray(everything.webhooks) ? everything.webhooks : []
    const rules = [
      { apiGroups: ["sim.setpoint.dev"], apiVersions: ["*"], operations: ["CREATE", "UPDATE"] },
    ].map((rule) => ({ ...rule, resources: ["widgets"] }))
    const webhooks = [{ ...hook, rules }]
    await site.run(site.as(ann).create(mutating, { ...everything, kind, webhooks }))
    await site.declare(
      names(3).map((name) => widget(name)),
      120_000,
    )
    expect((await site.object("w1"))?.metadata.labels).toMatchObject({ checked: "yes" })
    // The checkpoint of the converged state is the last thing written.
    await site.clock.advance(30 * 60_000)
    const before = site.revision
    await site.clock.advance(60 * 60_000)
    expect(site.revision).toBe(before)
    site.sim.source.declare(names(3).map((name) => widget(name)))
    await site.clock.advance(120_000)
    const { resourceVersion } = (await site.object("w1"))?.metadata ?? {}
    await site.clock.advance(120_000)
    expect((await site.object("w1"))?.metadata.resourceVersion).toBe(resourceVersion)
  })
})
