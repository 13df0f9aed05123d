import { afterEach, beforeEach, describe, expect, test } from "vitest"
import { alice, definitions } from "../../../test/conformance/client-world.ts"
import {
  type DefinitionWorld,
  openDefinitionWorld,
} from "../../../test/conformance/definition-world.ts"
import type { JsonObject } from "../../base/json.ts"
import type { ApiObject } from "../../object/object.ts"

let world: DefinitionWorld
beforeEach(async () => {
  world = await openDefinitionWorld()
})
afterEach(() => world.close())

const text: JsonObject = { type: "string" }
const plain: JsonObject = {
  type: "object",
  properties: {
    spec: { type: "object", properties: { a: text, o: { type: "object" } } },
  },
}

const version = (more: JsonObject = {}, openAPIV3Schema: JsonObject = plain): JsonObject => ({
  name: "v1",
  served: true,
  storage: true,
  schema: { openAPIV3Schema },
  ...more,
})

const definition = (spec: JsonObject = {}, name = "boxes.pack.dev"): ApiObject => ({
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name },
  spec: {
    group: "pack.dev",
    scope: "Namespaced",
    names: { plural: "boxes", kind: "Box" },
    versions: [version()],
    ...spec,
  },
})

/** Where it was refused, with the reason. */
async function refusals(object: ApiObject): Promise<string[]> {
  const causes = await world.causes(world.verbs.create(alice, definitions, object))
  return causes.map((cause) => cause.split(": ")[0] ?? "")
}

const ruled = (...rules: JsonObject[]): ApiObject => {
  const spec = {
    type: "object",
    properties: {
      a: { type: "string" },
      n: { type: "integer" },
      list: { type: "array", items: text },
    },
    "x-kubernetes-validations": rules,
  }
  return definition({ versions: [version({}, { type: "object", properties: { spec } })] })
}

describe("a definition is refused for", () => {
  test.each<[string, JsonObject, string[]]>([
    ["a group without a dot", { group: "pack" }, ["Invalid metadata.name", "Invalid spec.group"]],
    [
      "names that are none",
      { names: { plural: "boxes", kind: "Box", listKind: "Box", shortNames: ["B"] } },
      ["Invalid spec.names.listKind", "Invalid spec.names.shortNames[0]"],
    ],
    ["no stored version", { versions: [version({ storage: false })] }, ["Invalid spec.versions"]],
    [
      "two of one name",
      { versions: [version(), version({ storage: false })] },
      ["Invalid spec.versions"],
    ],
    [
      "no schema",
      { versions: [version({ schema: {} })] },
      ["Required spec.versions[0].schema.openAPIV3Schema"],
    ],
    [
      "a warning without deprecation",
      { versions: [version({ deprecationWarning: "old" })] },
      ["Invalid spec.versions[0].deprecationWarning"],
    ],
    [
      "scale paths that lead elsewhere",
      {
        versions: [version({ subresources: { scale: { specReplicasPath: ".status.n" } } })],
      },
      [
        "Invalid spec.versions[0].subresources.scale.specReplicasPath",
        "Required spec.versions[0].subresources.scale.statusReplicasPath",
      ],
    ],
    [
      "columns that nothing fills",
      { versions: [version({ additionalPrinterColumns: [{ name: "A", type: "text" }] })] },
      [
        "Invalid spec.versions[0].additionalPrinterColumns[0].type",
        "Required spec.versions[0].additionalPrinterColumns[0].JSONPath",
      ],
    ],
    [
      "fields that can't be selected by",
      {
        versions: [
          version({
            selectableFields: [{ jsonPath: ".spec.o" }, { jsonPath: ".spec.zz" }],
          }),
        ],
      },
      [
        "Invalid spec.versions[0].selectableFields[0].jsonPath",
        "Invalid spec.versions[0].selectableFields[1].jsonPath",
      ],
    ],
    [
      "a webhook that is none",
      { conversion: { strategy: "Webhook" } },
      [
        "Required spec.conversion.webhookClientConfig",
        "Required spec.conversion.conversionReviewVersions",
      ],
    ],
    [
      "a webhook without TLS",
      {
        conversion: {
          strategy: "Webhook",
          webhook: { conversionReviewVersions: ["v1"], clientConfig: { url: "http://x/" } },
        },
      },
      ["Invalid spec.conversion.webhookClientConfig.url"],
    ],
    [
      "an unknown strategy",
      { conversion: { strategy: "Magic" } },
      ["NotSupported spec.conversion.strategy"],
    ],
    [
      "unknown fields kept",
      { preserveUnknownFields: true },
      ["Invalid spec.preserveUnknownFields"],
    ],
    [
      "a protected group without approval",
      { group: "x.k8s.io" },
      ["Invalid metadata.name", "Required metadata.annotations[api-approved.kubernetes.io]"],
    ],
    [
      "a schema that is not structural, by its place",
      { versions: [version({}, { type: "object", properties: { spec: { properties: {} } } })] },
      ["Required spec.versions[0].schema.openAPIV3Schema.properties[spec].type"],
    ],
  ])("%s", async (_, spec, where) => {
    expect(await refusals(definition(spec))).toEqual(where)
  })

  const rulesAt =
    "spec.versions[0].schema.openAPIV3Schema.properties[spec].x-kubernetes-validations"

  test.each<[string, JsonObject, string]>([
    ["a rule that is empty", { rule: " " }, `Required ${rulesAt}[0].rule`],
    ["a rule that does not parse", { rule: "self.a ==" }, `Invalid ${rulesAt}[0].rule`],
    ["a rule over what is not there", { rule: "self.zz == 1" }, `Invalid ${rulesAt}[0].rule`],
    ["a rule that gives no bool", { rule: "self.a" }, `Invalid ${rulesAt}[0].rule`],
    [
      "a rule that nothing bounds",
      { rule: "self.list.all(a, self.list.all(b, a == b))" },
      `Forbidden ${rulesAt}[0].rule`,
    ],
    ["lines without a message", { rule: "true\n&& true" }, `Required ${rulesAt}[0].message`],
    [
      "a message that is no text",
      { rule: "true", messageExpression: "self.n" },
      `Invalid ${rulesAt}[0].messageExpression`,
    ],
    ["an unknown reason", { rule: "true", reason: "Bad" }, `NotSupported ${rulesAt}[0].reason`],
    ["a path to nowhere", { rule: "true", fieldPath: ".zz" }, `Invalid ${rulesAt}[0].fieldPath`],
    [
      "an optional old value that no rule reads",
      { rule: "true", optionalOldSelf: true },
      `Invalid ${rulesAt}[0].optionalOldSelf`,
    ],
  ])("%s", async (_, rule, where) => {
    expect(await refusals(ruled(rule))).toEqual([where])
  })

  test("an old value that can't be found again, in lists whose items have no key", async () => {
    const items = { type: "object", properties: { a: text }, maxProperties: 1 }
    const rule = { rule: "self.a == oldSelf.a" }
    const list = {
      type: "array",
      maxItems: 3,
      items: { ...items, "x-kubernetes-validations": [rule] },
    }
    const schema = { type: "object", properties: { list } }
    const causes = await world.causes(
      world.verbs.create(alice, definitions, definition({ versions: [version({}, schema)] })),
    )
    expect(causes).toHaveLength(1)
    expect(causes[0]).toContain("oldSelf cannot be used on the uncorrelatable portion")
  })

  test("a change of what objects and clients rely on", async () => {
    const made = await world.create(definitions, definition())
    const task = world.update(definitions, {
      ...made,
      spec: { ...made.spec, scope: "Cluster", names: { plural: "boxes", kind: "Crate" } },
    })
    expect(await world.causes(task)).toEqual([
      'Invalid spec.scope: Invalid value: "Cluster": field is immutable',
      'Invalid spec.names.kind: Invalid value: "Crate": field is immutable',
    ])
  })
})

test("a definition gets its other names and says what is stored", async () => {
  const made = await world.create(definitions, definition())
  expect(made.spec).toMatchObject({
    names: { singular: "box", listKind: "BoxList" },
    conversion: { strategy: "None" },
  })
  expect(made.status).toMatchObject({
    acceptedNames: { plural: "boxes", kind: "Box" },
    storedVersions: ["v1"],
  })
})
