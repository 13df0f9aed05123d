import fc from "fast-check"
import { expect, test } from "vitest"
import { ancestorsOf, directoryOf, isNormalPath, nameOf, placeProblem, within } from "./bounds.ts"
import { pathPattern } from "./file-spec.ts"

const part = fc.oneof(
  fc.constantFrom("", ".", "..", "...", ".a", "..a", "a", "a.", "ä", "\n", "\0", " "),
  fc.string({ maxLength: 6, unit: "grapheme" }),
)
const anyPath = fc.array(part, { maxLength: 6 }).map((parts) => parts.join("/"))

test("the schema's pattern accepts exactly the normal paths", () => {
  fc.assert(
    fc.property(anyPath, (path) => {
      expect(pathPattern.test(path)).toBe(isNormalPath(path) && path !== "/")
    }),
    { numRuns: 2000 },
  )
})

test("a normal path falls apart into directory and name, and its ancestors end there", () => {
  fc.assert(
    fc.property(anyPath, (path) => {
      fc.pre(isNormalPath(path) && path !== "/")
      const directory = directoryOf(path)
      expect(`${directory === "/" ? "" : directory}/${nameOf(path)}`).toBe(path)
      expect(ancestorsOf(path).at(-1)).toBe(directory)
      expect(ancestorsOf(path).every((ancestor) => within(ancestor, path))).toBe(true)
    }),
    { numRuns: 2000 },
  )
})

test("no accepted place lies outside of the roots or inside a forbidden directory", () => {
  const bounds = { roots: ["/a", "/srv"], forbidden: ["/a/plane"] }
  const likely = fc.constantFrom("a", "srv", "plane", "planet", "x", "..", ".", "")
  const places = fc.array(likely, { maxLength: 5 }).map((parts) => `/${parts.join("/")}`)
  fc.assert(
    fc.property(places, fc.constantFrom("/", "/a", "/srv/x"), (path, root) => {
      if (placeProblem({ path, root }, bounds) !== undefined) return
      expect(`${path}/`).toMatch(/^\/(a|srv)\//)
      expect(`${path}/`.startsWith("/a/plane/")).toBe(false)
      expect(path.split("/")).not.toContain("..")
      expect(within(root, path)).toBe(true)
    }),
    { numRuns: 5000 },
  )
  expect(placeProblem({ path: "/a/planet", root: "/a" }, bounds)).toBeUndefined()
})
