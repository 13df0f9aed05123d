// Gate: whatever happens to a managed file is put right by the edge trigger, and history says which
// field, what it was, what it is, and why. The interval of the loop is five minutes, so that
// nothing here can be the timer's work.

import { chmodSync, lstatSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { Action } from "../../src/contract/action.ts"
import { PlaneRig } from "./plane/plane-rig.ts"
import { type Reached, waitFor } from "./plane/wait-for.ts"

const declared = "declared once\n"

const isHealed = (path: string): Reached => {
  const stat = lstatSync(path, { throwIfNoEntry: false })
  if (stat === undefined) return "absent"
  if (!stat.isFile()) return "no regular file"
  const mode = (stat.mode & 0o7777).toString(8)
  if (mode !== "640") return `mode ${mode}`
  const content = readFileSync(path, "utf8")
  return content === declared || JSON.stringify(content.slice(0, 40))
}

describe("a running plane and one drifting file", () => {
  const rig = new PlaneRig()
  const path = rig.target("motd")

  beforeAll(async () => {
    rig.declare("motd", declared, { mode: "0640" })
    await rig.start()
    await rig.converged(1)
  })
  afterAll(() => rig.close())

  async function done(): Promise<Action[]> {
    return (await rig.history("motd")).flatMap(({ event }) =>
      event.type === "receipt" && event.result === "done" ? [event.action] : [],
    )
  }

  async function heals(what: string, drift: () => void): Promise<Action> {
    const before = (await done()).length
    drift()
    const ms = await waitFor(`healed after ${what}`, () => isHealed(path), { everyMs: 2 })
    console.log(`${what}: healed in ${Math.round(ms)} ms`)
    let last: Action | undefined
    await waitFor("its receipt", async () => {
      const acts = await done()
      last = acts.at(-1)
      return acts.length > before
    })
    await rig.converged(1)
    if (last === undefined) throw new Error("no act in history")
    return last
  }

  it("makes a deleted file again and calls it missing", async () => {
    const action = await heals("delete", () => rmSync(path))
    expect(action).toMatchObject({ verb: "create", cause: { kind: "missing" } })
    expect(action.incarnation).toBe(2)
    expect(action.changes.map((change) => change.path)).toContain("content")
  })

  it("puts an edited file right and names the field with before and after", async () => {
    const action = await heals("edit", () => writeFileSync(path, "someone else\n"))
    expect(action).toMatchObject({ verb: "update", cause: { kind: "drift" } })
    const [change, ...others] = action.changes
    expect(others).toEqual([])
    expect(change).toMatchObject({ path: "content", why: "drift", after: declared })
    expect(change?.before).toBe("someone else\n")
  })

  it("puts the mode right without replacing the file", async () => {
    const inode = lstatSync(path).ino
    const action = await heals("chmod", () => chmodSync(path, 0o666))
    expect(action.changes).toEqual([{ path: "mode", before: "0666", after: "0640", why: "drift" }])
    expect(lstatSync(path).ino).toBe(inode)
  })

  it("puts a file right that was replaced by rename", async () => {
    const action = await heals("rename over it", () => {
      writeFileSync(rig.target("other"), "from elsewhere\n", { mode: 0o640 })
      renameSync(rig.target("other"), path)
    })
    expect(action.changes).toMatchObject([{ path: "content", before: "from elsewhere\n" }])
  })
})
