import { describe, expect, it } from "vitest"
import { checkClock, checkNode, sizeText } from "./check-host.ts"

describe("the doctor's checks of the host", () => {
  it("wants a Node that is new enough", () => {
    for (const version of ["v22.16.0", "v24.0.0"]) expect(checkNode(version).level).toBe("ok")
    for (const version of ["v22.15.9", "v20.19.0"]) expect(checkNode(version).level).toBe("fail")
  })

  it("sees a clock that stands before the newest write, or before its own making", () => {
    const now = Date.UTC(2026, 5)
    expect(checkClock(now, now).level).toBe("ok")
    expect(checkClock(now, now + 3_600_000).level).toBe("warn")
    expect(checkClock(0, undefined).level).toBe("fail")
  })

  it("tells sizes for people", () => {
    expect([0, 1023, 1536, 5 * 1024 ** 3].map(sizeText)).toEqual([
      ...["0 B", "1023 B", "1.5 KiB", "5.0 GiB"],
    ])
  })
})
