import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { commandLines } from "./command-lines.ts"
import type { Relation } from "./object-view.ts"
import { layOut } from "./relation-layout.ts"

const nodes = (...keys: string[]) => keys.map((key) => ({ key }))
const columns = (relations: readonly Relation[], keys: readonly string[]) => {
  const { nodes: placed } = layOut({ nodes: nodes(...keys), relations, cut: false })
  const xs = [...new Set(placed.map(({ x }) => x))].sort((one, other) => one - other)
  return Object.fromEntries(placed.map(({ node, x }) => [node.key, xs.indexOf(x)]))
}

describe("the picture of ties", () => {
  it("has what comes first on the left", () => {
    const relations: Relation[] = [
      { from: "parent", to: "child", kind: "owns" },
      { from: "taker", to: "child", kind: "refers", field: "x" },
    ]
    expect(columns(relations, ["taker", "child", "parent"])).toEqual({
      ...{ parent: 0, child: 1, taker: 2 },
    })
  })

  it("places every box once and ends, also in circles", () => {
    const keys = ["a", "b", "c", "d"]
    const tie = fc.record({
      from: fc.constantFrom(...keys),
      to: fc.constantFrom(...keys),
      kind: fc.constantFrom("owns" as const, "refers" as const),
    })
    fc.assert(
      fc.property(fc.array(tie, { maxLength: 8 }), (relations) => {
        const placed = layOut({ nodes: nodes(...keys), relations, cut: false })
        const places = placed.nodes.map(({ x, y }) => `${x} ${y}`)
        expect(new Set(places).size).toBe(keys.length)
        expect(placed.edges).toHaveLength(relations.length)
        for (const { x, y } of placed.nodes) {
          expect(x + y).toBeLessThan(placed.width + placed.height)
        }
      }),
    )
  })
})

describe("commands", () => {
  it("name the object, its namespace, and nothing for the shell", () => {
    const view = {
      object: "files.host.dev/prod/it's; rm",
      kind: "File",
      name: "it's; rm",
      log: true,
    }
    const all = commandLines(view).map(({ command }) => command)
    expect(all).toContain("setpoint explain file 'it'\\''s; rm' -n prod")
    expect(all).toContain("kubectl get files.host.dev 'it'\\''s; rm' -n prod -o yaml")
    expect(all).toContain("setpoint logs file 'it'\\''s; rm' -n prod --follow")
    const plain = { object: "nodes.x//one", kind: "Node", name: "one", log: false }
    expect(commandLines(plain)[3]?.command).toBe("kubectl get nodes.x one -o yaml")
  })
})
