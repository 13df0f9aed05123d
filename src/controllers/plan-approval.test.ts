import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { type Action, finishAction } from "../contract/action.ts"
import type { ApprovalRules } from "../contract/loop.ts"
import type { HeldAction, PlanApproval, PlanDocument } from "../ledger/plan-ledger.ts"
import {
  approversOf,
  carriedApprovals,
  checkApprover,
  chooseActions,
  joinRules,
  requiredBy,
} from "./plan-approval.ts"

const action = (uid: string, principal?: string): Action =>
  finishAction({
    ...{ verb: "update", uid, object: `things/default/${uid}`, kind: "Thing", loop: "default.l" },
    ...{ generation: 1, incarnation: 1, target: `sim:${uid}`, changes: [] },
    cause: { kind: "edit", text: "asked", ...(principal === undefined ? {} : { principal }) },
  })

const held = (one: Action): HeldAction => ({
  ...{ action: one, origin: "round", reasons: [], desiredHash: "" },
})

const rules = (given: Partial<ApprovalRules> = {}): ApprovalRules => ({
  ...{ required: 1, separateAuthor: false, approvers: [], expiresAfterMs: 1000 },
  ...given,
})

const plan = (actions: readonly Action[], approvals: readonly PlanApproval[]): PlanDocument => ({
  ...{ format: 1, name: "p", loop: "default.l", hash: "h", phase: "Pending", createdAt: "" },
  held: actions.map(held),
  approvals,
  done: [],
})

const people = ["ann", "bob", "cid", "dee"]
const actions = ["a", "b", "c"].map((uid, index) => action(uid, people[index]))
const digests = actions.map((one) => one.digest)

const anyRules = fc.record({
  required: fc.integer({ min: 1, max: 4 }),
  separateAuthor: fc.boolean(),
  approvers: fc.subarray(people),
  expiresAfterMs: fc.constant(1000),
})
const anyApproval = fc.record({
  principal: fc.constantFrom(...people),
  at: fc.constant(""),
  digests: fc.subarray(digests),
  expiresAt: fc.integer({ min: 0, max: 20 }),
})

describe("who approved an action", () => {
  it("are different people who may, of exactly this action, in time, and never its author", () => {
    fc.assert(
      fc.property(
        fc.array(anyApproval, { maxLength: 12 }),
        fc.array(anyRules, { minLength: 1, maxLength: 3 }),
        fc.integer({ min: 0, max: 20 }),
        (approvals, sets, now) => {
          for (const [index, one] of actions.entries()) {
            const names = approversOf(one, approvals, sets, now)
            expect(new Set(names).size).toBe(names.length)
            for (const name of names) {
              const given = approvals.filter((approval) => approval.principal === name)
              const valid = (each: (typeof given)[number]) =>
                each.digests.includes(one.digest) && now < each.expiresAt
              expect(given.some(valid)).toBe(true)
              for (const { approvers, separateAuthor } of sets) {
                expect(approvers.length === 0 || approvers.includes(name)).toBe(true)
                expect(separateAuthor && people[index] === name).toBe(false)
              }
            }
          }
        },
      ),
      { numRuns: 500 },
    )
  })

  it("are never more, and never fewer are needed, when rules are added", () => {
    fc.assert(
      fc.property(
        fc.array(anyApproval, { maxLength: 12 }),
        fc.array(anyRules, { minLength: 1, maxLength: 2 }),
        anyRules,
        (approvals, before, added) => {
          const after = joinRules(before, [added])
          expect(requiredBy(after)).toBeGreaterThanOrEqual(requiredBy(before))
          for (const one of actions) {
            const names = approversOf(one, approvals, before, 0)
            expect(names).toEqual(
              expect.arrayContaining([...approversOf(one, approvals, after, 0)]),
            )
          }
        },
      ),
      { numRuns: 500 },
    )
  })

  it("carry over to a new plan only for what is still held unchanged", () => {
    fc.assert(
      fc.property(
        fc.array(anyApproval, { maxLength: 6 }),
        fc.subarray(actions),
        fc.integer({ min: 0, max: 20 }),
        (approvals, still, now) => {
          const carried = carriedApprovals(plan(actions, approvals), still.map(held), now)
          const kept = new Set(still.map((one) => one.digest))
          for (const approval of carried) {
            expect(approval.digests?.every((digest) => kept.has(digest))).toBe(true)
            expect(approval.expiresAt).toBeGreaterThan(now)
          }
        },
      ),
      { numRuns: 300 },
    )
  })
})

describe("choosing and approving", () => {
  const whole = plan(actions, [])
  const ask = (name: string, sets: readonly ApprovalRules[]) =>
    checkApprover(whole, whole.held, whole.approvals, sets, { name, kind: "human" }, 0)

  it("refuses nothing, unknown starts, and starts that fit several", () => {
    for (const bad of [[], [""], ["zz"]])
      expect(() => chooseActions(whole, bad)).toThrow("no action")
    expect(chooseActions(whole, [digests[1] ?? "", digests[1] ?? ""])).toHaveLength(1)
    expect(chooseActions(whole)).toHaveLength(3)
  })

  it("says that nobody may approve when two lists have no common name", () => {
    const sets = [rules({ approvers: ["ann"] }), rules({ approvers: ["bob"] })]
    for (const name of ["ann", "bob", "cid"]) expect(() => ask(name, sets)).toThrow("not among")
  })

  it("names the actions that the approver asked for", () => {
    expect(() => ask("bob", [rules({ separateAuthor: true })])).toThrow("update of sim:b")
    expect(ask("dee", [rules({ separateAuthor: true })])).toHaveLength(3)
  })
})
