import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { readFilter } from "./object-filter.ts"
import {
  byName,
  keyOfPath,
  type ObjectRow,
  objectPath,
  partsOf,
  type TreeRow,
  treeRow,
} from "./object-row.ts"
import { buildTree, linesOf, type TreeNode } from "./object-tree.ts"

const row = (name: string, more: Partial<ObjectRow> = {}): TreeRow =>
  treeRow({
    key: `files.host/default/${name}`,
    uid: `uid-${name}`,
    loop: "default.site",
    generation: 1,
    state: "Ready",
    ...more,
  })
const treeOf = (rows: readonly TreeRow[], text = "") =>
  buildTree(rows.toSorted(byName), kinds, filter(text))
const kinds = { "files.host": "File", "sets.host": "Set" }
const filter = (text = "") => readFilter(new URLSearchParams(text))
const every = () => true
const shape = (nodes: readonly TreeNode[]): unknown[] =>
  nodes.map(({ label, children }) => (children.length === 0 ? label : [label, shape(children)]))

describe("the tree of objects", () => {
  const set = row("web", { key: "sets.host/default/web", uid: "uid-web" })
  const rows = [
    row("motd"),
    set,
    row("web-10", { owner: "uid-web" }),
    row("web-9", { owner: "uid-web" }),
  ]

  it("has loops, kinds, objects, and below an object what it owns", () => {
    const { roots, matched } = treeOf(rows)
    expect(shape(roots)).toEqual([
      [
        "default.site",
        [
          ["File", ["motd"]],
          ["Set", [["web", ["web-9", "web-10"]]]],
        ],
      ],
    ])
    expect(matched).toBe(4)
  })

  it("shows owners above what matches, and says that they do not", () => {
    const { roots, matched } = treeOf(rows, "q=web-9")
    expect(shape(roots)).toEqual([["default.site", [["Set", [["web", ["web-9"]]]]]]])
    const lines = linesOf(roots, new Map(), every)
    expect(lines.map(({ node, level }) => [node.label, level, node.aside])).toEqual([
      ["default.site", 1, false],
      ["Set", 2, false],
      ["web", 3, true],
      ["web-9", 4, false],
    ])
    expect(matched).toBe(1)
  })

  it("counts how objects stand, also those that the filter of standings leaves out", () => {
    const bad = row("bad", { state: "Stalled", message: "no such user" })
    const { roots, standings } = treeOf([...rows, bad], "state=Stalled")
    expect(standings).toEqual(
      new Map([
        ["Ready", 4],
        ["Stalled", 1],
      ]),
    )
    expect(shape(roots)).toEqual([["default.site", [["File", ["bad"]]]]])
    expect(treeOf([...rows, bad], "q=SUCH user").matched).toBe(1)
  })

  it("loses no object and shows none twice, whoever owns whom", () => {
    const names = ["a", "b", "c", "d", "e"]
    const owner = fc.option(fc.constantFrom(...names, "nobody"), { nil: undefined })
    fc.assert(
      fc.property(fc.tuple(...names.map(() => owner)), (owners) => {
        const all = names.map((name, index) => {
          const of = owners[index]
          return row(name, of === undefined ? {} : { owner: `uid-${of}` })
        })
        const { roots } = treeOf(all)
        const lines = linesOf(roots, new Map(), every)
        const shown = lines.flatMap(({ node }) => (node.row === undefined ? [] : [node.label]))
        expect(shown.sort()).toEqual(names)
      }),
      { numRuns: 200 },
    )
  })

  it("remembers what was opened and closed", () => {
    const { roots } = treeOf(rows)
    const closed = linesOf(roots, new Map([["loop default.site", false]]), every)
    expect(closed.map(({ open, position, size }) => [open, position, size])).toEqual([
      [false, 1, 1],
    ])
  })
})

describe("the address of an object", () => {
  it("leads back to it, whatever its name", () => {
    const part = fc.stringMatching(/^[^/]{1,20}$/)
    fc.assert(
      fc.property(part, fc.constantFrom("", "default"), part, (type, namespace, name) => {
        const key = `${type}/${namespace}/${name}`
        const path = objectPath(key).split("/").slice(2).map(decodeURIComponent).join("/")
        expect(keyOfPath(path)).toBe(key)
        expect(partsOf(key)).toEqual({ type, namespace, name })
      }),
    )
    expect(keyOfPath("nodes.x/one")).toBe("nodes.x//one")
  })
})
