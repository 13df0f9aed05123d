// Notifiers in virtual time: whose Secrets a message may carry, and what is told over a restart.

import { afterEach, describe, expect, it } from "vitest"
import { at, type JsonObject } from "../../src/base/json.ts"
import { disarm } from "../../src/base/protections.ts"
import type { OutgoingMessage } from "../../src/contract/notification.ts"
import type { ApiObject } from "../../src/object/object.ts"
import { ann, Site, type SiteOptions } from "./site.ts"

let armAgain: (() => void) | undefined
afterEach(() => {
  armAgain?.()
  armAgain = undefined
})

const notifiers = {
  group: "setpoint.dev",
  version: "v1alpha1",
  resource: "notifiers",
} as const
const secrets = { group: "", version: "v1", resource: "secrets" } as const

async function openTold(options: SiteOptions = {}) {
  const sent: OutgoingMessage[] = []
  const notify = async (message: OutgoingMessage) => void sent.push(message)
  return { sent, site: await Site.open({ ...options, notify }) }
}

function notifier(name: string, webhook: JsonObject, spec: JsonObject = {}): ApiObject {
  const metadata = { name, namespace: "default" }
  const url = "https://elsewhere.example/"
  return {
    ...{ apiVersion: "setpoint.dev/v1alpha1", kind: "Notifier", metadata },
    spec: { webhook: { url, ...webhook }, for: "0s", ...spec },
  }
}

const statusOf = async (site: Site, name: string) =>
  (await site.run(site.as(ann).get({ ...notifiers, namespace: "default", name })))?.status ?? {}

describe("a value of a Secret in a message", () => {
  const value = "correct-horse-battery"
  const secret = (data: JsonObject | undefined, metadata: object = {}): ApiObject => ({
    ...{ apiVersion: "v1", kind: "Secret", metadata: { name: "git", ...metadata } },
    ...(data === undefined ? {} : { data }),
  })
  const data = { password: btoa(value) }
  const leak = notifier("leak", {
    headersFrom: [{ header: "authorization", valueFrom: { name: "git", key: "password" } }],
  })
  const carried = (sent: readonly OutgoingMessage[]) =>
    sent.map(({ headers }) => headers.authorization?.reveal())
  const stop = (site: Site) =>
    site.run(site.as(ann).call("POST", "/setpoint/v1/stop", { scope: "all", reason: "a test" }))
  const mine = async () => {
    const told = await openTold()
    const owned = secret(data, { namespace: "default" })
    await told.site.run(told.site.as(ann).create(secrets, owned))
    return told
  }

  it("is none that the source which declares the notifier may not read", async () => {
    const { site, sent } = await mine()
    await site.declare([leak])
    await stop(site)
    await site.clock.advance(10_000)
    expect(carried(sent)).toEqual([])
    const status = await statusOf(site, "leak")
    expect(at(status, "state")).toBe("Failing")
    expect(at(status, "message")).toContain("setpoint-source/default.site may not read it")
    expect(JSON.stringify(status)).not.toContain(value)
  })

  it("(twin) would be any of its namespace", async () => {
    armAgain = disarm("secrets-are-taken-for-their-readers")
    const { site, sent } = await mine()
    await site.declare([leak])
    await stop(site)
    await site.clock.advance(10_000)
    expect(carried(sent)).toEqual([value])
  })

  it("is not the source's own because the source declares a label of the Secret", async () => {
    const { site, sent } = await mine()
    await site.declare([secret(undefined, { labels: { mine: "yes" } }), leak])
    await stop(site)
    await site.clock.advance(10_000)
    expect(carried(sent)).toEqual([])
  })

  it("is one that the source declares, or that a role lets it read", async () => {
    const own = await openTold()
    await own.site.declare([secret(data), leak])
    await stop(own.site)
    await own.site.clock.advance(10_000)
    expect(carried(own.sent)).toEqual([value])

    const { site, sent } = await mine()
    await site.declare([leak])
    await stop(site)
    await letRead(site)
    await site.clock.advance(60_000)
    expect(carried(sent)).toEqual([value])
  })

  it("is one that a person who may read it wrote into the notifier", async () => {
    const { site, sent } = await mine()
    await site.run(site.as(ann).create(notifiers, leak))
    await stop(site)
    await site.clock.advance(10_000)
    expect(carried(sent)).toEqual([value])
  })
})

async function letRead(site: Site): Promise<void> {
  const group = "rbac.authorization.k8s.io"
  const [apiVersion, metadata] = [`${group}/v1`, { name: "reads", namespace: "default" }]
  const rules = [{ apiGroups: [""], resources: ["secrets"], verbs: ["get"] }]
  const roleRef = { apiGroup: group, kind: "Role", name: "reads" }
  const subjects = [{ apiGroup: group, kind: "User", name: "setpoint-source/default.site" }]
  const role: ApiObject = { apiVersion, kind: "Role", metadata, rules }
  const binding: ApiObject = { apiVersion, kind: "RoleBinding", metadata, roleRef, subjects }
  const where = { group, version: "v1" }
  await site.run(site.as(ann).create({ ...where, resource: "roles" }, role))
  await site.run(site.as(ann).create({ ...where, resource: "rolebindings" }, binding))
}
