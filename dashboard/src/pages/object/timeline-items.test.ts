import { describe, expect, it } from "vitest"
import type { Action } from "../../../../src/contract/action.ts"
import type { JournalEntry, JournalEvent } from "../../../../src/contract/journal.ts"
import { timelineItems } from "./timeline-items.ts"

const key = "files.host/default/motd"
const action = (verb: Action["verb"], kind: Action["cause"]["kind"], object = key): Action => ({
  ...{ verb, uid: "u", object, kind: "File", loop: "default.site", generation: 1, incarnation: 1 },
  target: "file /etc/motd",
  changes: [{ path: "content", before: "a", after: "b", why: "drift" }],
  cause: { kind, text: `because of ${kind}`, sourceRevision: "abc" },
  digest: "d",
})
const entry = (sequence: number, event: JournalEvent, principal = "setpoint:engine") =>
  ({
    ...{ format: 1, loop: "default.site", sequence, time: `t${sequence}`, principal },
    ...{ event, previous: "", hash: "" },
  }) satisfies JournalEntry

describe("the timeline of an object", () => {
  it("tells an act once, with its cause, who let it happen, and its fields", () => {
    const intent = { type: "intent", intent: "i", actions: [action("update", "drift")] } as const
    const act = action("update", "drift")
    const done = { type: "receipt", intent: "i", result: "done", durationMs: 3 } as const
    const receipt = { ...done, action: act }
    const items = timelineItems([entry(2, receipt), entry(1, intent, "ann")], key)
    expect(items).toEqual([
      expect.objectContaining({
        ...{ title: "Updated", cause: "drift", by: "ann", revision: "abc", took: 3, tone: "warn" },
        fields: [expect.objectContaining({ path: "content" })],
      }),
    ])
    expect(timelineItems([entry(1, intent, "ann")], key)[0]?.title).toBe("Is about to update")
  })

  it("says what failed and what nobody knows", () => {
    const of = (result: "failed" | "unknown") => {
      const event = { type: "receipt", intent: "i", result, durationMs: 1, error: "no" } as const
      return timelineItems([entry(1, { ...event, action: action("create", "edit") })], key)[0]
    }
    expect(of("failed")).toMatchObject({ title: "Failed to create", tone: "bad", notes: ["no"] })
    expect(of("unknown")).toMatchObject({ title: "Can't say whether it could create" })
  })

  it("shows of a would-have record only this object", () => {
    const other = action("delete", "prune", "files.host/default/other")
    const event = { type: "would", actions: [other, action("update", "drift")] } as const
    expect(timelineItems([entry(1, event)], key).map(({ title }) => title)).toEqual([
      "Would update",
    ])
  })

  it("tells how it left the declared state and came back", () => {
    const out = [{ object: key, state: "working", reason: "Drift" }]
    const states = { type: "states", out, in: [key] } as const
    expect(timelineItems([entry(1, states)], key).map(({ title, why }) => [title, why])).toEqual([
      ["As declared again", undefined],
      ["Left the declared state", "Drift (working)"],
    ])
  })
})
