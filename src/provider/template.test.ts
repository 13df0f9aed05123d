import { describe, expect, it } from "vitest"
import { providerTemplate } from "./template.ts"

describe("a new provider", () => {
  it("is a kind of at most 60 lines, a test, a page, a brief and a package", () => {
    const files = providerTemplate("dns-record")
    expect(files.map(({ path }) => path)).toEqual([
      "dns-record.ts",
      "dns-record.test.ts",
      "README.md",
      "BRIEF.md",
      "package.json",
      "tsconfig.json",
    ])
    const [kind, test] = files.map(({ content }) => content)
    expect(kind?.trimEnd().split("\n").length).toBeLessThanOrEqual(60)
    expect(kind).toContain('kind: "DnsRecord"')
    expect(test).toContain('import { dnsRecord } from "./dns-record.ts"')
  })

  it("has a brief that states the contract and makes the conformance suite the gate", () => {
    const files = new Map(providerTemplate("dns-record").map((file) => [file.path, file.content]))
    const brief = files.get("BRIEF.md") ?? ""
    expect(brief).toContain("# Brief: write the provider DnsRecord")
    for (const promise of ["An error is not an empty answer", "The check happens at the effect"]) {
      expect(brief).toContain(promise)
    }
    const scripts = Object.keys(JSON.parse(files.get("package.json") ?? "").scripts)
    for (const [, script] of brief.matchAll(/`npm (?:run )?(\w+)`/g)) {
      expect(scripts).toContain(script)
    }
  })

  it.each(["", "A", "a_b", "-a", "a-", "a--b", "../a", "a/b", "1a", "a.b", "a\n", "x".repeat(41)])(
    "can't be called %j",
    (name) => {
      expect(() => providerTemplate(name)).toThrow(
        expect.objectContaining({ code: "SPT-PROV-006" }),
      )
    },
  )
})
