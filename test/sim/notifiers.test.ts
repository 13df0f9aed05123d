// Notifiers in virtual time: whose Secrets a message may carry, and what is told over a restart.

import { afterEach, describe, expect, it } from "vitest"
import { at, type JsonObject } from "../../src/base/json.ts"
import { disarm } from "../../src/base/protections.ts"
import type { OutgoingMessage } from "../../src/contract/notification.ts"
import type { ApiObject } from "../../src/object/object.ts"
import { calm, keep } from "./invariant-site.ts"
import { ann, names, Site, type SiteOptions, widget } from "./site.ts"

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

describe("what was told before a restart", () => {
  const all = ["Stalled", "SourceFailing", "InvariantBroken"]
  const told = (sent: readonly OutgoingMessage[]) =>
    sent.map(({ body }) => {
      const { state, type } = JSON.parse(body) as Record<"state" | "type", string>
      return `${state} ${type}`
    })
  const watched = async (loop: JsonObject = {}) => {
    const { site, sent } = await openTold({ loop: { ...calm, interval: "1m", ...loop } })
    await site.run(site.as(ann).create(notifiers, notifier("team", {}, { on: all })))
    return { site, sent }
  }
  const slowly = (site: Site) =>
    site.world.faults.add({ on: ["observe", "list"], how: "slow", ms: 5000 })

  it("is not over because nobody has looked yet: objects that need someone", async () => {
    const { site, sent } = await watched()
    const twins = [widget("a"), { ...widget("b"), spec: widget("a").spec ?? {} }]
    await site.declare([...twins, ...names(20).map((name) => widget(name))], 10_000)
    expect(told(sent)).toEqual(["firing Stalled"])
    slowly(site)
    await site.restart()
    await site.clock.advance(300_000)
    expect(told(sent)).toEqual(["firing Stalled"])
    await site.declare([widget("a")], 300_000)
    expect(told(sent)).toEqual(["firing Stalled", "resolved Stalled"])
  })

  it("is not over because nobody has looked yet: a source that can't be used", async () => {
    const git = { url: "https://git.example/site.git", ref: { branch: "main" } }
    const { site, sent } = await watched({ source: { git } })
    await site.declare([widget("a")])
    site.sim.source.fail("the disk is gone")
    await site.clock.advance(10_000)
    expect(told(sent)).toEqual(["firing SourceFailing"])
    const { read } = site.sim.source
    site.sim.source.read = async () => {
      await new Promise<void>((resolve) => void site.clock.after(20_000, resolve))
      return read.call(site.sim.source)
    }
    await site.restart()
    await site.clock.advance(60_000)
    expect(told(sent)).toEqual(["firing SourceFailing"])
    await site.declare([widget("a")], 60_000)
    expect(told(sent)).toEqual(["firing SourceFailing", "resolved SourceFailing"])
  })

  it("is not over because nobody can say: an invariant that is broken", async () => {
    const { site, sent } = await watched()
    await site.declare(names(3).map((name) => widget(name)))
    await keep(site, "many", { expression: "size(objects) > 5", for: "0s" }, 10_000)
    expect(told(sent)).toEqual(["firing InvariantBroken"])
    slowly(site)
    await site.restart()
    await site.clock.advance(300_000)
    expect(told(sent)).toEqual(["firing InvariantBroken"])
    await site.declare(
      names(8).map((name) => widget(name)),
      60_000,
    )
    expect(told(sent)).toEqual(["firing InvariantBroken", "resolved InvariantBroken"])
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
