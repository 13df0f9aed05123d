import { describe, expect, it } from "vitest"
import type { Action } from "../../contract/action.ts"
import type { JournalEntry, JournalEvent } from "../../contract/journal.ts"
import { journalLines } from "./journal-lines.ts"

let sequence = 0
const entry = (event: JournalEvent): JournalEntry => ({
  ...{ format: 1, loop: "default.site", principal: "ann", event, previous: "", hash: "" },
  sequence: ++sequence,
  time: "2026-01-02T03:04:05Z",
})

const action = (name: string, more: Partial<Action> = {}): Action => ({
  ...{ verb: "update", uid: name, kind: "File", loop: "default.site", generation: 1 },
  ...{ incarnation: 1, target: `file:/${name}`, digest: name },
  object: `files.host.setpoint.dev/default/${name}`,
  changes: [{ path: "content", why: "drift" }],
  cause: { kind: "drift", text: "someone changed content" },
  ...more,
})

const receipt = (name: string, more: Partial<Action> = {}): JournalEntry =>
  entry({
    ...{ type: "receipt", intent: "i", result: "done", durationMs: 1 },
    action: action(name, more),
  })

describe("the lines of a running plane", () => {
  it("tell a few acts one by one, with the field and the cause", () => {
    expect(journalLines([receipt("a"), receipt("b")])).toEqual([
      "03:04:05  default.site  updated File a (content): someone changed content",
      "03:04:05  default.site  updated File b (content): someone changed content",
    ])
  })

  it("tell many acts of one kind in one line", () => {
    const many = Array.from({ length: 100 }, (_, at) => receipt(`f${at}`, { verb: "create" }))
    const lines = journalLines(many)
    expect(lines).toEqual(["03:04:05  default.site  created 100 objects: someone changed them"])
  })

  it("tell what was held and why, and what failed", () => {
    const reasons = [{ guard: "deletes", code: "DeleteLimit", message: "too many" }]
    const held = entry({ type: "held", plan: "p-1", hash: "h", digests: ["a", "b"], reasons })
    expect(journalLines([held])[0]).toContain("held 2 actions in plan p-1: too many")
    const failed = entry({
      ...{ type: "receipt", intent: "i", result: "failed", durationMs: 1, error: "EROFS" },
      action: action("a"),
    })
    expect(journalLines([failed])[0]).toContain("tried to update File a (content), failed: EROFS")
  })

  it("never let outside text steer the terminal", () => {
    const stop = entry({ type: "stop", scope: "all in *", reason: "\u001b[2Jgone\nfaked line" })
    const [line = "", ...more] = journalLines([stop])
    expect(more).toEqual([])
    expect(line).toContain("stop all everywhere by ann: ")
    expect([...line].every((character) => character >= " ")).toBe(true)
  })
})
