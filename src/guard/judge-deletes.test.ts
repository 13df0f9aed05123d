import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { loopSpecOf } from "../controllers/loop-spec.ts"
import { allowedDeletes } from "./delete-limit.ts"
import { type DeleteSetFacts, judgeDeletes } from "./judge-deletes.ts"

const object = { apiVersion: "v1", kind: "Loop", metadata: { name: "x" } }
const spec = loopSpecOf({ ...object, spec: { mode: "Enforce" } })

function facts(
  count: number,
  inventory: number,
  rest: Partial<DeleteSetFacts> = {},
): DeleteSetFacts {
  return {
    ...{ loop: "default.site", spec, origin: "prune", principal: "service", inventory },
    ...{ baseline: inventory, deletesUsed: 0, restored: false },
    ...{ floors: [], protectedObjects: [] },
    kinds: Array(count).fill("Widget"),
    inventoryOf: () => inventory,
    ...rest,
  }
}

const person = { origin: "name", principal: "human" } as const
const codes = (one: DeleteSetFacts) => judgeDeletes(one).reasons.map((reason) => reason.code)

describe("how many deletes a window allows", () => {
  it.each([
    [100, 100, 5],
    [30, 30, 3],
    [10, 10, 1],
    [3, 3, 1],
    [1, 1, 1],
    [0, 0, 1],
    [1000, 20, 2],
    [20, 1000, 2],
    [1_000_000, 1_000_000, 5],
  ])("of %i now and %i at the baseline: %i", (inventory, baseline, allowed) => {
    expect(allowedDeletes(spec.limits, { inventory, baseline })).toBe(allowed)
  })

  it("is none when the loop says none", () => {
    const limits = { ...spec.limits, deletes: 0 }
    expect(allowedDeletes(limits, { inventory: 100, baseline: 100 })).toBe(0)
  })
})

describe("a set of deletes", () => {
  it.each([
    ["1 of 3", facts(1, 3), "allow", []],
    ["3 of 3", facts(3, 3), "hold", ["DeleteLimit", "EmptySet"]],
    ["1 of 1", facts(1, 1), "hold", ["EmptySet"]],
    ["40 of 100", facts(40, 100), "hold", ["DeleteLimit"]],
    ["5 of 100", facts(5, 100), "allow", []],
    ["5 of 100, one used", facts(5, 100, { deletesUsed: 1 }), "hold", ["DeleteLimit"]],
    ["5 of 100, small yesterday", facts(5, 100, { baseline: 20 }), "hold", ["DeleteLimit"]],
    ["nothing that is ours", facts(0, 100), "allow", []],
    ["the last of a kind", facts(1, 50, { inventoryOf: () => 1 }), "hold", ["LastOfKind"]],
    ["the last one, by a person and by name", facts(1, 1, person), "allow", []],
    ["two by a person and by name", facts(2, 2, person), "hold", ["DeleteLimit", "EmptySet"]],
    [
      "the last one, by an agent",
      facts(1, 1, { ...person, principal: "agent" }),
      "hold",
      ["EmptySet"],
    ],
    [
      "a person over the count",
      facts(1, 50, { ...person, deletesUsed: 5 }),
      "hold",
      ["DeleteLimit"],
    ],
    ["a person within the count", facts(1, 50, { ...person, deletesUsed: 4 }), "allow", []],
    ["after a restore", facts(1, 100, { restored: true }), "hold", ["Restored"]],
    ["in Propose", facts(1, 100, { spec: { ...spec, mode: "Propose" } }), "hold", ["Propose"]],
    [
      "all, where emptying is allowed",
      facts(1, 1, { spec: { ...spec, onEmpty: "Allow" } }),
      "allow",
      [],
    ],
  ] as const)("%s", (_name, one, kind, expected) => {
    expect(judgeDeletes(one).kind).toBe(kind)
    expect(codes(one)).toEqual(expected)
  })

  it("never lets more pass in one window than the count, however it is cut", () => {
    const sizes = fc.array(fc.integer({ min: 1, max: 20 }), { maxLength: 30 })
    fc.assert(
      fc.property(sizes, fc.integer({ min: 0, max: 500 }), (sets, inventory) => {
        let used = 0
        let left = inventory
        for (const size of sets) {
          const verdict = judgeDeletes(
            facts(size, left, { deletesUsed: used, baseline: inventory }),
          )
          if (verdict.kind !== "allow") continue
          used += size
          left -= size
        }
        expect(used).toBeLessThanOrEqual(spec.limits.deletes)
        if (inventory > 0) expect(left).toBeGreaterThan(0)
      }),
      { numRuns: 300 },
    )
  })
})
