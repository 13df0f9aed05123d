import { afterEach, beforeAll, describe, expect, it } from "vitest"
import type { Json, JsonObject } from "../../src/base/json.ts"
import type { ApiObject, ResourceRef } from "../../src/object/object.ts"
import { type ApiWorld, alice, definitions, faultOf, openApiWorld } from "./client-world.ts"
import { causesOf } from "./definition-world.ts"
import {
  countFields,
  Dice,
  largeDefinition,
  objectShape,
  type Sample,
  sampleOf,
  versions,
  younger,
} from "./large-definition.ts"
import { fewOfEach, mistakesIn } from "./large-mistakes.ts"

const shape = objectShape(new Dice(4), 7)
const refOf = (version: string): ResourceRef => {
  return { group: "large.example.dev", version, resource: "giants" }
}
const ref = refOf("v1")

const giant = (name: string, spec: Json, version = "v1"): ApiObject => ({
  apiVersion: `large.example.dev/${version}`,
  kind: "Giant",
  metadata: { name, namespace: "default" },
  spec: spec as JsonObject,
})

let world: ApiWorld
beforeAll(async () => {
  world = await openApiWorld()
  const { warnings } = await world.verbs.create(alice, definitions, largeDefinition(shape))
  expect(warnings).toEqual([])
})
afterEach(async () => {
  for (const { metadata } of (await world.verbs.list(alice, ref, {})).items) {
    await world.verbs.delete(alice, { ...ref, namespace: "default", name: metadata.name })
  }
})

const samples = (count: number): Sample[] =>
  Array.from({ length: count }, (_, seed) => sampleOf(shape, new Dice(seed + 1), 8))

describe("a definition with thousands of fields in six versions", () => {
  it("is really that large", () => {
    expect(countFields(shape)).toBeGreaterThan(1500)
    expect(JSON.stringify(largeDefinition(shape)).length).toBeGreaterThan(400_000)
    expect(JSON.stringify(samples(5)).length).toBeGreaterThan(20_000)
  })

  it("prunes and fills in defaults at every depth, as the model says", async () => {
    for (const [index, { sent, kept }] of samples(40).entries()) {
      const made = await world.verbs.create(alice, ref, giant(`one-${index}`, sent))
      expect(made.object.spec).toEqual(kept)
    }
  })

  it("serves what was written in one version in all others", async () => {
    const [{ sent, kept }] = samples(1) as [Sample]
    const made = giant("many", sent, "v1alpha2")
    await world.verbs.create(alice, refOf("v1alpha2"), made)
    for (const version of versions) {
      const place = { ...refOf(version), namespace: "default", name: "many" }
      const read = await world.verbs.get(alice, place)
      expect(read?.apiVersion).toBe(`large.example.dev/${version}`)
      expect(read?.spec).toEqual(version === "v1alpha1" ? inOldest(kept) : kept)
    }
  })

  it("keeps of a write what its version has a place for, and shows that in all", async () => {
    const [{ sent, kept }] = samples(1) as [Sample]
    const oldest = refOf("v1alpha1")
    const made = await world.verbs.create(alice, oldest, giant("old", sent, "v1alpha1"))
    expect(made.object.spec).toEqual(inOldest(kept))
    const place = { ...ref, namespace: "default", name: "old" }
    expect((await world.verbs.get(alice, place))?.spec).toEqual(inOldest(kept))
  })

  it("takes a strict patch in an older version, by what that one shows", async () => {
    const [{ sent, kept }] = samples(1) as [Sample]
    const place = { ...refOf("v1alpha1"), namespace: "default", name: "part" }
    await world.verbs.create(alice, ref, giant("part", sent))
    const strict = { fieldValidation: "Strict" } as const
    const patch = { spec: { name: "other" } }
    const { object } = await world.verbs.patch(alice, place, "merge", patch, strict)
    expect(object.spec).toEqual({ ...inOldest(kept), name: "other" })
  })

  it("names every wrong field by its path, however deep, and stores nothing", async () => {
    for (const [index, { sent }] of samples(20).entries()) {
      const broken = structuredClone(sent) as Record<string, Json>
      const places = breakTypes(broken, "spec", new Dice(index + 1))
      if (places.length === 0) continue
      const fault = await faultOf(world.verbs.create(alice, ref, giant("bad", broken)))
      const fields = causesOf(fault.details.causes).map((cause) => cause.split(" ")[1])
      // Kubernetes says without a field that the rules were not asked.
      expect(new Set(fields)).toEqual(new Set([...places.map((place) => `${place}:`), "<nil>:"]))
      expect(await world.verbs.get(alice, { ...ref, namespace: "default", name: "bad" })).toBe(
        undefined,
      )
    }
  })

  it("names each wrong value at each kind of place by its path, and stores nothing", async () => {
    const all = samples(12).flatMap(({ kept }) => [...mistakesIn(shape, kept)])
    const few = fewOfEach(all, 2)
    const sorts = new Set(few.map(({ what }) => what.split(" in ")[0]))
    expect([...sorts].sort()).toEqual([...everySort].sort())
    const place = { ...ref, namespace: "default", name: "bad" }
    for (const { what, field, reason, spec } of few) {
      const fault = await faultOf(world.verbs.create(alice, ref, giant("bad", spec)))
      const causes = causesOf(fault.details.causes).filter((cause) => !cause.includes("<nil>"))
      const named = causes.map((cause) => cause.split(": ")[0])
      expect({ what, named }).toEqual({ what, named: [`${reason} ${field}`] })
      expect(await world.verbs.get(alice, place)).toBe(undefined)
    }
  })

  it("asks its rules", async () => {
    const task = world.verbs.create(alice, ref, giant("ruled", { name: "forbidden" }))
    const causes = causesOf((await faultOf(task)).details.causes)
    expect(causes).toEqual(["Invalid spec: Invalid value: not that name"])
  })

  it("lets two writers apply disjoint parts in any order and take theirs back", async () => {
    const [{ kept }] = samples(1) as [Sample]
    const stated = Object.entries(kept as JsonObject)
    const halves = [0, 1].map((half) =>
      Object.fromEntries(stated.filter((_, index) => index % 2 === half)),
    )
    const results: Json[] = []
    for (const order of [halves, [...halves].reverse()]) {
      for (const part of order) {
        const fieldManager = `half-${halves.indexOf(part)}`
        await world.verbs.apply(alice, ref, giant("shared", part), { fieldManager })
      }
      const place = { ...ref, namespace: "default", name: "shared" }
      results.push((await world.verbs.get(alice, place))?.spec as Json)
      await world.verbs.apply(alice, ref, giant("shared", {}), { fieldManager: "half-0" })
      const left = (await world.verbs.get(alice, place))?.spec as JsonObject
      for (const name of Object.keys(halves[0] ?? {})) {
        if (!isDefault(name)) expect(left).not.toHaveProperty(name)
      }
      await world.verbs.delete(alice, place)
    }
    expect(results[0]).toEqual(results[1])
    expect(results[0]).toEqual(kept)
  })
})

const inOldest = (kept: Json): JsonObject => {
  const members = Object.entries(kept as JsonObject).filter(([name]) => !younger.includes(name))
  return Object.fromEntries(members)
}

const everySort = [
  ...["string", "integer", "boolean", "intOrString", "anything", "embedded"],
  ...["map", "list", "set", "keyed", "object"],
]

/** Comes back by itself when nobody states it. */
function isDefault(name: string): boolean {
  const member = shape.members.get(name)
  return member !== undefined && "fallback" in member && member.fallback !== undefined
}

/** Puts a value of a wrong type into some leaves; answers with their paths. */
function breakTypes(value: Record<string, Json>, path: string, dice: Dice): string[] {
  const broken: string[] = []
  for (const [name, member] of Object.entries(value)) {
    const place = `${path}.${name}`
    if (/^leaf\d$/.test(name) && dice.below(4) === 0) {
      value[name] = typeof member === "string" ? 5 : "not that type"
      broken.push(place)
    } else if (/^deep\d$/.test(name) && isPlain(member)) {
      const isObject = "unknownMember" in member
      if (isObject) broken.push(...breakTypes(member, place, dice))
    }
  }
  return broken
}

const isPlain = (value: Json): value is Record<string, Json> =>
  typeof value === "object" && value !== null && !Array.isArray(value)
