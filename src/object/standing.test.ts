import { describe, expect, it } from "vitest"
import { standingOf } from "./standing.ts"

const time = "2026-01-02T03:04:05Z"
const condition = (type: string, status = "True") => {
  return { type, status, reason: `${type}Reason`, message: "", lastTransitionTime: time }
}
const object = (...conditions: ReturnType<typeof condition>[]) => {
  return { apiVersion: "v1", kind: "A", metadata: { name: "a" }, status: { conditions } }
}

describe("how an object stands", () => {
  it("is the most pressing thing that is said of it", () => {
    const said = ["Ready", "Reconciling", "Drifted", "Held", "Stalled"]
    for (let count = 1; count <= said.length; count++) {
      const all = said.slice(0, count).map((type) => condition(type))
      const word = said[count - 1]
      expect(standingOf(object(...all))).toEqual({
        ...{ word, reason: `${word}Reason`, since: Date.parse(time) },
      })
    }
  })

  it("is never Ready by silence", () => {
    expect(standingOf(object()).word).toBe("New")
    expect(standingOf({ ...object(), status: { conditions: "nonsense" } }).word).toBe("New")
    expect(standingOf(object(condition("Ready", "Unknown")))).toMatchObject({ word: "NotReady" })
    expect(standingOf(object(condition("Stalled", "False"))).word).toBe("New")
  })
})
