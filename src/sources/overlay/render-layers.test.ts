import fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { SourceIssue } from "../../contract/source.ts"
import { positionText } from "../../contract/source.ts"
import { manifestLimits } from "../manifests/limits.ts"
import { readFile } from "../manifests/read-file.ts"
import { type FolderFile, layersMax, readLayers } from "./read-layers.ts"

type Tree = Readonly<Record<string, string>>

/** Files by path; a folder exists when a file lies in it. */
async function render(tree: Tree, top: string, limits = manifestLimits) {
  const read = async (folder: string): Promise<readonly FolderFile[] | undefined> => {
    const prefix = folder === "" ? "" : `${folder}/`
    const names = Object.keys(tree).filter((path) => path.startsWith(prefix))
    if (names.length === 0) return undefined
    return names.sort().map((path) => ({
      name: path.slice(prefix.length),
      read: readFile({ path, text: tree[path] ?? "" }, limits),
    }))
  }
  const { files, folders } = await readLayers({ top, hasRoot: true, read, limits })
  const manifests = files.flatMap((file) => file.manifests)
  const issues = files.flatMap((file) => file.issues)
  return { manifests, issues, folders, objects: manifests.map(({ object }) => object) }
}

const said = (issues: readonly SourceIssue[]): string[] =>
  issues.map((one) => `${one.position === undefined ? "" : positionText(one.position)} ${one.code}`)

const file = (name: string, rest = "") => `apiVersion: file.setpoint.dev/v1alpha1
kind: File
metadata:
  name: ${name}
spec:
  path: /srv/${name}
  content: hello
${rest}`

const overlay = (rest: string) => `apiVersion: setpoint.dev/v1alpha1
kind: Overlay
${rest}`

describe("overlays", () => {
  it("gives a folder without an overlay back as it is", async () => {
    const { manifests } = await render({ "site/a.yaml": file("a") }, "site")
    expect(manifests[0]?.object.spec).toEqual({ path: "/srv/a", content: "hello" })
  })

  it("takes the base's manifests, then its own, then patches in their order", async () => {
    const tree = {
      "base/a.yaml": file("a"),
      "env/prod/b.yaml": file("b"),
      "env/prod/overlay.yaml": overlay(`base: ../../base
patches:
  - target: { kind: File, name: a }
    merge: { spec: { content: one, mode: "0600" } }
  - target: { kind: File, name: a }
    json:
      - { op: test, path: /spec/content, value: one }
      - { op: replace, path: /spec/content, value: two }
`),
    }
    const { objects, issues, folders } = await render(tree, "env/prod")
    expect(issues).toEqual([])
    expect(folders).toEqual(["env/prod", "base"])
    expect(objects.map(({ metadata }) => metadata.name)).toEqual(["a", "b"])
    expect(objects[0]?.spec).toEqual({ path: "/srv/a", content: "two", mode: "0600" })
  })

  it("locates each value where it was written: base, merge patch or operation", async () => {
    const tree = {
      "base/a.yaml": file("a", "  mode: '0600'\n"),
      "prod/overlay.yaml": overlay(`base: ../base
patches:
  - target: { kind: File, name: a }
    merge:
      spec:
        content: one
  - target: { kind: File, name: a }
    json:
      - op: add
        path: /spec/owner
        value: root
`),
    }
    const { manifests } = await render(tree, "prod")
    const place = (...path: string[]) => positionText(manifests[0]?.locate(path) ?? nowhere)
    expect(place("spec", "path")).toBe("base/a.yaml:6:9")
    expect(place("spec", "mode")).toBe("base/a.yaml:8:9")
    expect(place("spec", "content")).toBe("prod/overlay.yaml:8:18")
    expect(place("spec", "owner")).toBe("prod/overlay.yaml:13:16")
    expect(positionText(manifests[0]?.position ?? nowhere)).toBe("base/a.yaml:1:1")
  })

  it("removes an object that an environment does not have", async () => {
    const tree = {
      "base/a.yaml": `${file("a")}---\n${file("b")}`,
      "prod/overlay.yaml": overlay(`base: ../base
patches: [{ target: { kind: File, name: b }, remove: true }]
`),
    }
    expect((await render(tree, "prod")).objects.map((one) => one.metadata.name)).toEqual(["a"])
  })

  it("lets the overlay above win over the one below, for variables and patches", async () => {
    const patch = (content: string) =>
      `patches: [{ target: { kind: File, name: a }, merge: { spec: { content: "${content}" } } }]\n`
    const variables = (where: string) => `variables: { where: ${where}, own: ${where} }\n`
    const tree = {
      "base/a.yaml": file("a", `  owner: \${where}\n`),
      "mid/overlay.yaml": overlay(`base: ../base\n${variables("mid")}${patch(`mid \${own}`)}`),
      "top/overlay.yaml": overlay(`base: ../mid\nvariables: { where: top }\n`),
    }
    const { objects, issues } = await render(tree, "top")
    expect(issues).toEqual([])
    expect(objects[0]?.spec).toMatchObject({ owner: "top", content: "mid mid" })
  })
})

const nowhere = { file: "nowhere", line: 0, column: 0 }

describe("variables", () => {
  const one = async (line: string, variables: string) => {
    const tree = {
      "base/a.yaml": file("a", `  value: ${line}\n`),
      "prod/overlay.yaml": overlay(`base: ../base\n${variables}`),
    }
    const { objects, issues } = await render(tree, "prod")
    return issues.length > 0 ? said(issues) : objects[0]?.spec?.value
  }

  it("keep their type as a whole scalar and are written out inside of text", async () => {
    expect(await one(`\${n}`, "variables: { n: 3 }")).toBe(3)
    expect(await one(`\${b}`, "variables: { b: true }")).toBe(true)
    expect(await one(`"\${b}"`, "variables: { b: yes }")).toBe("yes")
    expect(await one(`a-\${n}-\${n}`, "variables: { n: 3 }")).toBe("a-3-3")
    expect(await one(`\${n}`, "variables: { n: 9223372036854775807 }")).toBe(9223372036854775807n)
  })

  it("are left alone where no overlay gives any, and where they are escaped", async () => {
    expect(await one(`\${n}`, "")).toBe(`\${n}`)
    expect(await one(`$\${n} \${n}`, "variables: { n: 3 }")).toBe(`\${n} 3`)
    expect(await one(`\${n:-3} \${#n}`, "variables: { n: 3 }")).toBe(`\${n:-3} \${#n}`)
  })

  it("are never looked through again, so that a value can't name another one", async () => {
    expect(await one(`\${a}`, `variables: { a: "\${b}", b: 1 }`)).toBe(`\${b}`)
  })

  it("that nobody gave are an issue at the scalar that names them", async () => {
    expect(await one(`x-\${m}`, "variables: { n: 3 }")).toEqual([
      "base/a.yaml:8:10 SPT-OVERLAY-009",
    ])
  })

  it("can't make another kind of an object, nor a name that is no text", async () => {
    const tree = (name: string, kind: string) => ({
      "base/a.yaml": file(name).replace("kind: File", `kind: ${kind}`),
      "prod/overlay.yaml": overlay("base: ../base\nvariables: { n: 3, kind: Loop }\n"),
    })
    const { issues } = await render(tree(`\${n}`, "File"), "prod")
    expect(said(issues)).toEqual(["base/a.yaml:4:9 SPT-SOURCE-018"])
    expect((await render(tree("a", `\${kind}`), "prod")).objects[0]?.kind).toBe(`\${kind}`)
  })

  it("can't blow up a source", async () => {
    const long = "x".repeat(10_000)
    const tree = {
      "base/a.yaml": file("a", `  value: "${`\${v}`.repeat(10_000)}"\n`),
      "prod/overlay.yaml": overlay(`base: ../base\nvariables: { v: ${long} }\n`),
    }
    const limits = { ...manifestLimits, sourceBytes: 1_000_000 }
    expect(said((await render(tree, "prod", limits)).issues)).toEqual([
      "base/a.yaml:8:10 SPT-OVERLAY-010",
    ])
  })
})

describe("patches", () => {
  const growing = (operations: number, names = ["a"]) => {
    const copies = Array.from(
      { length: operations },
      (_, index) => `      - { op: copy, from: /spec, path: /spec/more${index} }\n`,
    )
    const patch = (name: string) =>
      `  - target: { kind: File, name: ${name} }\n    json:\n${copies.join("")}`
    const bases = names.map(
      (name) => [`base/${name}.yaml`, file(name, `  value: ${"x".repeat(90_000)}\n`)] as const,
    )
    const text = overlay(`base: ../base\npatches:\n${names.map(patch).join("")}`)
    return { ...Object.fromEntries(bases), "prod/overlay.yaml": text }
  }

  it("can't blow up an object by copies of copies", async () => {
    const small = await render(growing(3), "prod")
    expect(JSON.stringify(small.objects).length).toBeGreaterThan(700_000)
    const { issues, manifests } = await render(growing(16), "prod")
    expect(said(issues)).toEqual(["prod/overlay.yaml:10:9 SPT-OVERLAY-007"])
    expect(issues[0]?.message).toContain("more than 1048576 bytes")
    expect(manifests).toEqual([])
  })

  it("can't blow up a source by many objects", async () => {
    const limits = { ...manifestLimits, sourceBytes: 2_000_000 }
    const { issues } = await render(growing(3, ["a", "b", "c", "d"]), "prod", limits)
    expect(issues[0]?.code).toBe("SPT-OVERLAY-012")
  })

  it("can't make an object too large together with variables", async () => {
    const tree = {
      "base/a.yaml": file("a", `  value: "${`\${v}`.repeat(200)}"\n`),
      "prod/overlay.yaml": overlay(`base: ../base\nvariables: { v: ${"x".repeat(10_000)} }\n`),
    }
    const { issues } = await render(tree, "prod")
    expect(said(issues)).toEqual(["base/a.yaml:1:1 SPT-OVERLAY-011"])
  })
})

describe("an overlay that can't be used", () => {
  const refusal = async (rest: string, more: Tree = {}) => {
    const tree = { "base/a.yaml": file("a"), "env/prod/overlay.yaml": overlay(rest), ...more }
    const { issues, manifests } = await render(tree, "env/prod")
    expect(manifests).toEqual([])
    return said(issues)
  }
  const base = "base: ../../base\n"
  const at = (place: string, code: string) => [`env/prod/overlay.yaml:${place} ${code}`]

  it("has a patch that matches nothing, or more than one", async () => {
    const patch = "patches:\n  - target: { kind: File, name: b }\n    merge: {}\n"
    expect(await refusal(base + patch)).toEqual(at("5:5", "SPT-OVERLAY-005"))
    const twice = { "base/b.yaml": file("b"), "env/prod/b.yaml": file("b") }
    expect(await refusal(base + patch, twice)).toEqual(at("5:5", "SPT-OVERLAY-006"))
  })

  it.each([
    ["base: /etc\n", "3:7", "SPT-OVERLAY-002"],
    ["base: ../../../base\n", "3:7", "SPT-OVERLAY-002"],
    ["base: ../../.git\n", "3:7", "SPT-OVERLAY-002"],
    ["base: ../../base/../nowhere\n", "3:7", "SPT-OVERLAY-002"],
    ["base: .\n", "3:7", "SPT-OVERLAY-002"],
    ["base: ../..\n", "3:7", "SPT-OVERLAY-002"],
    ["base: [a]\n", "3:7", "SPT-OVERLAY-001"],
    ["bases: [a]\n", "3:8", "SPT-OVERLAY-001"],
    ["variables: [a]\n", "3:12", "SPT-OVERLAY-001"],
    ["variables: { a: [] }\n", "3:17", "SPT-OVERLAY-001"],
    ["variables: { 'a b': 1 }\n", "3:21", "SPT-OVERLAY-001"],
    ["patches: [{ target: { kind: File, name: a } }]\n", "3:11", "SPT-OVERLAY-001"],
    ["patches: [{ target: { kind: File }, merge: {} }]\n", "3:21", "SPT-OVERLAY-001"],
    ["patches: [{ target: { kind: File, name: a }, json: [{ op: x }] }]\n", "3:53", ""],
  ])("%s", async (rest, place, code) => {
    expect((await refusal(rest))[0]).toContain(at(place, code)[0]?.trimEnd())
  })

  it.each([
    ["json: [{ op: replace, path: /spec/nothing, value: 1 }]", "SPT-OVERLAY-007"],
    ["json: [{ op: remove, path: /spec/nothing }]", "SPT-OVERLAY-007"],
    ["json: [{ op: test, path: /spec/content, value: other }]", "SPT-OVERLAY-007"],
    ["json: [{ op: add, path: /spec/content/0, value: 1 }]", "SPT-OVERLAY-007"],
    ["json: [{ op: add, path: /spec/__proto__, value: 1 }]", "SPT-OVERLAY-001"],
    ["merge: { metadata: { name: b } }", "SPT-OVERLAY-008"],
    ["merge: { metadata: { namespace: b } }", "SPT-OVERLAY-008"],
    ["merge: { kind: Loop }", "SPT-OVERLAY-008"],
    ["json: [{ op: remove, path: /kind }]", "SPT-OVERLAY-008"],
  ])("has the patch %s", async (change, code) => {
    const patch = `patches:\n  - target: { kind: File, name: a }\n    ${change}\n`
    expect((await refusal(base + patch))[0]).toContain(code)
  })

  it("copies without end", async () => {
    const copies = Array.from(
      { length: 60 },
      (_, n) => `      - { op: copy, from: /spec, path: /spec/x${n} }\n`,
    )
    const patch = `patches:\n  - target: { kind: File, name: a }\n    json:\n${copies.join("")}`
    expect((await refusal(base + patch))[0]).toContain("SPT-OVERLAY-007")
  })

  it("lies below the top, or in another file, or not alone", async () => {
    const inner = { "base/inner/overlay.yaml": overlay("") }
    expect(await refusal(base, inner)).toEqual(["base/inner/overlay.yaml:1:1 SPT-OVERLAY-003"])
    const other = { "base/b.yaml": overlay("") }
    expect(await refusal(base, other)).toEqual(["base/b.yaml:1:1 SPT-SOURCE-023"])
    const both = { "env/prod/overlay.yaml": `${file("b")}---\n${overlay("")}` }
    expect(await refusal("", both)).toEqual(["env/prod/overlay.yaml:9:1 SPT-SOURCE-023"])
  })

  it("leads back to where it began, or further than a chain may go", async () => {
    const circle = { "base/overlay.yaml": overlay("base: ../env/prod\n") }
    expect(await refusal(base, circle)).toEqual(["base/overlay.yaml:3:7 SPT-OVERLAY-002"])
    const chain = Object.fromEntries(
      Array.from({ length: layersMax + 1 }, (_, n) => [
        `c${n}/overlay.yaml`,
        overlay(`base: ../c${n + 1}\n`),
      ]),
    )
    expect((await refusal("base: ../../c0\n", chain))[0]).toContain("SPT-OVERLAY-004")
  })

  it("changes a manifest that can't be read itself", async () => {
    expect(await refusal(base, { "base/a.yaml": "a: [" })).toEqual([
      "base/a.yaml:1:5 SPT-SOURCE-006",
    ])
  })
})

describe("rendering", () => {
  const words = fc.constantFrom("a", "b", "c")
  const patches = fc.array(fc.tuple(words, words, fc.integer({ min: 0, max: 9 })), { maxLength: 8 })

  it("is the same for the same files in whatever order they were written", async () => {
    await fc.assert(
      fc.asyncProperty(patches, fc.boolean(), async (list, reversed) => {
        const lines = list.map(
          ([name, field, n]) =>
            `  - { target: { kind: File, name: ${name} }, merge: { spec: { ${field}: ${n} } } }\n`,
        )
        const body = `base: ../base\npatches:${lines.length === 0 ? " []" : ""}\n${lines.join("")}`
        const entries: [string, string][] = [
          ["base/a.yaml", file("a")],
          ["base/b.yaml", file("b")],
          ["prod/c.yaml", file("c")],
          ["prod/overlay.yaml", overlay(body)],
        ]
        const tree = Object.fromEntries(reversed ? entries.reverse() : entries)
        const { objects, issues } = await render(tree, "prod")
        expect(issues).toEqual([])
        expect(objects.map((one) => one.metadata.name)).toEqual(["a", "b", "c"])
        for (const { metadata, spec } of objects) {
          const last = new Map(list.filter(([n]) => n === metadata.name).map(([, f, n]) => [f, n]))
          expect(spec).toEqual({
            path: `/srv/${metadata.name}`,
            content: "hello",
            ...Object.fromEntries(last),
          })
        }
      }),
      { numRuns: 60 },
    )
  })
})
