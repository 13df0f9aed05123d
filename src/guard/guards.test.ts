import { describe, expect, it } from "vitest"
import type { Action, FieldChange, Verb } from "../contract/action.ts"
import type { LoopSpec } from "../contract/loop.ts"
import { strictest, type VerdictKind } from "../contract/verdict.ts"
import { loopSpecOf } from "../controllers/loop-spec.ts"
import { effectsOf } from "./effects.ts"
import {
  type Guard,
  type JudgedAction,
  judgeAction,
  type LimitFacts,
  type RoundFacts,
} from "./guard.ts"
import { roundGuards } from "./guards.ts"

const spec: LoopSpec = loopSpecOf({
  apiVersion: "setpoint.dev/v1alpha1",
  kind: "Loop",
  metadata: { name: "site" },
  spec: { mode: "Enforce", limits: { changes: 3 } },
})

function action(verb: Verb, uid = "u1", why: FieldChange["why"] = "requested"): Action {
  return {
    ...{ verb, uid, object: `widgets/default/${uid}`, kind: "Widget", loop: "default.site" },
    ...{ generation: 1, incarnation: 1, target: `sim:${uid}`, digest: `${verb} ${uid}` },
    changes: [{ path: "color", before: "blue", after: "red", why }],
    cause: { kind: "edit", text: "declared" },
  }
}

function item(changes: Partial<JudgedAction> & { readonly action: Action }): JudgedAction {
  const { verb } = changes.action
  return {
    fresh: true,
    adoptDeclared: false,
    limitedChange: verb === "update" || verb === "replace",
    approved: false,
    granted: verb === "delete" ? "yes" : "no",
    flapping: [],
    effects: effectsOf(changes.action, {
      ...{ scale: new Set(["size"]), expiry: new Set(), payload: new Set() },
    }),
    ...changes,
  }
}

function facts(actions: readonly JudgedAction[], rest: Partial<RoundFacts> = {}): RoundFacts {
  return {
    ...{ loop: "default.site", spec, actions, inventory: 100, baseline: 100 },
    ...{ deletesUsed: 0, changesUsed: 0, restored: false, coldStart: false, floors: [] },
    ...{ window: { open: true, reason: "" }, vanished: new Map() },
    ...rest,
  }
}

interface Case {
  readonly name: string
  readonly guard: string
  readonly item: JudgedAction
  readonly rest?: Partial<RoundFacts>
  readonly verdict: VerdictKind
  readonly code: string
}

const update = item({ action: action("update") })
const drifted = item({ action: action("update", "u1", "drift") })
const conflict = item({ action: action("update", "u1", "conflict") })
const adopt = item({ action: action("adopt", "u1", "adopt"), limitedChange: true })
const removal = item({ action: action("delete") })
const replace = item({ action: action("replace") })
const emptied: Action = {
  ...action("update"),
  changes: [{ path: "size", before: 6, after: 0, why: "requested" }],
}
const emptying = item({ action: emptied })
const lost: Action = { ...action("create"), cause: { kind: "missing", text: "it is gone" } }
const missing = item({ action: lost, limitedChange: true })
const gone = (count: number, of: number, settling: boolean) =>
  new Map([["Widget", { gone: count, of, settling }]])
const floor = (rest: Partial<LimitFacts>): LimitFacts => ({
  ...{ by: "policy strict", windowMs: 600_000, allowed: 5, deletesUsed: 0 },
  ...{ changes: 9, changesUsed: 0 },
  ...rest,
})
const mode = (value: LoopSpec["mode"]) => ({ spec: { ...spec, mode: value } })

/** Each is stopped by exactly one guard: without that one it would simply run. */
const cases: readonly Case[] = [
  {
    name: "Observe",
    guard: "mode",
    item: update,
    rest: mode("Observe"),
    verdict: "deny",
    code: "Observe",
  },
  {
    name: "Propose",
    guard: "mode",
    item: update,
    rest: mode("Propose"),
    verdict: "hold",
    code: "Propose",
  },
  {
    ...{ name: "an old look", guard: "freshness", item: { ...update, fresh: false } },
    ...{ verdict: "wait", code: "StaleObservation" },
  },
  {
    ...{ name: "a rejection", guard: "rejection", item: { ...update, rejectedBy: "ann" } },
    ...{ verdict: "deny", code: "Rejected" },
  },
  { name: "a foreign target", guard: "adopt", item: adopt, verdict: "hold", code: "Adopt" },
  { name: "a conflict", guard: "conflict", item: conflict, verdict: "hold", code: "Conflict" },
  {
    ...{ name: "drift under Hold", guard: "drift", item: drifted },
    ...{ rest: { spec: { ...spec, onDrift: "Hold" } }, verdict: "hold", code: "Drift" },
  },
  {
    ...{ name: "flapping", guard: "flap", item: { ...drifted, flapping: ["color"] } },
    ...{ verdict: "hold", code: "Flapping" },
  },
  {
    ...{ name: "a full window", guard: "change-limit", item: update },
    ...{ rest: { changesUsed: 3 }, verdict: "wait", code: "ChangeLimit" },
  },
  {
    ...{ name: "an unjudged delete", guard: "delete-grant", item: { ...removal, granted: "no" } },
    ...{ verdict: "hold", code: "NotJudged" },
  },
  {
    ...{
      name: "a changed target",
      guard: "delete-grant",
      item: { ...removal, granted: "changed" },
    },
    ...{ verdict: "hold", code: "TargetChanged" },
  },
  {
    ...{ name: "a replace too many", guard: "destroy-limit", item: replace },
    ...{ rest: { deletesUsed: 5 }, verdict: "hold", code: "DeleteLimit" },
  },
  {
    ...{ name: "a delete after a restore", guard: "restored", item: removal },
    ...{ rest: { restored: true }, verdict: "wait", code: "Restored" },
  },
  {
    ...{ name: "an update that takes many to zero", guard: "destroy-limit", item: emptying },
    ...{ verdict: "hold", code: "DeleteLimit" },
  },
  {
    ...{ name: "a replace over a policy's limit", guard: "destroy-limit", item: replace },
    ...{ rest: { floors: [floor({ allowed: 0 })] }, verdict: "hold", code: "DeleteLimit" },
  },
  {
    ...{ name: "a change over a policy's limit", guard: "change-limit", item: update },
    ...{ rest: { floors: [floor({ changesUsed: 9 })] }, verdict: "wait", code: "ChangeLimit" },
  },
  {
    ...{ name: "a delete right after a start", guard: "cold-start", item: removal },
    ...{ rest: { coldStart: true }, verdict: "wait", code: "ColdStart" },
  },
  {
    ...{ name: "a delete under a silent source", guard: "source-age", item: removal },
    ...{ rest: { sourceAgeMs: 3_600_001 }, verdict: "wait", code: "SourceStale" },
  },
  {
    ...{ name: "an act outside its window", guard: "window", item: update },
    ...{ rest: { window: { open: false, reason: "closed" } }, verdict: "wait", code: "Window" },
  },
  {
    ...{ name: "destroying what is protected", guard: "protection" },
    ...{ item: { ...removal, protectedBy: "its annotation" }, verdict: "hold", code: "Protected" },
  },
  {
    ...{ name: "making everything again", guard: "vanish", item: missing },
    ...{ rest: { vanished: gone(3, 3, false) }, verdict: "hold", code: "AllVanished" },
  },
  {
    ...{ name: "making some again too soon", guard: "vanish", item: missing },
    ...{ rest: { vanished: gone(3, 9, true) }, verdict: "wait", code: "VanishCheck" },
  },
  {
    ...{ name: "drift in a field whose policy is Hold", guard: "drift", item: drifted },
    ...{ rest: { spec: { ...spec, paths: [{ path: "color", onDrift: "Hold" }] } } },
    ...{ verdict: "hold", code: "Drift" },
  },
]

const judge = (
  one: JudgedAction,
  rest: Partial<RoundFacts> | undefined,
  guards: readonly Guard[],
) => judgeAction(one, facts([one], rest), guards)

describe("each guard", () => {
  it.each(cases)(
    "stops $name ($guard says $verdict)",
    ({ guard, item: one, rest, verdict, code }) => {
      const found = judge(one, rest, roundGuards)
      expect(found.kind).toBe(verdict)
      expect(found.reasons).toMatchObject([{ guard, code }])
    },
  )

  it.each(cases)("alone stops $name: without $guard it would run", ({ guard, item: one, rest }) => {
    const others = roundGuards.filter((other) => other.name !== guard)
    expect(others).toHaveLength(roundGuards.length - 1)
    expect(judge(one, rest, others).kind).toBe("allow")
  })

  it("lets what is in order run, creates before all", () => {
    for (const verb of ["create", "update", "replace", "delete"] as const) {
      expect(judge(item({ action: action(verb) }), {}, roundGuards).kind).toBe("allow")
    }
  })

  it("lets a person's approval of exactly this pass all that people decide", () => {
    const decided = cases.filter(
      ({ code }) => !["Observe", "StaleObservation", "NotJudged", "Window"].includes(code),
    )
    for (const { item: one, rest } of decided) {
      expect(judge({ ...one, approved: true }, rest, roundGuards).kind).toBe("allow")
    }
  })

  it("never lets an approval pass Observe, an old look or an unjudged delete", () => {
    for (const name of ["Observe", "an old look", "an unjudged delete"]) {
      const one = cases.find((other) => other.name === name)
      if (one === undefined) throw new Error(name)
      expect(judge({ ...one.item, approved: true }, one.rest, roundGuards).kind).not.toBe("allow")
    }
  })
})

describe("the change limit", () => {
  it("lets through what fits, in order, and lets the rest wait", () => {
    const items = ["a", "b", "c", "d", "e"].map((uid) => item({ action: action("update", uid) }))
    const all = facts(items, { changesUsed: 1 })
    const kinds = items.map((one) => judgeAction(one, all, roundGuards).kind)
    expect(kinds).toEqual(["allow", "allow", "wait", "wait", "wait"])
  })

  it("does not count creates and approved changes", () => {
    const approved = item({ action: action("update", "a"), approved: true })
    const create = item({ action: action("create", "b"), limitedChange: false })
    const items = [approved, create, item({ action: action("update", "c") })]
    const all = facts(items, { changesUsed: 2 })
    expect(items.map((one) => judgeAction(one, all, roundGuards).kind)).toEqual(
      Array(3).fill("allow"),
    )
  })
})

describe("replaces", () => {
  it("are held together when they are more than deletes may be", () => {
    const items = ["a", "b", "c"].map((uid) => item({ action: action("replace", uid) }))
    const wide = { ...spec, limits: { ...spec.limits, changes: 100 } }
    const some = facts(items, { spec: wide, deletesUsed: 2 })
    expect(items.map((one) => judgeAction(one, some, roundGuards).kind)).toEqual(
      Array(3).fill("allow"),
    )
    const more = facts(items, { spec: wide, deletesUsed: 3 })
    expect(items.map((one) => judgeAction(one, more, roundGuards).kind)).toEqual(
      Array(3).fill("hold"),
    )
  })
})

describe("verdicts", () => {
  it("a guard that throws denies, and says so", () => {
    const broken: Guard = {
      name: "broken",
      judge() {
        throw new Error("out of order")
      },
    }
    const found = judgeAction(update, facts([update]), [...roundGuards, broken])
    expect(found).toMatchObject({
      kind: "deny",
      reasons: [{ guard: "broken", code: "GuardFailed" }],
    })
  })

  it("no guard at all denies", () => {
    expect(judgeAction(update, facts([update]), []).kind).toBe("deny")
  })

  it("the strictest wins and every reason is kept", () => {
    const one = { ...drifted, flapping: ["color"], rejectedBy: "ann", fresh: false }
    const found = judgeAction(one, facts([one]), roundGuards)
    expect(found.kind).toBe("deny")
    expect(found.reasons.map((reason) => reason.guard).sort()).toEqual([
      "flap",
      "freshness",
      "rejection",
    ])
    expect(strictest([]).kind).toBe("deny")
  })
})
