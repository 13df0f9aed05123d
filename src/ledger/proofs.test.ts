import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { countRound, newestProven, type ProofDocument, type RoundShown } from "./proofs.ts"

const shown = (
  revision: string,
  round: RoundShown["round"],
  more: Partial<RoundShown> = {},
): RoundShown => ({
  ...{ loop: "default.staging", repository: "https://host/a.git", revision, round, needed: 3 },
  ...more,
})

const counted = (...rounds: RoundShown[]): ProofDocument | undefined =>
  rounds.reduce<ProofDocument | undefined>((before, one) => countRound(before, one), undefined)

const text = (document: ProofDocument | undefined) =>
  document?.revisions.map(({ revision, rounds, best }) => `${revision} ${rounds}/${best}`)

describe("what a loop proved", () => {
  it("is a revision with so many clean rounds in a row", () => {
    const rounds = ["idle", "clean", "clean", "clean"] as const
    const document = counted(...rounds.map((round) => shown("a", round)))
    expect(text(document)).toEqual(["a 3/3"])
    expect(newestProven(document, 3)?.revision).toBe("a")
    expect(newestProven(document, 4)).toBeUndefined()
  })

  it("begins again after a round that is broken, and waits after one that healed", () => {
    expect(text(counted(shown("a", "clean"), shown("a", "broken")))).toEqual(["a 0/1"])
    expect(text(counted(shown("a", "clean"), shown("a", "idle")))).toEqual(["a 1/1"])
  })

  it("stays proven whatever comes, while the next one is not", () => {
    const a = [shown("a", "clean"), shown("a", "clean"), shown("a", "clean")]
    const document = counted(...a, shown("a", "broken"), shown("b", "broken"), shown("b", "clean"))
    expect(text(document)).toEqual(["a 3/3", "b 1/1"])
    expect(newestProven(document, 3)?.revision).toBe("a")
    expect(newestProven(document, 1)?.revision).toBe("b")
  })

  it("is proven anew when the loop comes back to it, and when it points elsewhere", () => {
    const a = [shown("a", "clean"), shown("a", "clean"), shown("a", "clean")]
    expect(text(counted(...a, shown("b", "idle"), shown("a", "idle")))).toEqual(["b 0/0", "a 0/0"])
    const elsewhere = shown("a", "clean", { repository: "https://host/b.git" })
    expect(text(counted(...a, elsewhere))).toEqual(["a 1/1"])
  })

  it("is the same document when there is no news, so that nothing is written at rest", () => {
    const a = [shown("a", "clean"), shown("a", "clean"), shown("a", "clean")]
    const document = counted(...a)
    for (const round of ["clean", "idle", "broken"] as const) {
      expect(countRound(document, shown("a", round))).toBe(document)
    }
  })

  it("is never lost and never invented, however rounds and revisions come", () => {
    const rounds = fc.array(
      fc.tuple(fc.integer({ min: 0, max: 40 }), fc.constantFrom("clean", "idle", "broken")),
      { maxLength: 120 },
    )
    fc.assert(
      fc.property(rounds, (list) => {
        let document: ProofDocument | undefined
        let proven: string | undefined
        let [current, streak] = ["", 0]
        for (const [number, round] of list) {
          const revision = `r${number}`
          if (revision !== current) {
            // Whoever comes back to a revision has to prove it again.
            if (revision === proven) proven = undefined
            current = revision
            streak = 0
          }
          streak = round === "clean" ? streak + 1 : round === "idle" || streak >= 2 ? streak : 0
          if (streak >= 2) proven = revision
          document = countRound(document, shown(revision, round as "clean", { needed: 2 }))
          expect(document.revisions.length).toBeLessThanOrEqual(21)
          if (proven !== undefined) expect(newestProven(document, 2)?.revision).toBe(proven)
        }
      }),
      { numRuns: 200 },
    )
  })
})
