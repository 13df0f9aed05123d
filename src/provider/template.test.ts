import { describe, expect, it } from "vitest"
import { providerTemplate } from "./template.ts"

describe("a new provider", () => {
  it("is a kind of at most 60 lines, a test, a page and a package", () => {
    const files = providerTemplate("dns-record")
    expect(files.map(({ path }) => path)).toEqual([
      "dns-record.ts",
      "dns-record.test.ts",
      "README.md",
      "package.json",
    ])
    const [kind, test] = files.map(({ content }) => content)
    expect(kind?.trimEnd().split("\n").length).toBeLessThanOrEqual(60)
    expect(kind).toContain('kind: "DnsRecord"')
    expect(test).toContain('import { dnsRecord } from "./dns-record.ts"')
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
