// A model of field ownership that shares no code with the one under test: an object is a set of
// paths written as text, an owner is a set of such texts, and the rules are set operations. Also
// makes random schemas and values; no container in them is ever empty, since an empty one is owned
// by rules of its own.

import fc from "fast-check"
import type { Json, JsonObject } from "../../src/base/json.ts"

export type Shape =
  | { readonly kind: "leaf"; readonly values: readonly Json[]; readonly schema: JsonObject }
  | { readonly kind: "struct"; readonly members: Readonly<Record<string, Shape>> }
  | { readonly kind: "map"; readonly entry: Shape }
  | { readonly kind: "set" }
  | { readonly kind: "free" }
  | { readonly kind: "embedded"; readonly members: Readonly<Record<string, Shape>> }
  | {
      readonly kind: "keyed"
      readonly members: Readonly<Record<string, Shape>>
      /** Items have a second key, which they may leave to its default. */
      readonly defaulted: boolean
    }

const leaf = (schema: JsonObject, ...values: readonly Json[]): Shape => ({
  kind: "leaf",
  values,
  schema,
})

const leaves: readonly Shape[] = [
  leaf({ type: "string" }, "x", "y"),
  leaf({ type: "integer" }, 0, 1),
  leaf({ "x-kubernetes-int-or-string": true }, 1, "1", "x"),
  leaf({ type: "array", items: { type: "integer" } }, [1], [1, 2], [2, 1]),
  leaf(
    { type: "object", "x-kubernetes-map-type": "atomic", additionalProperties: { type: "string" } },
    { a: "x" },
    { a: "y", b: "x" },
  ),
]

const names = ["a", "b", "c.d"] as const

/** Where nothing is described, maps divide and lists do not. */
const undescribed: readonly JsonObject[] = [
  { n: 1 },
  { n: 2, m: { in: "x" } },
  { m: { in: "x", also: [1] } },
  { m: { in: "y" }, list: [{ n: 1 }] },
  { n: 1, list: [{ n: 1 }, { n: 2 }] },
]

const embedded: Shape = {
  kind: "embedded",
  members: {
    apiVersion: leaf({ type: "string" }, "v1"),
    kind: leaf({ type: "string" }, "Pod", "Job"),
    metadata: {
      kind: "struct",
      members: {
        name: leaf({ type: "string" }, "p", "q"),
        labels: { kind: "map", entry: leaf({ type: "string" }, "x", "y") },
      },
    },
    rest: { kind: "free" },
  },
}

export const shapes: fc.Arbitrary<Shape> = fc.letrec<{ shape: Shape; struct: Shape }>((tie) => {
  const members = fc.dictionary(fc.constantFrom(...names), tie("shape"), { minKeys: 1, maxKeys: 3 })
  return {
    shape: fc.oneof(
      { maxDepth: 3, depthIdentifier: "shape" },
      fc.constantFrom(...leaves),
      tie("struct"),
      tie("shape").map((entry): Shape => ({ kind: "map", entry })),
      fc.constant<Shape>({ kind: "set" }),
      members.map((all): Shape => ({ kind: "keyed", members: all, defaulted: false })),
      members.map((all): Shape => ({ kind: "keyed", members: all, defaulted: true })),
      fc.constantFrom<Shape>({ kind: "free" }, embedded),
    ),
    struct: members.map((all): Shape => ({ kind: "struct", members: all })),
  }
}).struct

export function schemaOf(shape: Shape): JsonObject {
  const membersOf = (members: Readonly<Record<string, Shape>>) =>
    Object.fromEntries(Object.entries(members).map(([name, one]) => [name, schemaOf(one)]))
  switch (shape.kind) {
    case "leaf":
      return shape.schema
    case "struct":
      return { type: "object", properties: membersOf(shape.members) }
    case "map":
      return { type: "object", additionalProperties: schemaOf(shape.entry) }
    case "set":
      return { type: "array", items: { type: "string" }, "x-kubernetes-list-type": "set" }
    case "free":
      return { type: "object", "x-kubernetes-preserve-unknown-fields": true }
    case "embedded":
      return {
        type: "object",
        "x-kubernetes-embedded-resource": true,
        properties: membersOf({ rest: shape.members.rest ?? { kind: "free" } }),
      }
    case "keyed": {
      const second = { protocol: { type: "string", default: "TCP" } }
      return {
        type: "array",
        "x-kubernetes-list-type": "map",
        "x-kubernetes-list-map-keys": shape.defaulted ? ["key", "protocol"] : ["key"],
        items: {
          type: "object",
          required: ["key"],
          properties: {
            key: { type: "string" },
            ...(shape.defaulted ? second : {}),
            ...membersOf(shape.members),
          },
        },
      }
    }
  }
}

function some(members: Readonly<Record<string, Shape>>, least: number) {
  const all = Object.entries(members).map(([name, one]) =>
    valuesOf(one).map((value) => [name, value] as const),
  )
  return fc
    .tuple(...all)
    .chain((entries) => fc.subarray(entries, { minLength: Math.min(least, entries.length) }))
}

export function valuesOf(shape: Shape): fc.Arbitrary<Json> {
  switch (shape.kind) {
    case "leaf":
      return fc.constantFrom(...shape.values)
    case "struct":
      return some(shape.members, 1).map((entries) => Object.fromEntries(entries))
    case "map":
      return fc.dictionary(fc.constantFrom("k", "l.m"), valuesOf(shape.entry), {
        minKeys: 1,
        noNullPrototype: true,
      })
    case "set":
      return fc.subarray(["p", "q", "r"], { minLength: 1 })
    case "free":
      return fc.constantFrom(...undescribed)
    case "embedded":
      return some(shape.members, 1)
        .map((entries) => Object.fromEntries(entries) as JsonObject)
        .map((all) => ({ apiVersion: "v1", kind: "Pod", ...all }))
    case "keyed": {
      const items: readonly JsonObject[] = shape.defaulted
        ? [{ key: "1" }, { key: "1", protocol: "UDP" }, { key: "2", protocol: "TCP" }, { key: "3" }]
        : [{ key: "1" }, { key: "2" }, { key: "3" }]
      return fc.subarray([...items], { minLength: 1 }).chain((keys) =>
        fc.tuple(
          ...keys.map((item) =>
            some(shape.members, 0)
              .chain((all) => withDefaultOrNot(item).map((keyed) => [keyed, all] as const))
              .map(([keyed, all]) => ({ ...keyed, ...Object.fromEntries(all) })),
          ),
        ),
      )
    }
  }
}

/** The same item, with a key that has its default written out or left away. */
function withDefaultOrNot({ key = "", protocol }: JsonObject): fc.Arbitrary<JsonObject> {
  if (protocol !== "TCP") return fc.constant(protocol === undefined ? { key } : { key, protocol })
  return fc.constantFrom<JsonObject>({ key, protocol }, { key })
}

/** Every path that an object states: leaves with their value, entries and items as such. */
export function statedIn(shape: Shape, value: Json | undefined, path = ""): Map<string, string> {
  const found = new Map<string, string>()
  const add = (all: Map<string, string>) => {
    for (const [at, text] of all) found.set(at, text)
  }
  if (value === undefined || value === null) return found
  if (shape.kind === "leaf") return found.set(path, JSON.stringify(value))
  if (shape.kind === "set") {
    for (const item of value as readonly Json[]) found.set(`${path}[=${JSON.stringify(item)}]`, "")
    return found
  }
  if (shape.kind === "keyed") {
    for (const item of value as readonly JsonObject[]) {
      const { key = "", protocol } = item
      const second = shape.defaulted ? `,protocol=${JSON.stringify(protocol ?? "TCP")}` : ""
      const at = `${path}[key=${JSON.stringify(key)}${second}]`
      found.set(at, "").set(`${at}.key`, JSON.stringify(key))
      if (shape.defaulted && protocol !== undefined) {
        found.set(`${at}.protocol`, JSON.stringify(protocol))
      }
      add(statedIn({ kind: "struct", members: shape.members }, item, at))
    }
    return found
  }
  if (shape.kind === "free" && !isPlain(value)) return found.set(path, JSON.stringify(value))
  for (const [name, member] of Object.entries(value as JsonObject)) {
    const at = `${path}.${name}`
    if (shape.kind === "free") {
      if (isPlain(member)) found.set(at, "")
      add(statedIn(shape, member, at))
      continue
    }
    const inner = shape.kind === "map" ? shape.entry : shape.members[name]
    if (inner === undefined) continue
    if (shape.kind === "map" && inner.kind !== "leaf") found.set(at, "")
    add(statedIn(inner, member, at))
  }
  return found
}

const isPlain = (value: Json | undefined): boolean =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** Whether the path is, or lies below, the other one. */
const within = (path: string, other: string): boolean =>
  path === other || path.startsWith(`${other}.`) || path.startsWith(`${other}[`)

export class OwnershipModel {
  live = new Map<string, string>()
  readonly owners = new Map<string, Set<string>>()

  #others(manager: string): [string, Set<string>][] {
    return [...this.owners].filter(([name]) => name !== manager)
  }

  /** The conflicts, as "manager path"; empty when it was done. */
  apply(manager: string, config: Map<string, string>, force: boolean): string[] {
    const differs = [...config].filter(([path, text]) => this.live.get(path) !== text)
    const conflicts = differs.flatMap(([path]) =>
      this.#others(manager).flatMap(([name, owned]) => (owned.has(path) ? `${name} ${path}` : [])),
    )
    if (conflicts.length > 0 && !force) return conflicts.sort()
    const last = this.owners.get(manager) ?? new Set()
    const next = new Map([...this.live, ...config])
    const owned = (path: string) => this.#others(manager).some(([, set]) => set.has(path))
    for (const path of last) {
      if (config.has(path) || owned(path)) continue
      for (const below of [...next.keys()]) if (within(below, path)) next.delete(below)
    }
    this.#become(next)
    for (const [, set] of this.#others(manager)) for (const [path] of differs) set.delete(path)
    this.owners.set(manager, new Set(config.keys()))
    return []
  }

  update(manager: string, after: Map<string, string>): void {
    const changed = [...after].filter(([path, text]) => this.live.get(path) !== text)
    const own = this.owners.get(manager) ?? new Set()
    this.owners.set(manager, own)
    for (const [name, set] of this.owners) {
      if (name !== manager) for (const [path] of changed) set.delete(path)
    }
    for (const [path] of changed) own.add(path)
    this.#become(after)
  }

  /** Nobody owns what is not there. */
  #become(next: Map<string, string>): void {
    for (const path of this.live.keys()) {
      if (next.has(path)) continue
      for (const set of this.owners.values()) set.delete(path)
    }
    this.live = next
  }
}
