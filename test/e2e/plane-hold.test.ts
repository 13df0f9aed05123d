// Gate: removing 40 of 100 manifests deletes none and marks nothing; a person decides. Meanwhile
// the rest of the loop goes on.

import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { itInFull } from "../full.ts"
import { PlaneRig } from "./plane/plane-rig.ts"
import type { PlanView } from "./plane/views.ts"
import { pause, waitFor } from "./plane/wait-for.ts"

describe("40 of 100 manifests removed", () => {
  let rig: PlaneRig
  let names: string[] = []
  let removed: string[] = []
  let plan: PlanView

  beforeEach(async () => {
    rig = new PlaneRig()
    names = rig.declareMany(100)
    removed = names.slice(0, 40)
    await rig.start()
    await rig.converged(100)
    for (const name of removed) rmSync(rig.manifest(name))
    plan = await held(40)
  })
  afterEach(() => rig.close())

  async function held(actions: number): Promise<PlanView> {
    let found: PlanView | undefined
    await waitFor(`a plan of ${actions} actions`, async () => {
      found = await rig.pendingPlan()
      return found?.actionCount === actions || (found?.summary ?? "no plan")
    })
    if (found === undefined) throw new Error("no plan")
    return found
  }

  const present = () => names.filter((name) => existsSync(rig.target(name)))
  const marked = async () =>
    (await rig.files()).filter((file) => file.metadata.deletionTimestamp !== undefined)

  it("deletes none, marks none, shows the plan and heals unrelated drift meanwhile", async () => {
    expect(plan.summary).toBe("40 deletes")
    expect(plan.reasons.map((reason) => reason.code)).toContain("DeleteLimit")
    const other = names.at(-1) ?? ""
    rmSync(rig.target(other))
    await waitFor("unrelated drift is healed", () => existsSync(rig.target(other)))
    await pause(300)
    expect(present()).toHaveLength(100)
    expect(await marked()).toEqual([])
    expect((await rig.pendingPlan())?.hash).toBe(plan.hash)
    expect(await rig.files()).toHaveLength(100)
  })

  it("corrects nothing that waits for its delete, and refuses its old plan by name", async () => {
    const [first = ""] = removed
    writeFileSync(rig.target(first), "changed while it waited\n")
    await expect(rig.decide(plan, "approve")).rejects.toThrow(rig.target(first))
    expect(present()).toHaveLength(100)
    const next = await held(40)
    expect(next.hash).not.toBe(plan.hash)
    expect(readFileSync(rig.target(first), "utf8")).toBe("changed while it waited\n")
    await rig.decide(next, "approve")
    await waitFor("40 are deleted", () => present().length === 60 || present().length)
  })

  it("performs exactly the approved 40", async () => {
    await rig.decide(plan, "approve")
    await waitFor("40 are deleted", () => present().length === 60 || present().length)
    await waitFor("their objects are gone", async () => {
      const left = await rig.files()
      return left.length === 60 || left.length
    })
    await waitFor("the plan is done", async () => {
      const now = (await rig.plans()).find((one) => one.name === plan.name)
      return now?.phase === "Done" || `${now?.phase} ${now?.done}`
    })
    await pause(200)
    expect(readdirSync(rig.targets).sort()).toEqual(names.slice(40))
  })

  itInFull("leaves all 100 as they were when it is rejected, also after another look", async () => {
    await rig.decide(plan, "reject")
    await rig.call("POST", "look")
    await pause(300)
    expect(present()).toHaveLength(100)
    expect(await marked()).toEqual([])
    expect(await rig.pendingPlan()).toBeUndefined()
    await rig.end("SIGTERM")
    await rig.start()
    await rig.converged(100)
    await rig.call("POST", "look")
    expect(present()).toHaveLength(100)
    expect(await rig.pendingPlan()).toBeUndefined()
  })

  it("clears the hold when the manifests come back", async () => {
    rig.declareMany(100)
    await waitFor("no plan waits", async () => {
      const now = await rig.pendingPlan()
      return now === undefined || now.summary
    })
    await rig.converged(100)
    rmSync(rig.target(removed[0] ?? ""))
    await waitFor("it is corrected again", () => existsSync(rig.target(removed[0] ?? "")))
  })

  itInFull("stands over kill -9", async () => {
    await rig.end("SIGKILL")
    await rig.start()
    const again = await held(40)
    expect(again.hash).toBe(plan.hash)
    expect(present()).toHaveLength(100)
    await rig.decide(again, "approve")
    await waitFor("40 are deleted", () => present().length === 60 || present().length)
  })
})

describe("a small loop", () => {
  it("deletes one of three without asking", async () => {
    const rig = new PlaneRig()
    try {
      const [first = ""] = rig.declareMany(3)
      await rig.start()
      await rig.converged(3)
      rmSync(rig.manifest(first))
      const ms = await waitFor("it is deleted", () => !existsSync(rig.target(first)))
      console.log(`1 of 3 deleted in ${Math.round(ms)} ms`)
      await rig.converged(2)
      expect(await rig.pendingPlan()).toBeUndefined()
      expect(readdirSync(rig.targets)).toHaveLength(2)
    } finally {
      await rig.close()
    }
  })
})
