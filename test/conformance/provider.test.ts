// Honest providers pass the whole suite, whatever their identity rule and way of reading.

import { describe, expect, it } from "vitest"
import { describeConformance, providerConformance, runConformance } from "../../src/testing.ts"
import {
  batching,
  card,
  listing,
  searchableKind,
  single,
  ticketKind,
  ticketSubject,
} from "./provider-subjects.ts"

let serial = 0

describe("a provider that lists pages (examples/10-own-provider)", () => {
  describeConformance(listing(), { describe, it })
})

describe("a provider that reads one by one", () => {
  describeConformance(single(), { describe, it })
})

describe("a provider whose system takes a client token", () => {
  const kind = ticketKind("clientToken", ({ idempotencyKey }) => idempotencyKey)
  describeConformance(ticketSubject(kind), { describe, it })
})

describe("a provider whose system is searched", () => {
  describeConformance(ticketSubject(searchableKind()), { describe, it })
})

describe("a provider without any identity", () => {
  const kind = ticketKind("none", () => `t-${++serial}`)
  describeConformance(ticketSubject(kind), { describe, it })
})

describe("a provider with batches", () => {
  describeConformance(listing(batching), { describe, it })
})

describe("the suite", () => {
  it("says how each rule went, also the ones with nothing to say", async () => {
    const results = await runConformance(single())
    expect(results.filter(({ passed }) => !passed)).toEqual([])
    expect(results).toContainEqual({
      rule: "batch-answers-each",
      passed: true,
      skipped: "it has no actBatch",
    })
  })

  it("refuses to skip a rule that does not exist", () => {
    const subject = { ...single(card), skip: { "no-such-rule": "because" } }
    expect(() => providerConformance(subject)).toThrow("there is no rule of that name")
  })
})
