// An upgrade keeps what was there: this version opens the data directory of every version before
// it, and refuses one that a later version wrote without touching it.

import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { afterEach, describe, expect, it, vi } from "vitest"
import { fixtureVersions, OldDirectory } from "./old-directory.ts"

vi.setConfig({ testTimeout: 180_000 })

let old: OldDirectory
afterEach(() => old.close())

describe.each(fixtureVersions())("a data directory of %s", (version) => {
  it("is opened with every object, plan, token, checkpoint and its stop, and goes on", async () => {
    old = new OldDirectory(version)
    const { held } = old
    await old.serve()
    const kinds = [...new Set(Object.keys(held.objects).map((key) => key.split("/")[0] ?? ""))]
    const found: Record<string, object> = {}
    for (const kind of kinds) {
      for (const item of old.json("get", kind).items) {
        const { uid, generation, name } = item.metadata
        found[`${kind}/${name}`] = { uid, generation, spec: item.spec, data: item.data }
      }
    }
    expect(found).toMatchObject(held.objects)
    for (const { phase, actions: actionCount, ...plan } of held.plans) {
      const now = old.json("plans").plans.find(({ name }: { name: string }) => name === plan.name)
      expect(now).toMatchObject({ ...plan, actionCount })
      // A plan lives for at most a year; this file may be older.
      expect([phase, "Expired"]).toContain(now.phase)
    }
    const status = old.json("status")
    expect(status).toMatchObject({ plane: held.planeId, stops: [{ text: held.stop }] })
    const tokens = old.json("token", "list").tokens
    expect(tokens.map(({ name }: { name: string }) => name)).toEqual(held.tokens)
    const checkpoints = old.tell("checkpoint", "list", "default.site").out
    for (const name of held.checkpoints) expect(checkpoints).toContain(name)
    expect(old.declare("after").error).toBe("")
    expect(await old.end()).toBe(0)
    await old.serve()
    expect(old.json("get", "file", "after").spec.content).toBe("declared later\n")
  })

  it("has journals that verify, to the entry and hash that they had, and grow", async () => {
    old = new OldDirectory(version)
    const { journals } = old.held
    // Without a plane first: nothing has been added yet.
    const before = old.json("audit", "verify").checks
    for (const [loop, { sequence, hash }] of Object.entries(journals)) {
      const check = before.find((one: { loop: string }) => one.loop === loop)
      expect(check).toMatchObject({ from: 1, to: sequence, hash })
    }
    await old.serve()
    expect(old.tell("stop", "default.site", "--reason", "one more").code).toBe(0)
    const after: readonly { from: number; to: number }[] = old.json("audit", "verify").checks
    const entries = (checks: readonly { to: number }[]) =>
      checks.reduce((sum, { to }) => sum + to, 0)
    expect(after.every(({ from }) => from === 1)).toBe(true)
    expect(entries(after)).toBeGreaterThan(entries(before))
    const copy = join(old.base, "copy.db")
    expect(old.tell("backup", copy).code).toBe(0)
    expect(old.tell("backup", "--verify", copy)).toMatchObject({ code: 0, error: "" })
  })
})

describe("a data directory of a later version", () => {
  const newest = fixtureVersions().at(-1) ?? ""

  function refused(): void {
    const before = old.digest()
    for (const args of [["serve"], ["plan", old.base]]) {
      const told = old.tell(...args)
      expect(`${args[0]} ended with ${told.code}`).toBe(`${args[0]} ended with 1`)
      expect(told.error).toMatch(/^error: cannot .*format \d+, and this version knows up to \d+/)
      expect(told.error).toContain("hint:  start the newer version of Setpoint that wrote it")
    }
    expect(old.digest()).toBe(before)
  }

  it("is refused by what its identity says, and nothing in it is touched", () => {
    old = new OldDirectory(newest)
    const path = join(old.data, "identity.json")
    const identity = JSON.parse(readFileSync(path, "utf8"))
    writeFileSync(path, JSON.stringify({ ...identity, format: identity.format + 1 }))
    refused()
  })

  it("is refused by what its store says, and nothing in it is touched", () => {
    old = new OldDirectory(newest)
    const db = new DatabaseSync(join(old.data, "store.db"))
    db.prepare("UPDATE meta SET value = ? WHERE name = 'format'").run(String(old.held.format + 1))
    db.close()
    refused()
  })
})
