import { describe, expect, it } from "vitest"
import type { Json } from "../../base/json.ts"
import { topLines } from "./top-lines.ts"

const terminal = { paint: (_: string, text: string) => text }
const status: Json = {
  stops: [{ text: "all acting stopped everywhere by ann" }],
  queue: { depth: 3, oldestMs: 2500 },
  inFlight: 1,
  revision: 42,
  loops: [
    { id: "default.default", mode: "Enforce", objects: 0, converged: 0 },
    { id: "default.calm", mode: "Observe", objects: 9, converged: 9 },
    {
      ...{ id: "default.site", mode: "Enforce", objects: 5, converged: 3 },
      plan: { name: "site-1", actions: 2 },
      oldest: { since: "1970-01-01T00:16:00Z" },
      deletes: { used: 1, allowed: 5 },
      changes: { used: 7, allowed: 50 },
    },
  ],
}
const columns = {
  ...{ creates: [9, 2, 1], updates: [0, 1, 0], failures: [0, 0, 4], drift: [0, 1, 0] },
  ...{ journeys: [1, 1, 3], convergeSeconds: [100, 2, null] },
}
const series: Json = {
  now: 1000,
  breakers: [
    { connection: "dns|ns1\u001b[2J", state: "open" },
    { connection: "dns|ns2", state: "closed" },
  ],
  loops: [
    { loop: "default.site", times: [900, 950, 995], columns },
    { loop: "default.calm", times: [], columns: {} },
    { loop: "default.default", times: [], columns: {} },
  ],
}

describe("topLines", () => {
  it("shows the last minute of each loop, loops with work first, stops and breakers above", () => {
    const lines = topLines(series, status, terminal)
    expect(lines.slice(0, 3)).toEqual([
      "STOPPED: all acting stopped everywhere by ann",
      expect.stringMatching(/^breaker of dns\|ns1.* is open$/),
      "queue 3 (oldest 2.5s)   acting 1   revision 42",
    ])
    expect(lines[1]).not.toContain("\u001b")
    const [loops, ...rows] = lines.slice(4).map((line) => line.split(/ {3,}/))
    expect(loops?.slice(0, 3)).toEqual(["LOOP", "MODE", "OBJECTS"])
    expect(rows).toEqual([
      [
        ...["default.site", "Enforce", "5", "3", "2", "40s", "4", "4", "1", "500ms"],
        ...["1 of 5", "7 of 50"],
      ],
      [
        ...["default.calm", "Observe", "9", "9", "0", "-", "-", "-", "-", "-"],
        ...["0 of 0", "0 of 0"],
      ],
    ])
  })

  it("shows loops without rates when there are no charts yet", () => {
    const lines = topLines({ now: 1000, loops: [], breakers: [] }, status, terminal)
    expect(lines.at(-2)).toContain("default.site")
  })
})
