// Gate: GitOps with a real git server: push, converge, revert; a server that is down, refuses or
// lost the branch leaves the last good revision in force; an emptied repository is held.

import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { requireTool } from "../../tools.ts"
import { waitFor } from "../plane/wait-for.ts"
import { GitRig, password, username } from "./git-rig.ts"

const git = requireTool("git")
let rig: GitRig

beforeEach(() => {
  rig = new GitRig()
})
afterEach(() => rig.close())

const three = { a: "one\n", b: "two\n", c: "three\n" }
const many = Object.fromEntries(
  Array.from({ length: 12 }, (_, at) => [`f${at}`, `content ${at}\n`]),
)
const read = (name: string) => readFileSync(rig.plane.target(name), "utf8")

/** All targets are there, and drift is healed by what was good last. */
async function lastGoodStands(files: Readonly<Record<string, string>>): Promise<void> {
  const [first = ""] = Object.keys(files)
  rmSync(rig.plane.target(first))
  await rig.plane.call("POST", "look")
  await waitFor("drift is healed", () => existsSync(rig.plane.target(first)))
  expect(readdirSync(rig.plane.targets).sort()).toEqual(Object.keys(files).sort())
  const marked = (await rig.plane.files()).filter((file) => file.metadata.deletionTimestamp)
  expect(marked).toEqual([])
}

describe.skipIf(git.missing)("a loop that follows a repository", () => {
  it("converges to what is pushed and to its revert, and says which commit that is", async () => {
    const first = rig.push(three, { message: "Begin with three" })
    await rig.start()
    await rig.plane.converged(3)
    expect(read("b")).toBe("two\n")
    const { source } = await rig.plane.loopStatus()
    expect(source).toMatchObject({
      ...{ state: "good", revision: first },
      commit: { ref: "branch main", subject: "Begin with three", author: "Ann" },
    })
    rig.push({ ...three, b: "changed\n" })
    await rig.fetch()
    await waitFor("the change is there", () => read("b") === "changed\n")
    rig.push(three, { message: "Revert" })
    await rig.fetch()
    await waitFor("the revert is there", () => read("b") === "two\n")
    const told = (await rig.plane.history()).map((entry) => JSON.stringify(entry))
    expect(told.some((text) => text.includes("Begin with three"))).toBe(true)
    expect(told.some((text) => text.includes(first))).toBe(true)
  })

  it("names its commit on every object, plan, event and record", async () => {
    const first = rig.push(many)
    await rig.start()
    await rig.plane.converged(12)
    const revisionOf = (object: { metadata: { annotations?: Readonly<Record<string, string>> } }) =>
      object.metadata.annotations?.["setpoint.dev/source-revision"]
    expect(new Set((await rig.plane.files()).map(revisionOf))).toEqual(new Set([first]))
    const second = rig.push(three)
    await rig.fetch()
    await waitFor("a plan holds", async () => (await rig.plane.pendingPlan()) !== undefined)
    const plans = { group: "setpoint.dev", version: "v1alpha1", resource: "plans" }
    const [plan] = (await rig.plane.client.list(plans, { namespace: "default" })).items
    expect(plan?.spec?.sourceRevision).toBe(second)
    const events = { group: "", version: "v1", resource: "events" }
    await waitFor("there is an event of the plan", async () => {
      const { items } = await rig.plane.client.list(events, { namespace: "default" })
      const told = items.map((event) => `${event.reason} ${revisionOf(event)}`)
      return told.includes(`PlanHeld ${second}`) || told.join("; ")
    })
    type Brief = { readonly type: string; readonly title: string; readonly revision?: string }
    const page = "journal?loop=default.site&limit=500"
    const { entries } = (await rig.plane.call("GET", page)) as object as { entries: Brief[] }
    const good = entries.findLastIndex(({ type }) => type === "intent") + 1
    const shown = entries.slice(0, good)
    expect(shown.length).toBeGreaterThan(12)
    expect(shown.filter(({ revision }) => revision !== first && revision !== second)).toEqual([])
    const found = (await rig.plane.call("GET", `${page}&revision=${second.slice(0, 9)}`)) as object
    const held = (found as { entries: Brief[] }).entries.map(({ type }) => type)
    expect(held).toEqual(expect.arrayContaining(["round", "held", "source"]))
  })

  it("polls by itself", async () => {
    rig.push(three)
    await rig.start({ interval: "1s" })
    await rig.plane.converged(3)
    rig.push({ ...three, d: "four\n" })
    await rig.plane.converged(4)
  })

  it("keeps what was good last while the server is down, refuses, or lost the branch", async () => {
    rig.push(three)
    await rig.start()
    await rig.plane.converged(3)
    rig.server.down = true
    await rig.fetch()
    await rig.sourceSays("unreadable", /cannot reach .*503/)
    await lastGoodStands(three)
    rig.server.down = false
    await rig.secret("site-git", { username, password: "wrong-password-here" })
    await rig.fetch()
    await rig.sourceSays("unreadable", /refuses the credentials/)
    await rig.secret("site-git", { username, password })
    const head = rig.repository.head() ?? ""
    rig.repository.git(["update-ref", "-d", "refs/heads/main"])
    await rig.fetch()
    await rig.sourceSays("unreadable", /branch main .* none of that name/)
    await lastGoodStands(three)
    rig.repository.git(["update-ref", "refs/heads/main", head])
    await rig.fetch()
    await rig.sourceSays("good", /./)
  })

  it("keeps everything over a restart while the server is down", async () => {
    rig.push(three)
    await rig.start()
    await rig.plane.converged(3)
    await rig.plane.end("SIGKILL")
    rig.server.down = true
    await rig.plane.start()
    await rig.sourceSays("unreadable", /cannot reach/)
    await lastGoodStands(three)
    rig.server.down = false
    await rig.fetch()
    await rig.plane.converged(3)
  })

  it("holds an emptied repository and a mass removal in a plan", async () => {
    rig.push(many)
    await rig.start()
    await rig.plane.converged(12)
    rig.repository.commit({ "README.md": "all gone" })
    await rig.fetch()
    await waitFor("a plan holds the deletes", async () => {
      const plan = await rig.plane.pendingPlan()
      return plan?.summary === "12 deletes" || (plan?.summary ?? "no plan")
    })
    expect((await rig.plane.pendingPlan())?.reasons.map(({ code }) => code)).toContain("EmptySet")
    expect(readdirSync(rig.plane.targets)).toHaveLength(12)
    const { f0, f1 } = many
    rig.push({ f0: f0 ?? "", f1: f1 ?? "" })
    await rig.fetch()
    await waitFor("ten deletes are held", async () => {
      const plan = await rig.plane.pendingPlan()
      return plan?.summary === "10 deletes" || (plan?.summary ?? "no plan")
    })
    expect(readdirSync(rig.plane.targets)).toHaveLength(12)
  })
})
