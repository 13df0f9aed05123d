import { describe, expect, it } from "vitest"
import { z } from "zod"
import { at, isArray } from "../base/json.ts"
import { type CompositeInput, defineComposite } from "./define-composite.ts"

const spec = z.strictObject({ count: z.int().default(1) })
const input: CompositeInput<typeof spec> = {
  ...{ group: "example.com", version: "v1", kind: "Shelf", plural: "shelves", spec },
  children: [{ group: "sim.setpoint.dev", kind: "Widget" }],
  scale: { spec: "spec.count", status: "status.count" },
  compose: ({ parent }) => ({ children: [], status: { count: parent.spec.count } }),
}

describe("defineComposite", () => {
  it("makes a definition with the number that can be scaled, and nothing to adopt", () => {
    const { definition, resource, namespaced, reported } = defineComposite(input)
    expect([resource, namespaced, reported]).toEqual(["shelves", true, undefined])
    expect(definition.metadata.name).toBe("shelves.example.com")
    const versions = definition.spec?.versions
    const version = isArray(versions) ? versions[0] : undefined
    const fields = at(version, "schema", "openAPIV3Schema", "properties", "spec", "properties")
    expect(Object.keys(fields ?? {})).toEqual(["count"])
    expect(at(version, "subresources", "scale")).toEqual({
      specReplicasPath: ".spec.count",
      statusReplicasPath: ".status.count",
    })
  })

  it("gives compose the parent with its spec", () => {
    const parent = { apiVersion: "example.com/v1", kind: "Shelf", metadata: { name: "a" } }
    const asked = { parent: { ...parent, spec: { count: 3 } }, children: [], related: [], now: 0 }
    expect(defineComposite(input).compose(asked)).toEqual({ children: [], status: { count: 3 } })
  })

  it("makes declared data of a kind without compose", () => {
    const { compose: _, children: _children, ...plain } = input
    const kind = defineComposite(plain)
    expect(kind.reported).toBe(true)
    const parent = { apiVersion: "", kind: "", metadata: { name: "a" }, status: { known: 1 } }
    const said = kind.compose({ parent, children: [], related: [], now: 0 })
    expect(said).toEqual({ children: [], status: { known: 1 } })
  })

  it.each([
    ["a name that is no kind's", { kind: "shelf" }, "CamelCase"],
    ["a group that is no domain", { group: "shelves" }, "domain"],
    ["itself as a child", { children: [{ group: "example.com", kind: "Shelf" }] }, "itself"],
    ["children and no compose", { compose: undefined as never }, "without compose"],
    ["a compose that is none", { compose: 1 as never }, "compose is not a function"],
  ])("refuses %s", (_what, wrong, cause) => {
    expect(() => defineComposite({ ...input, ...wrong })).toThrow(cause)
  })
})
