// Webhooks that can't be asked: down, slow, endless, elsewhere, or not who they should be.

import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { webhookCaller } from "../../src/api/http/call-webhook.ts"
import { configuration, validatingConfigurations, webhook } from "./admission-objects.ts"
import { alice, faultOf } from "./client-world.ts"
import { WebhookRig } from "./webhook-rig.ts"
import type { Reply } from "./webhook-server.ts"

let rig: WebhookRig
beforeEach(async () => {
  rig = await WebhookRig.open()
})
afterEach(() => rig.close())

describe("a webhook that can't be asked", () => {
  const failing: Record<string, Reply> = {
    "answers with another uid": () => ({ allowed: true, uid: "other" }),
    "redirects elsewhere": (_, response) => {
      response.writeHead(307, { location: `https://127.0.0.1:${rig.server.port}/ok` }).end()
      return undefined
    },
    "fails by itself": (_, response) => void response.writeHead(500).end(),
    "answers with no JSON": (_, response) => void response.end("hello"),
    "hangs up": (_, response) => void response.destroy(),
    "answers with another kind": (request, response) =>
      void response.end(JSON.stringify({ kind: "Pod", response: { uid: request.uid } })),
    "answers without end": (_, response) => {
      const part = Buffer.alloc(1024 * 1024, " ")
      const more = () => {
        while (!response.destroyed) if (!response.write(part)) return
      }
      response.on("drain", more)
      more()
      return undefined
    },
  }

  it.each(Object.keys(failing))("refuses the write when it %s", async (name) => {
    await rig.validating("/bad", failing[name])
    const fault = await faultOf(rig.create("a"))
    expect(fault).toMatchObject({ code: "SPT-API-124", status: 500 })
    expect(fault.message).toMatch(
      /^Internal error occurred: failed calling webhook "bad\.test\.dev": /,
    )
    expect(rig.paths).toEqual(["/bad"])
  })

  it("refuses the write when it is too slow, and lets it pass where that is wanted", async () => {
    await rig.validating("/slow", () => undefined, { timeoutSeconds: 1 })
    expect((await faultOf(rig.create("a"))).message).toContain("no answer within 1000 ms")
    await rig.validating("/slow2", () => undefined, { timeoutSeconds: 1, failurePolicy: "Ignore" })
    await rig.withdraw("slow.test.dev")
    const { created, warnings } = await rig.create("a")
    expect(created).toBe(true)
    expect(warnings).toEqual([
      'admission webhook "slow2.test.dev" could not be asked and was passed over',
    ])
  })

  it("is one that nobody runs, or whose certificate nobody signed", async () => {
    const hook = webhook("gone.test.dev", { url: "https://127.0.0.1:1/" })
    const made = configuration("Validating", "gone.test.dev", hook)
    await rig.world.verbs.create(alice, validatingConfigurations, made)
    expect((await faultOf(rig.create("a"))).message).toContain("ECONNREFUSED")
    const { caBundle: _, ...unsigned } = rig.server.client("/ok")
    const live = await rig.read(validatingConfigurations, "gone.test.dev", "")
    await rig.world.verbs.update(alice, validatingConfigurations, {
      ...live,
      webhooks: [webhook("gone.test.dev", unsigned)],
    })
    expect((await faultOf(rig.create("a"))).message).toMatch(/certificate/)
    expect(rig.server.asked).toEqual([])
  })

  it("still denies where failures are to be ignored", async () => {
    await rig.validating("/no", () => ({ allowed: false }), { failurePolicy: "Ignore" })
    expect(await faultOf(rig.create("a"))).toMatchObject({ code: "SPT-API-123" })
  })

  it("is found by its service where the plane was told its address", async () => {
    const service = { namespace: "tools", name: "hook", path: "/svc" }
    const hook = webhook("svc.test.dev", { service, caBundle: rig.server.caBundle })
    const made = configuration("Validating", "svc.test.dev", hook)
    await rig.world.verbs.create(alice, validatingConfigurations, made)
    const lost = await faultOf(rig.create("a"))
    expect(lost.message).toContain("--webhook-service tools/hook=HOST:PORT")
    rig.callBy(
      webhookCaller(new Map([["tools/hook", { host: "127.0.0.1", port: rig.server.port }]])),
    )
    expect((await rig.create("a")).created).toBe(true)
    expect(rig.paths).toEqual(["/svc"])
  })
})
