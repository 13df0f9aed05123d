import { describe, expect, it } from "vitest"
import { ageText, statusLines } from "./status-lines.ts"

const view = {
  terminal: { paint: (_style: string, text: string) => text },
  command: (words: string) => `setpoint ${words}`,
  now: Date.UTC(2026, 0, 1, 0, 5),
}

const loop = (more: object = {}) => ({
  ...{ id: "default.site", mode: "Enforce", objects: 3, converged: 3, states: {}, doubts: [] },
  ...{ deletes: { used: 0, allowed: 5 }, changes: { used: 1, allowed: 50 } },
  sourceDescription: "directory /site",
  source: { state: "good", revision: "abcdef", objects: 3 },
  ...more,
})

const lines = (more: object, loops: readonly object[]) =>
  statusLines(JSON.parse(JSON.stringify({ plane: "p", revision: 7, loops, ...more })), view)

describe("the status of a plane", () => {
  it("says in few words that all is well", () => {
    expect(lines({}, [loop()])).toEqual([
      "plane p  revision 7",
      "",
      "default.site  Enforce  3 of 3 as declared",
      "  source  directory /site: 3 objects, revision abcdef",
      "  budget  deletes 0 of 5, changes 1 of 50 in this window",
    ])
  })

  it("begins with the stops and how to lift them", () => {
    const [first, second] = lines({ stops: [{ text: "all acting stopped", at: "now" }] }, [loop()])
    expect(first).toBe("STOPPED: all acting stopped  (since now)")
    expect(second).toBe("to go on: setpoint resume")
  })

  it("names the oldest object and why, what is held and how to decide", () => {
    const oldest = { object: "files/default/a", state: "held", reason: "DeleteHeld" }
    const since = "2026-01-01T00:00:00Z"
    const plan = { name: "p-1", actions: 40 }
    const more = { converged: 2, states: { held: 1 }, plan }
    const text = lines({}, [loop({ ...more, oldest: { ...oldest, since, message: "why" } })])
    expect(text.join("\n")).toContain("2 of 3 as declared, 1 held")
    expect(text.join("\n")).toContain("files/default/a (held/DeleteHeld, for 5 min)\n          why")
    expect(text.join("\n")).toContain("setpoint approve p-1  or  setpoint reject p-1")
  })

  it("says why a source is not good and that the last good revision stays", () => {
    const source = { state: "unreadable", issues: ["EACCES"], hint: "chmod it" }
    const text = lines({}, [loop({ source })]).join("\n")
    expect(text).toContain("unreadable; the last good revision stays in force")
    expect(text).toContain("EACCES\n          hint: chmod it")
  })

  it("says what is kept although nothing declares it any more", () => {
    const kept = { objects: 2, why: "it would break invariant two" }
    const source = { state: "good", objects: 3, revision: "abcdef", kept }
    const text = lines({}, [loop({ source })]).join("\n")
    expect(text).toContain("2 more that it no longer declares: their delete is denied\n")
    expect(text).toContain("it would break invariant two")
  })

  it("is short about default loops that are empty", () => {
    const empty = loop({ id: "default.default", objects: 0, converged: 0 })
    expect(lines({}, [empty]).at(-1)).toBe("1 default loop empty")
  })

  it("tells ages in words that fit", () => {
    expect([5_000, 600_000, 36_000_000, 864_000_000].map(ageText)).toEqual([
      ...["5 s", "10 min", "10 h", "10 d"],
    ])
  })
})
