import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { isArray, isObject, type Json } from "../../base/json.ts"
import { manifestLimits } from "./limits.ts"
import { readFile, readWholeYaml } from "./read-file.ts"
import { readPlain } from "./read-plain.ts"

const path = "a.yaml"

function* pathsOf(
  value: Json | undefined,
  at: (string | number)[] = [],
): Generator<(string | number)[]> {
  yield at
  if (isArray(value))
    for (const [index, item] of value.entries()) yield* pathsOf(item, [...at, index])
  else if (isObject(value)) {
    for (const [name, item] of Object.entries(value)) yield* pathsOf(item, [...at, name])
  }
}

/** Objects and the place of every value in them, or the issues. */
function told(read: ReturnType<typeof readFile>) {
  const manifests = read.manifests.map((manifest) => {
    const object = manifest.object as object as Json
    const places = [...pathsOf(object)].map((at) => [at.join("."), manifest.locate(at)])
    return { object, position: manifest.position, places }
  })
  return { manifests, issues: read.issues }
}

function agree(text: string): void {
  const file = { path, text }
  expect(told(readFile(file, manifestLimits))).toEqual(told(readWholeYaml(file, manifestLimits)))
}

const example = `# A page
apiVersion: host.setpoint.dev/v1
kind: File
metadata: {name: motd, uid: "a b"}
spec:
  # where
  path: /etc/motd
  mode: "0644"
  content: |
    hi: there
      more

    # not a comment
  list:
  - a
  - name: 'it''s'
    port: 80
    url: http://x:80/y
  flags: [true, 12, 10m, "x"]
---
apiVersion: v1
kind: ConfigMap
metadata:
  name: c
data:
  a: |-
    one
    two


  b: yes
`

const head = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: c\n"

describe("plain manifests", () => {
  it("are read without the YAML library, with the same values and places", () => {
    expect(readPlain(example, manifestLimits)).toHaveLength(2)
    agree(example)
  })

  it.each([
    "a: 0755",
    "a: 1.5",
    "a: 1e3",
    "a: 0x1f",
    "a: 0o17",
    "a: .5",
    "a: -3",
    "a: +3",
    "a: ~",
    "a: null",
    "a: True",
    "a: NO",
    "a: 1_000",
    "a: 12345678901234567890",
    "a: 1.2.3",
    "a: 10m",
    "a: 2026-11-15",
    "a: 1:30",
    "a: b: c",
    "a: b #c",
    "a: b#c",
    "a: 'x' # c",
    'a: "x\\u0041"',
    'a: "x\\z"',
    "a: &b c",
    "a: *b",
    "a: !t c",
    "a: >\n  x",
    "a: |+\n  x\n",
    "a: |2\n   x",
    "a: |\n\n  x",
    "a: |\n  x\n # c\nb: 1",
    "a: |\n    x\n  y",
    "a:\n  b",
    "a: b\n  c",
    "a:",
    "a:\nb: c",
    "a:\n- x\nb: y",
    "a:\n  - x\n  y: z",
    "a: {b: c, b: d}",
    "a: {b: c,}",
    "a: [a,b]",
    "a: [a, [b]]",
    "a: {b}",
    "a: {b: }",
    "a: [a b, c]",
    "a: b\na: c",
    "__proto__: x",
    "? a\n: b",
    "- x",
    "a: [",
    "a: 'x",
    "a: `x`",
    "a: @x",
    "a: %x",
    "a: b:",
    "a: -",
    "a: --- b",
    "a: x\n--- y",
    "a: x\n...\nb: y",
    "a: \u00e9",
    "a: x\u2028y",
    "1: x",
    "true: x",
    "a: - b",
    "a:  b  ",
    "a: ---",
    "a: 5e",
    "a: 7 days",
    "a: 1,000",
    "a: 0",
    "a: 00",
    "a: 1.",
    "a: 08h",
    "a: 1e",
    "a: 1 2",
    "a: 3-4",
    "a: 1/2",
    "a: 1=2",
    "a: 1x.y.z",
  ])("agree with the full reader on %j", (line) => {
    agree(`${head}data:\n${line.replaceAll(/^/gm, "  ")}\n`)
    agree(`${head}${line}\n`)
    agree(`${line}\n`)
  })

  it("agree with the full reader on any change of a good text", () => {
    const pieces = fc.constantFrom(
      ..."\n -:#'\"|[]{},.0e1xa~&*!?%@`\\\t\r".split(""),
      ": ",
      " #",
      "- ",
      "\n  ",
      "|\n",
      "---\n",
      "true",
      "1.5",
      "''",
    )
    const edit = fc.record({
      at: fc.nat(example.length),
      cut: fc.nat(12),
      put: fc.array(pieces, { maxLength: 3 }).map((parts) => parts.join("")),
    })
    fc.assert(
      fc.property(fc.array(edit, { minLength: 1, maxLength: 3 }), (edits) => {
        let text = example
        for (const { at, cut, put } of edits) text = text.slice(0, at) + put + text.slice(at + cut)
        agree(text)
      }),
      { numRuns: 400 },
    )
  })

  it("leaves what is too deep or too much to the full reader", () => {
    const deep = Array.from({ length: 30 }, (_, at) => `${" ".repeat(at)}a:`).join("\n")
    expect(readPlain(`${deep} x\n`, manifestLimits)).toBeUndefined()
    expect(readPlain(example, { ...manifestLimits, nodesPerFile: 5 })).toBeUndefined()
  })
})
