import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import fc from "fast-check"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { labelOf, loopNameOf, readUpFolder } from "./up-folder.ts"

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "spt-up-"))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const write = (name: string, text: string) => writeFileSync(join(folder, name), text)
const loop = (name: string, path: string) =>
  [
    "apiVersion: setpoint.dev/v1alpha1",
    "kind: Loop",
    `metadata: {name: ${name}}`,
    `spec: {source: {directory: {path: ${path}}}}`,
    "",
  ].join("\n")

describe("the name of a folder's loop", () => {
  it("is a DNS label whatever the folder is called, or nothing", () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 300, unit: "grapheme" }), (text) => {
        const label = labelOf(text, 40)
        expect(label).toMatch(/^([a-z0-9]([a-z0-9-]*[a-z0-9])?)?$/)
        expect(label.length).toBeLessThanOrEqual(40)
      }),
      { numRuns: 500 },
    )
  })

  it("keeps letters and digits and says when there are none", () => {
    expect(loopNameOf("/srv/My Site (v2)", "default")).toBe("my-site-v2")
    expect(loopNameOf("/srv/Café", "default")).toBe("cafe")
    expect(() => loopNameOf("/srv/...", "default")).toThrow("holds no letter or digit")
  })
})

describe("what a folder asks for", () => {
  it("is one loop of its own when no Loop lies at its top", () => {
    write("a.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n")
    mkdirSync(join(folder, "sub"))
    writeFileSync(join(folder, "sub", "loop.yaml"), loop("deep", "./x"))
    expect(readUpFolder(folder, "default").loops).toEqual([])
  })

  it("is its Loop objects, placed, when there is nothing else", () => {
    write("a.yaml", `${loop("one", "./one")}---\n${loop("two", "/srv/two")}`)
    write(".hidden.yaml", "kind: nonsense")
    const { loops } = readUpFolder(folder, "apps")
    expect(loops.map(({ metadata }) => metadata)).toEqual([
      { name: "one", namespace: "apps" },
      { name: "two", namespace: "apps" },
    ])
    expect(loops[0]?.spec).toEqual({ source: { directory: { path: join(folder, "one") } } })
    expect(loops[1]?.spec).toEqual({ source: { directory: { path: "/srv/two" } } })
  })

  it("is left to the source when a manifest is broken and none is a Loop", () => {
    write("a.yaml", "kind: [ # a Loop is not here\n")
    expect(readUpFolder(folder, "default").loops).toEqual([])
  })

  it("is refused when a Loop can't be read, or would hold itself", () => {
    write("a.yaml", `${loop("one", "./one")}---\nkind: [\n`)
    expect(() => readUpFolder(folder, "default")).toThrow(/a\.yaml:\d+:\d+/)
    write("a.yaml", loop("one", ".."))
    expect(() => readUpFolder(folder, "default")).toThrow("inside its own source")
  })
})
