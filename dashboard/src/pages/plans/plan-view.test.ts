import { describe, expect, it } from "vitest"
import {
  askedText,
  countText,
  inOrder,
  mayInPart,
  needsText,
  type PlanSummary,
  phaseText,
} from "./plan-view.ts"

const plan = (name: string, phase: string, createdAt: string): PlanSummary => ({
  ...{ name, loop: "default.site", hash: "h", phase, createdAt, summary: "1 delete" },
  ...{ actionCount: 4, done: 3, verbs: { delete: 1 }, revisions: [], authors: [], approvals: [] },
  ...{ approved: 1, required: 2, separateAuthor: false, reasons: [] },
})

describe("plans in words", () => {
  it("puts what waits first, the oldest of it on top, then the youngest of the rest", () => {
    const plans = [
      plan("old-done", "Done", "1"),
      plan("young-done", "Stale", "5"),
      plan("young-wait", "Pending", "4"),
      plan("old-wait", "Approved", "2"),
      plan("going", "Executing", "3"),
    ]
    const names = inOrder(plans).map(({ name }) => name)
    expect(names).toEqual(["old-wait", "young-wait", "going", "young-done", "old-done"])
  })

  it("counts by verb, in the singular and the plural", () => {
    expect(countText({ delete: 40, update: 1 })).toBe("40 deletes and 1 update")
    expect(countText({ create: 1, update: 2, delete: 3 })).toBe("1 create, 2 updates and 3 deletes")
    expect(countText({ delete: 0 })).toBe("nothing")
  })

  it("says how far a plan is, also when a part of it was approved", () => {
    expect(phaseText(plan("a", "Executing", ""))).toBe("Executing, 3 of 4")
    const part = { ...plan("a", "Executing", ""), approvedActions: 3 }
    expect(phaseText(part)).toBe("Executing, 3 of 3")
    expect(phaseText(plan("a", "Approved", ""))).toBe("Approved, 1 of 2")
    expect(phaseText(plan("a", "Done", ""))).toBe("Done")
  })

  it("says whom it needs", () => {
    const one = { approved: 0, required: 1, separateAuthor: false }
    expect(needsText(one)).toBe("1 person")
    const two = { approved: 1, required: 2, separateAuthor: true, approvers: ["ann", "bob"] }
    const text = "2 different people, 1 so far, of ann, bob; not who asked for it"
    expect(needsText(two)).toBe(text)
  })

  it("says who asked, or from which revision", () => {
    const revisions = ["0123456789abcdef", "fedcba"]
    expect(askedText({ authors: ["ann"], revisions })).toBe("ann")
    expect(askedText({ authors: [], revisions })).toBe("source 01234567 and 1 more")
    expect(askedText({ authors: [], revisions: [] })).toBe("the world changed")
  })

  it("lets those who asked for one part approve the other, and nobody without a right", () => {
    expect(mayInPart({ may: false, code: "SPT-PLAN-014" })).toBe(true)
    expect(mayInPart({ may: false, code: "SPT-API-029" })).toBe(false)
  })
})
