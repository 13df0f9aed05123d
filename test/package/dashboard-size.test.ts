// The dashboard is small: what a browser loads for all of its pages, and for the first one.

import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { gzipSync } from "node:zlib"
import { describe, expect, it } from "vitest"

const folder = fileURLToPath(new URL("../../dist/dashboard", import.meta.url))

describe.skipIf(!existsSync(folder))("the built dashboard", () => {
  const sizes = readdirSync(folder).map((name) => {
    return { name, bytes: gzipSync(readFileSync(join(folder, name))).byteLength }
  })
  const total = (all: typeof sizes) => all.reduce((sum, { bytes }) => sum + bytes, 0)

  it("has less than 80 kB in all, and less than half of that at first", () => {
    const page = readFileSync(join(folder, "index.html"), "utf8")
    const first = sizes.filter(({ name }) => name === "index.html" || page.includes(name))
    expect(first.map(({ name }) => name.replace(/-\w+\./, ".")).sort()).toEqual([
      ...["app.css", "app.js", "icon.svg", "index.html"],
    ])
    expect(total(sizes)).toBeLessThan(80_000)
    expect(total(first)).toBeLessThan(40_000)
  })

  it("names no other host", () => {
    const addresses = sizes.flatMap(({ name }) => {
      const text = readFileSync(join(folder, name), "utf8")
      return [...text.matchAll(/\bhttps?:\/\/[\w.-]+/g)].map(([found]) => found)
    })
    const known = ["http://www.w3.org"] // Names of SVG and MathML, which nobody asks for.
    expect(addresses.filter((one) => !known.includes(one))).toEqual([])
  })
})
