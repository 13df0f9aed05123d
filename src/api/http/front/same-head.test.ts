import { describe, expect, it } from "vitest"
import { sameHead } from "./same-head.ts"

const head = ["Host", "a", "Content-Length", "10", "Accept", "x"]

describe("the headers of the next request", () => {
  it("are the same only when every name and value is", () => {
    expect(sameHead(head, [...head])).toBe("same")
    expect(sameHead(head, head.with(1, "b"))).toBe("other")
    expect(sameHead(head, head.with(4, "accept"))).toBe("other")
    expect(sameHead(head, head.slice(0, 4))).toBe("other")
    expect(sameHead(head, [...head, "Accept", "y"])).toBe("other")
    expect(sameHead([], [])).toBe("other")
  })

  it("may differ in the length of the body alone", () => {
    expect(sameHead(head, head.with(3, "11"))).toEqual({ length: "11", at: 3 })
    expect(sameHead(head, head.with(3, "11").with(5, "y"))).toBe("other")
    expect(sameHead(head, head.with(5, "y").with(3, "11"))).toBe("other")
    expect(sameHead(["Content-Length", "a", "Host", "b"], ["a", "a", "Host", "b"])).toBe("other")
  })
})
