import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { disarm } from "../../base/protections.ts"
import { checkEntries, parseEntries, type TreeEntry } from "./tree-entries.ts"

const id = "a".repeat(40)
const file = (path: string, mode = "100644"): TreeEntry => ({
  ...{ mode, type: mode === "160000" ? "commit" : "blob", id, size: 1, path },
})
const check = (...entries: TreeEntry[]) => {
  const { files, issues } = checkEntries(entries, "")
  return [...files.map(({ path }) => path), ...issues.map(({ code }) => code)]
}

describe("entries of a tree", () => {
  it("are the manifests, in order; hidden names and other files do not count", () => {
    const paths = ["b.yaml", "a.yml", "c/d.json", "README.md", ".hidden/x.yaml", "c/~x.yaml"]
    expect(check(...paths.map((path) => file(path)))).toEqual(["a.yml", "b.yaml", "c/d.json"])
  })

  it.each([
    ["a symlink", file("a.yaml", "120000"), "SPT-GIT-034"],
    ["a symlink that is no manifest", file("link", "120000"), "SPT-GIT-034"],
    ["a submodule", file("vendor", "160000"), "SPT-GIT-034"],
    ["another mode", file("a.yaml", "100000"), "SPT-GIT-034"],
    ["a name that climbs", file("a/../b.yaml"), "SPT-GIT-035"],
    ["a name that is a dot", file("./b.yaml"), "SPT-GIT-035"],
    ["an absolute name", file("/etc/b.yaml"), "SPT-GIT-035"],
    ["a line break", file("a\nb.yaml"), "SPT-GIT-035"],
    ["an escape", file("\u001b[2Ja.yaml"), "SPT-GIT-035"],
    ["text that turns around", file("a\u202elmay.yaml"), "SPT-GIT-035"],
    ["a backslash", file("a\\b.yaml"), "SPT-GIT-035"],
    ["bytes that are no text", file("a\ufffd.yaml"), "SPT-GIT-035"],
    ["a hidden name that climbs", file(".x/../../b.yaml"), "SPT-GIT-035"],
  ])("are refused with %s", (_what, entry, code) => expect(check(entry)).toEqual([code]))

  it.each([
    ["case", "a.yaml", "A.yaml"],
    ["the case of a folder", "a/x.yaml", "A/y.yaml"],
    ["composed letters", "caf\u00e9.yaml", "cafe\u0301.yaml"],
    ["the width of letters", "a.yaml", "\uff41.yaml"],
    ["a folder and a file", "a/b.yaml", "A"],
  ])("are refused when they differ in %s only", (_what, left, right) => {
    expect(check(file(left), file(right))).toContain("SPT-GIT-036")
  })

  it("would follow links without their protection", () => {
    const rearm = disarm("git-follows-nothing")
    try {
      expect(check(file("a.yaml", "120000"))).toEqual(["a.yaml"])
    } finally {
      rearm()
    }
  })

  it("never lead out of the folder, whatever their names are", () => {
    const part = fc.oneof(
      fc.constantFrom("..", ".", "", "a", "A", ".git", "x.yaml", "é", "\0", "\\", "~"),
      fc.string({ maxLength: 5, unit: "binary" }),
    )
    const path = fc.array(part, { minLength: 1, maxLength: 4 }).map((parts) => parts.join("/"))
    fc.assert(
      fc.property(fc.array(path, { maxLength: 6 }), (paths) => {
        const { files } = checkEntries(
          paths.map((one) => file(`env/${one}`)),
          "env",
        )
        for (const one of files) {
          const inner = one.path.slice(4).split("/")
          expect(one.path.startsWith("env/")).toBe(true)
          expect(inner.some((name) => name === "" || name.startsWith("."))).toBe(false)
          expect(/[\p{Cc}\\]/u.test(one.path)).toBe(false)
        }
      }),
      { numRuns: 300 },
    )
  })
})

describe("what ls-tree writes", () => {
  it("is read with names of any kind, or not at all", () => {
    const line = `100644 blob ${id}       7\ta\nb\tc.yaml\0`
    const output = Buffer.from(`${line}160000 commit ${id}       -\tv\0`)
    expect(parseEntries(output, "env")).toEqual([
      { mode: "100644", type: "blob", id, size: 7, path: "env/a\nb\tc.yaml" },
      { mode: "160000", type: "commit", id, size: 0, path: "env/v" },
    ])
    expect(parseEntries(Buffer.from("fatal: not a tree\0"), "")).toBeUndefined()
  })
})
