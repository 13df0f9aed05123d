import { afterEach, beforeEach, describe, expect, test } from "vitest"
import type { JsonObject } from "../../src/base/json.ts"
import type { ApiObject, ResourceRef } from "../../src/object/object.ts"
import { definitions } from "./client-world.ts"
import { type DefinitionWorld, openDefinitionWorld } from "./definition-world.ts"
import { costlyRule, costlySpec, goodPot, ruledCases, ruledDefinition } from "./ruled-definition.ts"
import { packDefinition, versionOf } from "./versioned-boxes.ts"

const pots: ResourceRef = { group: "pack.dev", version: "v1", resource: "pots" }
const pot = (spec: JsonObject): ApiObject => ({
  apiVersion: "pack.dev/v1",
  kind: "Pot",
  metadata: { name: "a", namespace: "default" },
  spec,
})

let world: DefinitionWorld
beforeEach(async () => {
  world = await openDefinitionWorld()
})
afterEach(() => world.close())

describe("rules that compare, count and explain", () => {
  beforeEach(() => world.create(definitions, ruledDefinition()))

  test.each(ruledCases)("refuse $what", async ({ after, creates = false, causes }) => {
    if (!creates) await world.create(pots, pot(goodPot))
    const write = creates ? world.create(pots, pot(after)) : world.change(pots, "a", () => after)
    if (causes.length > 0) expect(await world.causes(write)).toEqual(causes)
    else await expect(write).resolves.toBeDefined()
  })
})

describe("a rule that may cost too much", () => {
  test("is refused with its definition", async () => {
    const versions = [versionOf("v1", costlySpec(costlyRule), { storage: true })]
    const task = world.create(definitions, packDefinition("pots", "Pot", versions))
    const places = (await world.causes(task)).map((cause) => cause.split(": ")[0])
    expect(places).toContain(
      "Forbidden spec.versions[0].schema.openAPIV3Schema.properties[spec].properties[list]." +
        "x-kubernetes-validations[0].rule",
    )
  })
})
