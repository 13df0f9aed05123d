import { describe, expect, it } from "vitest"
import { filtersOf, searchPath } from "./journal-view.ts"

describe("a search of the journals", () => {
  it("is read from an address, without what is empty or unknown", () => {
    const query = new URLSearchParams("verb=delete&text=%20&tab=x&object=a%2Fb")
    expect(filtersOf(query)).toEqual({ verb: "delete", object: "a/b" })
  })

  it("is asked for with all it says, and where it goes on", () => {
    const path = searchPath({ object: "a&b=c", since: "2h" }, 100, "default.site:12,plane:")
    const query = new URLSearchParams(path.slice(path.indexOf("?")))
    expect(Object.fromEntries(query)).toEqual({
      ...{ object: "a&b=c", since: "2h", limit: "100", before: "default.site:12,plane:" },
    })
  })

  it("gives a time without a zone the reader's own", () => {
    const path = searchPath({ since: "2026-01-31T08:00" }, 1)
    const since = new URLSearchParams(path.slice(path.indexOf("?"))).get("since")
    expect(since).toBe(new Date(2026, 0, 31, 8).toISOString())
  })
})
