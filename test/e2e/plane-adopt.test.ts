// Gate: what exists already is not ours. Equal: matched and left alone, also when the object goes;
// different: held as Adopt with the difference; taken only on a person's word, with a backup.

import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { fileKey, PlaneRig } from "./plane/plane-rig.ts"
import { waitFor } from "./plane/wait-for.ts"

let rig: PlaneRig
beforeEach(() => {
  rig = new PlaneRig()
  rig.declare("other", "other\n")
})
afterEach(() => rig.close())

const read = (name: string) => readFileSync(rig.target(name), "utf8")
const backups = () => {
  const folder = join(rig.data, "backups")
  return readdirSync(folder).map((name) => readFileSync(join(folder, name), "utf8"))
}

async function owned(name: string, expected: boolean): Promise<void> {
  await waitFor(`${name} owned: ${expected}`, async () => {
    const { status } = (await rig.file(name)) ?? {}
    return status?.owned === expected || JSON.stringify(status)
  })
}

async function heldAsAdopt(): Promise<void> {
  await waitFor("it is held as Adopt", async () => {
    const plan = await rig.pendingPlan()
    const codes = plan?.reasons.map((reason) => reason.code) ?? []
    return (plan?.summary === "1 adopt" && codes.includes("Adopt")) || (plan?.summary ?? "no plan")
  })
}

describe("a file that exists already", () => {
  it("is matched when equal, not owned, and left when the object goes", async () => {
    writeFileSync(rig.target("motd"), "same\n", { mode: 0o644 })
    rig.declare("motd", "same\n")
    await rig.start()
    await rig.converged(2)
    await owned("motd", false)
    await owned("other", true)
    rmSync(rig.manifest("motd"))
    await waitFor("the object is gone", async () => (await rig.file("motd")) === undefined)
    expect(read("motd")).toBe("same\n")
    expect(await rig.pendingPlan()).toBeUndefined()
  })

  it("is held with the difference, and adopted by the API with a backup", async () => {
    writeFileSync(rig.target("motd"), "theirs\n", { mode: 0o600 })
    rig.declare("motd", "ours\n")
    await rig.start()
    await heldAsAdopt()
    expect(read("motd")).toBe("theirs\n")
    const plan = await rig.pendingPlan()
    const whole = await rig.call("GET", `plans/${plan?.name}`)
    expect(whole).toMatchObject({
      actions: [
        {
          verb: "adopt",
          changes: expect.arrayContaining([
            { path: "content", before: "theirs\n", after: "ours\n", why: "adopt" },
            { path: "mode", before: "0600", after: "0644", why: "adopt" },
          ]),
        },
      ],
    })
    await rig.call("POST", "adopt", { object: fileKey("motd") })
    await rig.converged(2)
    expect(read("motd")).toBe("ours\n")
    expect(backups()).toEqual(["theirs\n"])
    await owned("motd", true)
    rmSync(rig.manifest("motd"))
    await waitFor("it is deleted as ours", () => !existsSync(rig.target("motd")))
  })

  it("is adopted by spec.adopt with a backup, without asking", async () => {
    writeFileSync(rig.target("motd"), "theirs\n")
    rig.declare("motd", "ours\n", { adopt: true })
    await rig.start()
    await rig.converged(2)
    expect(read("motd")).toBe("ours\n")
    expect(backups()).toEqual(["theirs\n"])
  })

  it("is left alone when the adoption is rejected, and heals nothing of it", async () => {
    writeFileSync(rig.target("motd"), "theirs\n")
    rig.declare("motd", "ours\n")
    await rig.start()
    await heldAsAdopt()
    const plan = await rig.pendingPlan()
    if (plan === undefined) throw new Error("no plan")
    await rig.decide(plan, "reject")
    await rig.call("POST", "look")
    await waitFor("it says rejected", async () => {
      const text = JSON.stringify((await rig.file("motd"))?.status)
      return text.includes("rejected by") || text
    })
    expect(read("motd")).toBe("theirs\n")
    expect(await rig.pendingPlan()).toBeUndefined()
  })
})
