import { describe, expect, it } from "vitest"
import type { LoopSpec } from "../contract/loop.ts"
import type { Source, SourceSnapshot } from "../contract/source.ts"
import type { ProofDocument } from "../ledger/proofs.ts"
import { loopSpecOf } from "./loop-spec.ts"
import { promotedSource } from "./promoted-source.ts"
import { type PromotionFacts, promotionOf, roundsAsked } from "./promotion.ts"

const url = "https://host/a.git"

const spec = (name: string, from?: string, git: object | null = { url }): LoopSpec =>
  loopSpecOf({
    apiVersion: "setpoint.dev/v1alpha1",
    kind: "Loop",
    metadata: { name, namespace: "default" },
    spec: {
      source: {
        ...(git === null ? { directory: { path: "/a" } } : { git: { ...git } }),
        ...(from === undefined ? {} : { promotion: { from, cleanRounds: 2 } }),
      },
    },
  })

function facts(
  specs: Record<string, LoopSpec>,
  revisions: readonly (readonly [string, number])[] = [],
  rolledBack?: string,
): PromotionFacts {
  const proof: ProofDocument = {
    ...{ format: 1, loop: "default.staging", repository: url },
    revisions: revisions.map(([revision, rounds]) => ({ revision, rounds, best: rounds })),
  }
  return {
    specOf: (id) => specs[id],
    exists: (id) => specs[id] !== undefined,
    rolledBackFrom: (id) => (id === "default.staging" ? rolledBack : undefined),
    proofs: { of: (id) => (id === "default.staging" ? proof : undefined) },
  }
}

const both = { "default.staging": spec("staging"), "default.prod": spec("prod", "staging") }
const judge = (given: PromotionFacts) => promotionOf("default.prod", given)

describe("a loop that is promoted", () => {
  it("takes the newest revision that the other loop proved", () => {
    const revisions = [["aaa", 2] as const, ["bbb", 2] as const]
    expect(judge(facts(both, revisions))).toEqual({ kind: "take", revision: "bbb" })
  })

  it("stays at it while the next one is not proven, and says how far that is", () => {
    const revisions = [["aaa", 2] as const, ["0123456789abcdef", 1] as const]
    const waiting = "waiting for default.staging: 1 of 2 clean rounds at 0123456789ab"
    expect(judge(facts(both, revisions))).toEqual({ kind: "take", revision: "aaa", waiting })
    expect(judge(facts(both, revisions.slice(1)))).toEqual({ kind: "wait", waiting })
    expect(judge(facts(both))).toMatchObject({ kind: "wait" })
  })

  it("does not take what a person rolled the other loop back from, proven or not", () => {
    const revisions = [["aaa", 2] as const, ["bbb", 2] as const]
    const waiting = "waiting: bbb was rolled back in default.staging"
    expect(judge(facts(both, revisions, "bbb"))).toEqual({ kind: "wait", waiting })
    const halfway = [["aaa", 2] as const, ["bbb", 1] as const]
    const kept = { kind: "take", revision: "aaa", waiting }
    expect(judge(facts(both, halfway, "bbb"))).toEqual(kept)
    const onward = [...revisions, ["ccc", 2] as const]
    expect(judge(facts(both, onward, "bbb"))).toEqual({ kind: "take", revision: "ccc" })
  })

  it("is no other loop's business", () => {
    expect(promotionOf("default.staging", facts(both))).toBeUndefined()
    expect(roundsAsked("default.staging", [{ spec: both["default.prod"] }])).toBe(2)
    expect(roundsAsked("default.prod", [{ spec: both["default.prod"] }])).toBeUndefined()
  })

  it.each([
    ["that is gone", { "default.prod": spec("prod", "staging") }, "no such loop"],
    [
      "of another repository",
      { ...both, "default.staging": spec("staging", undefined, { url: "https://host/b.git" }) },
      "another repository",
    ],
    ["from a folder", { ...both, "default.prod": spec("prod", "staging", null) }, "no git"],
    [
      "in a circle",
      { ...both, "default.staging": spec("staging", "prod") },
      "default.prod from default.staging from default.prod",
    ],
  ])("is refused from a loop %s", (_what, specs, why) => {
    const answer = judge(facts(specs as Record<string, LoopSpec>, [["aaa", 2]]))
    expect(answer?.kind === "refused" && answer.why).toContain(why)
  })
})

describe("the source of a loop that is promoted", () => {
  const complete = (revision: string): SourceSnapshot => ({
    ...{ kind: "complete", revision, manifests: [] },
  })
  const newest: Source = {
    description: "git",
    read: async () => complete("newest"),
    readAt: async (revision) => complete(revision),
    watch: () => ({ close: () => {} }),
  }
  const read = async (given: PromotionFacts, taken?: string, source = newest) => {
    const ports = { from: "default.staging", promotion: () => judge(given) }
    const made = promotedSource(source, { ...ports, taken: async () => taken })
    const snapshot = await made.read(AbortSignal.timeout(10_000))
    return snapshot.kind === "complete" ? snapshot.revision : snapshot.issues[0]?.code
  }

  it("is read at the proven revision, never at the newest", async () => {
    expect(await read(facts(both, [["aaa", 2]]))).toBe("aaa")
  })

  it("is read at the last revision it took while nothing is proven", async () => {
    expect(await read(facts(both, [["bbb", 1]]), "old")).toBe("old")
    expect(await read(facts(both, [["bbb", 1]]))).toBe("SPT-PROMO-001")
  })

  it("can't be used where the past can't be read", async () => {
    const { readAt: _readAt, ...folder } = newest
    expect(await read(facts(both, [["aaa", 2]]), "old", folder)).toBe("SPT-PROMO-002")
  })

  it("keeps what it has when the other loop is gone", async () => {
    const alone = { "default.prod": spec("prod", "staging") }
    expect(await read(facts(alone, [["aaa", 2]]), "old")).toBe("SPT-PROMO-002")
  })
})
