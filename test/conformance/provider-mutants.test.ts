// The suite is worth what it catches: for every rule at least one provider that is wrong in exactly
// that way, and the rule has to say so.

import { describe, expect, it } from "vitest"
import { conformanceRules } from "../../src/provider/conformance/conformance.ts"
import { providerConformance } from "../../src/testing.ts"
import { calmMutants, shapeMutants } from "./provider-mutants-calm.ts"
import { actingMutants, doubtMutants } from "./provider-mutants-doubt.ts"

const mutants = [...shapeMutants, ...calmMutants, ...doubtMutants, ...actingMutants]

describe("the conformance suite catches", () => {
  it.each(mutants.map((mutant) => [mutant.what, mutant.rule, mutant] as const))(
    "%s (%s)",
    async (_, name, { subject, says }) => {
      const rule = providerConformance(subject()).find((candidate) => candidate.name === name)
      expect(rule?.skipped).toBeUndefined()
      await expect(rule?.run()).rejects.toMatchObject({
        code: "SPT-PROV-010",
        message: expect.stringContaining(says),
      })
    },
  )

  it("something for every rule that there is", () => {
    const caught = new Set(mutants.map(({ rule }) => rule))
    expect(conformanceRules.map(({ name }) => name).filter((name) => !caught.has(name))).toEqual([])
  })
})
