import { describe, expect, it } from "vitest"
import { finishAction, type Verb } from "../contract/action.ts"
import type { HeldAction, HeldOrigin } from "../ledger/plan-ledger.ts"
import { HeldSet } from "./held-set.ts"

function held(uid: string, verb: Verb, origin: HeldOrigin = "round", token = "1"): HeldAction {
  const action = finishAction({
    ...{ verb, uid, object: `widgets/default/${uid}`, kind: "Widget", loop: "default.site" },
    ...{ generation: 1, incarnation: 1, target: `sim:${uid}`, changes: [], token },
    cause: { kind: "edit", text: "declared" },
  })
  return { action, origin, reasons: [], desiredHash: "" }
}

describe("what is held", () => {
  it("is at most one delete and one other action per object", () => {
    const set = new HeldSet()
    set.put(held("a", "update"))
    set.put(held("a", "update", "round", "2"))
    set.put(held("a", "delete"))
    expect(set.size).toBe(2)
    expect(set.get("a", "act")?.action.token).toBe("2")
    expect(set.get("a", "delete")?.action.verb).toBe("delete")
    expect(set.drop("a", "act")).toBe(true)
    expect(set.drop("a", "act")).toBe(false)
    expect(set.get("a", "delete")).toBeDefined()
  })

  it("is found by what it is, and not by what it was", () => {
    const set = new HeldSet()
    const before = held("a", "delete", "prune", "1")
    set.put(before)
    expect(set.byDigest(before.action.digest)).toBe(before)
    set.put(held("a", "delete", "prune", "2"))
    expect(set.byDigest(before.action.digest)).toBeUndefined()
  })

  it("hashes the same in any order, and differently when anything differs", () => {
    const [one, two, other] = [new HeldSet(), new HeldSet(), new HeldSet()]
    for (const uid of ["a", "b"]) one.put(held(uid, "delete"))
    for (const uid of ["b", "a"]) two.put(held(uid, "delete"))
    for (const uid of ["a", "b"]) other.put(held(uid, "delete", "round", "9"))
    expect(two.hash()).toBe(one.hash())
    expect(other.hash()).not.toBe(one.hash())
  })

  it("lets go of what its origin no longer asks for, and of nothing else", () => {
    const set = new HeldSet()
    set.put(held("a", "delete", "prune"))
    set.put(held("b", "delete", "prune"))
    set.put(held("c", "delete", "request"))
    set.put(held("d", "update", "round"))
    set.retainOrigin("prune", new Set(["b"]))
    expect(set.all().map(({ action }) => action.uid)).toEqual(["b", "c", "d"])
  })
})
