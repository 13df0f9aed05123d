import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { applyJsonPatch, applyMergePatch } from "../../api/json-patch.ts"
import type { Json } from "../../base/json.ts"
import { mergeTree, PatchProblem, patchTree } from "./patch-tree.ts"
import { locateIn, type Path, placeTree, treeValue } from "./placed-tree.ts"

const bounds = { values: 100_000, bytes: 1_000_000, depth: 64 }
const origin = (file: string) => ({
  locate: (path: Path) => ({ file: `${file}:${path.join(".")}`, line: 1, column: 1 }),
})

const words = fc.constantFrom("a", "b", "c")
const json = fc.letrec<{ value: Json; map: Json }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom<Json>(1, 2, "x", true),
    fc.array(tie("value"), { maxLength: 3 }),
    tie("map"),
  ),
  map: fc.dictionary(words, tie("value"), { maxKeys: 3 }),
}))

/** Null removes, so that only patches hold one. */
const mergePatch = fc.dictionary(
  words,
  fc.oneof(fc.constant(null), json.value, fc.dictionary(words, fc.constantFrom(null, 1))),
)

const pointers = fc
  .array(fc.constantFrom("a", "b", "c", "0", "-"), { minLength: 1, maxLength: 2 })
  .map((parts) => `/${parts.join("/")}`)
const operations = fc.array(
  fc.oneof(
    fc.record({ op: fc.constantFrom("add", "replace", "test"), path: pointers, value: json.value }),
    fc.record({ op: fc.constant("remove"), path: pointers }),
    fc.record({ op: fc.constantFrom("copy", "move"), path: pointers, from: pointers }),
  ),
  { minLength: 1, maxLength: 3 },
)

describe("patches on placed values", () => {
  it("merge as the API's own merge patch does", () => {
    fc.assert(
      fc.property(json.map, mergePatch, (target, patch) => {
        const merged = mergeTree(
          placeTree(target, origin("base")),
          placeTree(patch, origin("patch")),
          bounds,
        )
        expect(treeValue(merged)).toEqual(applyMergePatch(target, patch))
      }),
      { numRuns: 300 },
    )
  })

  it("apply operations as the API does, or refuse: they are never looser", () => {
    let applied = 0
    fc.assert(
      fc.property(json.map, operations, (target, patch) => {
        const tree = placeTree(target, origin("base"))
        const steps = patch.map((one) => placeTree(one as Json, origin("patch")))
        let result: Json
        try {
          result = treeValue(patchTree(tree, steps, bounds))
        } catch (error) {
          if (error instanceof PatchProblem) return
          throw error
        }
        applied++
        expect(result).toEqual(applyJsonPatch(target, patch as Json))
        expect(treeValue(tree)).toEqual(target)
      }),
      { numRuns: 1500 },
    )
    expect(applied).toBeGreaterThan(50)
  })

  it("keep the place of every value that is there", () => {
    fc.assert(
      fc.property(json.map, mergePatch, (target, patch) => {
        const merged = mergeTree(
          placeTree(target, origin("base")),
          placeTree(patch, origin("patch")),
          bounds,
        )
        for (const path of leaves(treeValue(merged))) {
          const [file = "", where] = locateIn(merged, path).file.split(":")
          expect(where).toBe(path.join("."))
          const from = file === "base" ? target : patch
          expect(valueAt(from, path)).toEqual(valueAt(treeValue(merged), path))
        }
      }),
      { numRuns: 200 },
    )
  })
})

function leaves(value: Json, path: Path = []): Path[] {
  if (typeof value !== "object" || value === null) return [path]
  const entries = Array.isArray(value) ? [...value.entries()] : Object.entries(value)
  return entries.flatMap(([key, member]) => leaves(member, [...path, key]))
}

function valueAt(value: unknown, path: Path): unknown {
  return path.reduce<unknown>((current, step) => Object(current)[step], value)
}
