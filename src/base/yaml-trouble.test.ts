import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { composeYaml } from "./compose-yaml.ts"
import { scanYaml } from "./scan-yaml.ts"
import { refusedSyntax, yamlTrouble } from "./yaml-trouble.ts"

const limits = { depth: 20, nodes: 1000, issues: 5 }

/** Everything that is said of a text; with what the library alone would say. */
function saidOf(text: string): { readonly said: string; readonly theirs: string } {
  const scan = scanYaml(text, limits)
  if ("what" in scan) return { said: refusedSyntax(scan.what), theirs: scan.text }
  const errors = composeYaml(scan, { schema: "failsafe" }).flatMap((document) => document.errors)
  const theirs = errors.map((error) => error.message).join("\n")
  return { said: errors.map(yamlTrouble).join("\n"), theirs }
}

describe("what is said of a YAML text that is wrong", () => {
  it("says what is wrong and never repeats the text", () => {
    const wrong: [string, RegExp][] = [
      ["a: >canary\n", /does not allow here/],
      ["a: |canary\n", /does not allow here/],
      ["a: !canary x\n", /^a tag$/],
      ["a: &canary x\n", /^an anchor$/],
      ["a: *canary\n", /^an alias$/],
      ['a: "\\canary"\n', /an unknown escape/],
      ["a: @canary\n", /a reserved sign/],
      ["a: [canary\n", /flow sequence/i],
      ["a: canary: canary\n", /[Nn]ested mappings/],
      ["a: 'canary\n", /Missing closing/],
    ]
    for (const [text, why] of wrong) {
      const { said } = saidOf(text)
      expect(said, text).toMatch(why)
      expect(said, text).not.toContain("canary")
    }
    // The library quotes, so that there is something to keep back.
    for (const text of ["a: >canary\n", "a: !canary x\n"]) {
      expect(saidOf(text).theirs).toContain("canary")
    }
  })

  it("never repeats any text, whatever signs stand around it", () => {
    const signs = fc.constantFrom(..."|>!&*%@`'\"\\[]{}:,-?# \n\t=~", ": ", "- ", "---\n", "a: ")
    const around = fc.array(signs, { maxLength: 8 }).map((parts) => parts.join(""))
    const words = fc.array(fc.tuple(around, fc.constantFrom("canary", "x")), { maxLength: 5 })
    fc.assert(
      fc.property(words, around, (parts, end) => {
        const text = parts.flat().join("") + end
        expect(saidOf(text).said).not.toContain("canary")
      }),
      { numRuns: 3000 },
    )
  })
})
