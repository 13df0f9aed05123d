// Promises of the manifest reader: all or nothing, exact places, bounded whatever the text.

import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { stringify } from "yaml"
import { equalJson, type Json } from "../../base/json.ts"
import { manifestLimits } from "./limits.ts"
import { type ManifestOptions, readManifests } from "./read-manifests.ts"

const head = (name: string, kind = "File") =>
  `apiVersion: host.setpoint.dev/v1\nkind: ${kind}\nmetadata: { name: ${name} }\n`

function read(text: string, options: ManifestOptions = {}) {
  return readManifests([{ path: "site/a.yaml", text }], options)
}

function manifests(text: string, options: ManifestOptions = {}) {
  const result = read(text, options)
  if ("issues" in result) throw new Error(JSON.stringify(result.issues))
  return result.manifests
}

function issue(text: string, options: ManifestOptions = {}) {
  const result = read(text, options)
  if (!("issues" in result)) throw new Error("expected issues")
  const [first] = result.issues
  if (first === undefined) throw new Error("expected an issue")
  expect(first.hint).not.toBe("")
  expect(first.message).toMatch(/^cannot /)
  const { position } = first
  return { ...first, at: position && `${position.file}:${position.line}:${position.column}` }
}

describe("what is read", () => {
  it("reads many documents of one file, each with its place", () => {
    const found = manifests(`# first\n${head("a")}---\n${head("b")}---\n---\n# nothing\n`)
    expect(found.map((manifest) => manifest.object.metadata.name)).toEqual(["a", "b"])
    expect(found.map((manifest) => manifest.position.line)).toEqual([2, 6])
  })

  it("reads JSON, with escapes, the same as YAML", () => {
    const object = {
      apiVersion: "v1",
      kind: "Note",
      metadata: { name: "a" },
      spec: { text: 'tab\t "quoted" \u{1f600} \\ /', list: [1, -2.5, true, null, {}] },
    }
    expect(manifests(JSON.stringify(object, null, "\t"))[0]?.object).toEqual(object)
    expect(manifests(stringify(object))[0]?.object).toEqual(object)
  })

  it("unfolds a List, and a List in a List", () => {
    const item = (name: string) => ({ apiVersion: "v1", kind: "Note", metadata: { name } })
    const list = (items: object[]) => ({ apiVersion: "v1", kind: "List", items })
    const text = JSON.stringify(list([item("a"), list([item("b"), item("c")])]))
    const found = manifests(text)
    expect(found.map((manifest) => manifest.object.metadata.name)).toEqual(["a", "b", "c"])
    expect(found[1]?.position.column).toBe(
      text.indexOf('{"apiVersion":"v1","kind":"Note"', 100) + 1,
    )
    expect(issue("apiVersion: v1\nkind: List\nitems: 3\n").code).toBe("SPT-SOURCE-021")
  })

  it("reads an empty source and files of comments as no manifests", () => {
    expect(readManifests([])).toEqual({ manifests: [] })
    expect(manifests("# nothing here\n---\n")).toEqual([])
    expect(manifests("\n\n")).toEqual([])
  })

  it("maps a path of a schema error to the line and column of the value", () => {
    const list = "  list:\n    - x: 1\n    - y: [a, b]\n"
    const text = `${head("a")}spec:\n  10: ten\n  2: two\n${list}  empty:\n`
    const [manifest] = manifests(text)
    const at = (...path: (string | number)[]) => {
      const position = manifest?.locate(path)
      return `${position?.line}:${position?.column}`
    }
    expect(at("spec", "10")).toBe("5:7")
    expect(at("spec", "2")).toBe("6:6")
    expect(at("spec", "list", 1, "y", 1)).toBe("9:14")
    expect(at("spec", "empty")).toBe("10:3")
    expect(at("spec", "list", 7)).toBe("8:5")
    expect(at("nothing", "here")).toBe("1:1")
  })
})

describe("what is refused, with its place", () => {
  const refusals: [string, string, string, string][] = [
    ["broken syntax", `${head("a")}spec: [1, 2\n`, "SPT-SOURCE-006", "site/a.yaml:5:1"],
    ["an anchor", `${head("a")}spec: &x {}\n`, "SPT-SOURCE-007", "site/a.yaml:4:7"],
    ["an alias", `${head("a")}spec: *x\n`, "SPT-SOURCE-007", "site/a.yaml:4:7"],
    ["a tag", `${head("a")}spec: !!js/function x\n`, "SPT-SOURCE-008", "site/a.yaml:4:7"],
    ["a merge key", `${head("a")}spec: { "a": 1, <<: {} }\n`, "SPT-SOURCE-009", "site/a.yaml:4:17"],
    ["a key twice", `${head("a")}spec: { a: 1, "a": 2 }\n`, "SPT-SOURCE-010", "site/a.yaml:4:15"],
    ["__proto__", `${head("a")}spec: { __proto__: 1 }\n`, "SPT-SOURCE-011", "site/a.yaml:4:9"],
    ["constructor", `${head("a")}constructor: 1\n`, "SPT-SOURCE-011", "site/a.yaml:4:1"],
    [
      "65 bits",
      `${head("a")}spec: { n: 18446744073709551617 }\n`,
      "SPT-SOURCE-012",
      "site/a.yaml:4:12",
    ],
    ["infinity", `${head("a")}spec: { n: .inf }\n`, "SPT-SOURCE-012", "site/a.yaml:4:12"],
    ["0644", `${head("a")}spec: { mode: 0644 }\n`, "SPT-SOURCE-013", "site/a.yaml:4:15"],
    ["a directive", `%YAML 1.1\n---\n${head("a")}`, "SPT-SOURCE-015", "site/a.yaml:1:1"],
    ["a NUL", `${head("a")}spec: "\0"\n`, "SPT-SOURCE-016", "site/a.yaml:4:8"],
    ["a sequence", "- a\n", "SPT-SOURCE-017", "site/a.yaml:1:1"],
    ["plain text", "hello\n", "SPT-SOURCE-017", "site/a.yaml:1:1"],
    ["no kind", "apiVersion: v1\nmetadata: {name: a}\n", "SPT-SOURCE-018", "site/a.yaml:1:1"],
    ["a numeric name", head("7"), "SPT-SOURCE-018", "site/a.yaml:3:19"],
    ["an own Loop", head("x", "Loop").replace("host.", ""), "SPT-SOURCE-020", "site/a.yaml:1:1"],
    ["a Plane", head("local", "Plane").replace("host.", ""), "SPT-SOURCE-020", "site/a.yaml:1:1"],
  ]
  it.each(refusals)("refuses %s", (_, text, code, at) => {
    expect(issue(text)).toMatchObject({ code, at })
  })

  it("names both places of an object that is declared twice", () => {
    const files = [
      { path: "a.yaml", text: head("motd") },
      { path: "b.yaml", text: `${head("other")}---\n${head("motd").replace("v1", "v2")}` },
    ]
    const result = readManifests(files)
    expect("issues" in result && result.issues[0]?.message).toContain(
      "a.yaml:1:1 and at b.yaml:5:1",
    )
  })

  it("takes a missing namespace as the loop's when it looks for duplicates", () => {
    const text = `${head("a")}---\n${head("a").replace("name: a", "name: a, namespace: prod")}`
    expect(manifests(text)).toHaveLength(2)
    expect(issue(text, { namespace: "prod" }).code).toBe("SPT-SOURCE-019")
  })

  it("takes Loops where they are allowed, and Planes and Plans never", () => {
    const loop = head("x", "Loop").replace("host.", "")
    expect(manifests(loop, { allowLoops: true })).toHaveLength(1)
    const plan = head("x", "Plan").replace("host.", "")
    expect(issue(plan, { allowLoops: true }).code).toBe("SPT-SOURCE-020")
  })

  it("answers with no manifest at all when one of many files is broken", () => {
    const files = [
      { path: "a.yaml", text: head("a") },
      { path: "b.yaml", text: "a: [" },
    ]
    expect(readManifests(files)).not.toHaveProperty("manifests")
  })

  it("does not pollute prototypes through quoted or escaped keys", () => {
    expect(issue(`${head("a")}spec: { "__proto\\u005f_": { polluted: 1 } }\n`).code).toBe(
      "SPT-SOURCE-011",
    )
    expect({}).not.toHaveProperty("polluted")
  })
})

describe("bounds", () => {
  const deep = 100_000
  const bombs: [string, string, RegExp][] = [
    ["flow sequences", "[".repeat(deep), /deeper than 64/],
    ["closed flow sequences", "[".repeat(deep) + "]".repeat(deep), /deeper than 64/],
    ["flow mappings", "{a: ".repeat(deep), /deeper than 64/],
    ["block sequences", `${"- ".repeat(deep)}x`, /deeper than 64/],
    ["explicit keys", `${"? ".repeat(deep)}x`, /deeper than 64/],
    ["inline mappings", `${"a: ".repeat(deep)}x`, /deeper than 64/],
    ["JSON", '{"a":'.repeat(deep) + "1".padEnd(deep, "}"), /deeper than 64/],
    ["indented mappings", indented(1000), /deeper than 64/],
    ["quotes", '"'.repeat(1_000_000), /separator|more than/],
    ["documents", "---\n".repeat(250_000), /more than 100000/],
    ["values", `a: [${"1,".repeat(400_000)}]`, /more than 100000/],
    ["keys", Array.from({ length: 100_001 }, (_, at) => `k${at}:\n`).join(""), /more than 100000/],
  ]
  it.each(bombs)("stops at a flood of %s with a clear issue", (_, text, message) => {
    expect(issue(text).message).toMatch(message)
  })

  it("takes exactly the allowed depth and not one more", () => {
    const nest = (levels: number) =>
      `${head("a")}spec: ${"[".repeat(levels)}${"]".repeat(levels)}\n`
    expect(manifests(nest(manifestLimits.depth - 1))).toHaveLength(1)
    expect(issue(nest(manifestLimits.depth)).code).toBe("SPT-SOURCE-004")
  })

  it("says where a value is wrong and never what it is: the file may hold a Secret", () => {
    const values = [">pa55word", "|pa55word", "!pa55word x", "&pa55word x", "*pa55word"]
    values.push('"\\pa55word"', "@pa55word", "[pa55word", "0555123", "1555123000111222333444")
    for (const value of values) {
      const found = issue(`${head("a")}stringData: { pin: 1 }\nx: ${value}\n`)
      expect(found.at, value).toMatch(/^site\/a\.yaml:[56]:\d+$/)
      expect(JSON.stringify(found), value).not.toMatch(/pa55|555123/)
    }
  })

  it("refuses a YAML bomb at its first anchor", () => {
    const levels = Array.from({ length: 9 }, (_, at) => {
      return `l${at + 1}: &l${at + 1} [${Array(9).fill(`*l${at}`).join(",")}]`
    })
    expect(issue(`l0: &l0 [lol]\n${levels.join("\n")}\n`)).toMatchObject({
      code: "SPT-SOURCE-007",
      at: "site/a.yaml:1:5",
    })
  })

  it("refuses files and sources that are too large", () => {
    const limits = { ...manifestLimits, sourceBytes: 200, documents: 3 }
    expect(issue(`# ${"x".repeat(manifestLimits.fileBytes)}`).code).toBe("SPT-SOURCE-001")
    expect(issue(`# ${"x".repeat(300)}`, { limits }).code).toBe("SPT-SOURCE-002")
    const four = ["a", "b", "c", "d"].map((name) => ({
      path: name,
      text: `{apiVersion: v1, kind: K, metadata: {name: ${name}}}`,
    }))
    expect(readManifests(four, { limits: { ...limits, sourceBytes: 1e6 } })).toMatchObject({
      issues: [{ code: "SPT-SOURCE-003" }],
    })
  })

  it("reports a bounded number of issues and counts the rest", () => {
    const files = Array.from({ length: 300 }, (_, at) => ({ path: `${at}.yaml`, text: "a: [" }))
    const result = readManifests(files)
    const issues = "issues" in result ? result.issues : []
    expect(issues).toHaveLength(manifestLimits.issues + 1)
    expect(issues.at(-1)?.code).toBe("SPT-SOURCE-022")
  })
})

describe("properties", () => {
  const key = fc
    .string({ minLength: 1, maxLength: 8, unit: "grapheme" })
    .filter((text) => !["__proto__", "constructor", "prototype"].includes(text))
  const leaf = fc.oneof(
    fc.string({ unit: "grapheme" }),
    fc.boolean(),
    fc.integer(),
    fc.constant(null),
  )
  const { value } = fc.letrec<{ value: Json }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 4 },
      leaf,
      fc.array(tie("value"), { maxLength: 4 }),
      fc.dictionary(key, tie("value"), { maxKeys: 4 }),
    ),
  }))

  it("reads back whatever JSON and YAML writers write", () => {
    const property = fc.property(value, fc.boolean(), (spec, json) => {
      const object = { apiVersion: "v1", kind: "K", metadata: { name: "a" }, spec: { value: spec } }
      const text = json ? JSON.stringify(object) : stringify(object)
      const found = manifests(text)[0]?.object.spec
      expect(equalJson(found, object.spec)).toBe(true)
    })
    fc.assert(property, { numRuns: 300 })
  })

  it("never throws and never answers with both, whatever the text", () => {
    const piece = fc.constantFrom(
      ..."[]{}:,-?|>&*!%#\"'\n \ta1~<\\@`.\r".split(""),
      "\n---\n",
      "a: ",
    )
    const property = fc.property(fc.array(piece, { maxLength: 60 }), (pieces) => {
      const result = read(pieces.join(""))
      if (!("issues" in result)) return
      expect(result.issues.length).toBeGreaterThan(0)
      for (const found of result.issues) expect(found.position?.line).toBeGreaterThan(0)
    })
    fc.assert(property, { numRuns: 2000 })
  })

  it("locates every leaf of a JSON text at its own characters", () => {
    const property = fc.property(
      fc.array(fc.integer(), { minLength: 1, maxLength: 20 }),
      (list) => {
        const object = { apiVersion: "v1", kind: "K", metadata: { name: "a" }, list }
        const text = JSON.stringify(object, null, 2)
        const lines = text.split("\n")
        const [manifest] = manifests(text)
        for (const [at, number] of list.entries()) {
          const place = manifest?.locate(["list", at])
          const line = lines[(place?.line ?? 0) - 1] ?? ""
          expect(line.slice((place?.column ?? 0) - 1)).toMatch(new RegExp(`^${number},?$`))
        }
      },
    )
    fc.assert(property, { numRuns: 100 })
  })
})

function indented(levels: number): string {
  return Array.from({ length: levels }, (_, at) => `${" ".repeat(at)}a:\n`).join("")
}
