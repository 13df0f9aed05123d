import { describe, expect, it } from "vitest"
import { deferred, Slots } from "./async.ts"

describe("slots", () => {
  it("run so many tasks at once and the others in their order, also after a failure", async () => {
    const slots = new Slots(2)
    const gates = Array.from({ length: 4 }, () => deferred<void>())
    const begun: number[] = []
    const runs = gates.map((gate, index) =>
      slots.run(() => {
        begun.push(index)
        return gate.promise
      }),
    )
    const settled = Promise.allSettled(runs)
    await Promise.resolve()
    expect(begun).toEqual([0, 1])
    gates[1]?.reject(new Error("failed"))
    await expect(runs[1]).rejects.toThrow("failed")
    expect(begun).toEqual([0, 1, 2])
    for (const gate of gates) gate.resolve()
    await settled
    expect(begun).toEqual([0, 1, 2, 3])
  })
})
