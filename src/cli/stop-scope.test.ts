import { describe, expect, it } from "vitest"
import { pauseMaxMs, stopScope, stopUntil } from "./stop-scope.ts"

const options = { namespace: "apps" }

describe("which stop is meant", () => {
  it("is everything, a loop of this namespace, or a loop named in full", () => {
    expect(stopScope(undefined, {}, options)).toEqual({ loop: "*", scope: "all" })
    expect(stopScope("dns", { deletes: true }, options)).toEqual({
      ...{ loop: "apps.dns", scope: "deletes" },
    })
    expect(stopScope("default.dns", { reason: "x" }, options)).toEqual({
      ...{ loop: "default.dns", scope: "all", reason: "x" },
    })
  })

  it("is a provider or an object, and a name with a slash is an object", () => {
    const all = { loop: "*", scope: "all" }
    expect(stopScope(undefined, { provider: "file" }, options)).toEqual({
      ...{ ...all, provider: "file" },
    })
    const object = "file/motd"
    expect(stopScope(undefined, { object }, options)).toEqual({ ...all, object })
    expect(stopScope(object, {}, options)).toEqual({ ...all, object })
  })

  it.each([
    ["site", { provider: "file" }],
    ["site", { object: "file/a" }],
    ["file/a", { object: "file/b" }],
    [undefined, { provider: "file", object: "file/a" }],
  ])("is refused when it names two: %s %j", (named, given) => {
    expect(() => stopScope(named, given, options)).toThrow("more than one")
  })
})

describe("when a stop ends", () => {
  const now = Date.parse("2031-05-01T12:00:00.250Z")

  it("is never earlier than asked for", () => {
    expect(stopUntil("2h", now)).toBe("2031-05-01T14:00:01Z")
    expect(stopUntil("30d", now, pauseMaxMs)).toBe("2031-05-31T12:00:01Z")
  })

  it.each(["", "soon", "2", "-2h", "0s", "31d", "1e3h"])("is refused: %j", (length) => {
    expect(() => stopUntil(length, now, pauseMaxMs)).toThrow("--for")
  })
})
