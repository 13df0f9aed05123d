// ValidatingAdmissionPolicies and their bindings through the verbs.

import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { openApi } from "../../src/api/verbs.ts"
import type { JsonObject } from "../../src/base/json.ts"
import { systemClock, systemRandom } from "../../src/base/system.ts"
import {
  authenticatedGroup,
  enginePrincipal,
  sourcePrincipal,
} from "../../src/contract/principal.ts"
import type { ApiObject } from "../../src/object/object.ts"
import { binding, bindings, policies, policy, rule } from "./admission-objects.ts"
import {
  type ApiWorld,
  alice,
  configMap,
  configMaps,
  faultOf,
  namespaces,
  note,
  notes,
  openApiWorld,
  thing,
  things,
} from "./client-world.ts"

let world: ApiWorld
beforeEach(async () => {
  world = await openApiWorld()
})
afterEach(() => world.close())

/** A policy with one validation, bound under the same name. */
async function rules(name: string, expression: string, more: JsonObject = {}, bound = {}) {
  const validations = [{ expression }]
  await world.verbs.create(alice, policies, policy(name, { validations, ...more }))
  await world.verbs.create(alice, bindings, binding(name, name, bound))
}

const create = (name: string, spec: JsonObject = {}) =>
  world.verbs.create(alice, notes, note(name, spec))

const denied = async (task: Promise<unknown>): Promise<string> => {
  const { code, message } = await faultOf(task)
  expect(code).toBe("SPT-API-127")
  return message.slice(message.indexOf("denied request: ") + "denied request: ".length)
}

describe("a policy", () => {
  it("denies as Kubernetes words it", async () => {
    await rules("small", "object.spec.size < 5")
    expect((await create("a", { size: 4 })).created).toBe(true)
    const fault = await faultOf(create("b", { size: 5 }))
    expect(fault).toMatchObject({ code: "SPT-API-127", status: 422, reason: "Invalid" })
    expect(fault.message).toBe(
      "notes.test.dev \"b\" is forbidden: ValidatingAdmissionPolicy 'small' with binding " +
        "'small' denied request: failed expression: object.spec.size < 5",
    )
    expect(JSON.parse(fault.details.causes ?? "[]")).toMatchObject([
      { message: expect.stringMatching(/^ValidatingAdmissionPolicy 'small' with binding/) },
    ])
  })

  it("says nothing without a binding, and nothing more without itself", async () => {
    const validations = [{ expression: "false" }]
    await world.verbs.create(alice, policies, policy("no", { validations }))
    expect((await create("a")).created).toBe(true)
    await world.verbs.create(alice, bindings, binding("no", "no"))
    expect(await denied(create("b"))).toBe("failed expression: false")
    await world.verbs.delete(alice, { ...policies, namespace: "", name: "no" })
    expect((await create("b")).created).toBe(true)
  })

  it("words its refusal by expression, by message, or by the expression itself", async () => {
    const validations = [
      {
        expression: "object.spec.size < 5",
        messageExpression: "'size ' + string(object.spec.size) + ' of ' + request.name",
        message: "too big",
        reason: "Forbidden",
      },
    ]
    await rules("big", "true", { validations })
    const fault = await faultOf(create("a", { size: 9 }))
    expect(fault).toMatchObject({ status: 403, reason: "Forbidden" })
    expect(fault.message).toMatch(/denied request: size 9 of a$/)
    const [first] = validations
    const lame = { ...first, messageExpression: "object.spec.nowhere" }
    await rules("big2", "true", { validations: [lame] })
    await world.verbs.delete(alice, { ...bindings, namespace: "", name: "big" })
    expect(await denied(create("a", { size: 9 }))).toBe("too big")
  })

  it("compares with what was, and knows who asks for what", async () => {
    await rules(
      "grow",
      "request.operation == 'CREATE' ? oldObject == null : object.spec.size >= oldObject.spec.size",
      { matchConditions: [{ name: "all", expression: "request.userInfo.username != 'root'" }] },
    )
    const { object } = await create("a", { size: 4 })
    const to = (size: number, name = "alice") =>
      world.verbs.update({ name, kind: "human" }, notes, { ...object, spec: { size } })
    expect(await denied(to(3))).toContain("failed expression")
    expect((await to(3, "root")).changed).toBe(true)
  })

  it("judges deletes by what goes", async () => {
    const matchConstraints = { resourceRules: [rule(["notes"], { operations: ["DELETE"] })] }
    await rules("keep", "oldObject.metadata.name != 'gold' && object == null", { matchConstraints })
    await create("gold")
    await create("dust")
    const ref = { ...notes, namespace: "default" }
    await world.verbs.delete(alice, { ...ref, name: "dust" })
    await denied(world.verbs.delete(alice, { ...ref, name: "gold" }))
  })

  it("has variables that see those before them and are computed when they are needed", async () => {
    const variables = [
      { name: "size", expression: "object.spec.size" },
      { name: "double", expression: "variables.size * 2" },
      { name: "broken", expression: "object.spec.nowhere" },
    ]
    await rules("vars", "variables.size > 90 ? variables.broken : variables.double < 10", {
      variables,
    })
    expect((await create("a", { size: 4 })).created).toBe(true)
    await denied(create("b", { size: 6 }))
    expect(await denied(create("c", { size: 91 }))).toContain('variable "broken" fails')
  })

  it("sees the namespace, and who else might", async () => {
    const space: ApiObject = {
      ...{
        apiVersion: "v1",
        kind: "Namespace",
        metadata: { name: "prod", labels: { env: "prod" } },
      },
    }
    await world.verbs.create(alice, namespaces, space)
    await rules(
      "prod",
      "namespaceObject.metadata.labels[?'env'].orValue('') != 'prod' || " +
        "authorizer.requestResource.check('bless').allowed() || " +
        "authorizer.group('').resource('secrets').namespace('prod').check('get').allowed()",
    )
    expect((await create("a")).created).toBe(true)
    const inProd = (name: string, groups: readonly string[]) => {
      const plain = note(name)
      const metadata = { ...plain.metadata, namespace: "prod" }
      const who = { name: "bob", kind: "human", groups: [authenticatedGroup, ...groups] } as const
      return world.verbs.create(who, notes, { ...plain, metadata })
    }
    expect((await inProd("a", ["system:masters"])).created).toBe(true)
    const fault = await faultOf(world.verbs.create(alice, notes, moved(note("b"), "prod")))
    expect(fault.code).toBe("SPT-API-127")
  })

  it("is only about what it matches and does not exclude", async () => {
    const matchConstraints = {
      resourceRules: [rule(["notes", "things"])],
      excludeResourceRules: [rule(["notes"], { resourceNames: ["free"] })],
      objectSelector: { matchExpressions: [{ key: "free", operator: "DoesNotExist" }] },
    }
    const matchResources = { resourceRules: [rule(["notes"])] }
    await rules("most", "false", { matchConstraints }, { matchResources })
    await denied(create("a"))
    expect((await create("free")).created).toBe(true)
    const plain = note("b")
    const metadata = { ...plain.metadata, labels: { free: "" } }
    const made = await world.verbs.create(alice, notes, { ...plain, metadata })
    expect(made.created).toBe(true)
    expect((await world.verbs.create(alice, things, thing("a"))).created).toBe(true)
  })

  it("binds sources and people, and never the engine", async () => {
    const matchConstraints = { resourceRules: [rule(["*/*"])] }
    await rules("all", "false", { matchConstraints })
    await denied(create("a"))
    const source = sourcePrincipal("default.site")
    const ref = { ...things, namespace: "default", name: "a" }
    const options = { fieldManager: source.name, force: true }
    await denied(world.verbs.apply(source, ref, thing("a"), options))
    expect((await world.verbs.create(enginePrincipal, notes, note("a"))).created).toBe(true)
    await world.verbs.delete(alice, { ...bindings, namespace: "", name: "all" })
    expect((await create("b")).created).toBe(true)
  })
})

const moved = (object: ApiObject, namespace: string): ApiObject => ({
  ...object,
  metadata: { ...object.metadata, namespace },
})

describe("the types of a policy's expressions", () => {
  it("are checked against the kinds that it names, and told in its status", async () => {
    const exact = { apiGroups: ["test.dev"], apiVersions: ["v1"] }
    const matchConstraints = { resourceRules: [rule(["notes"], exact)] }
    const validations = [{ expression: "object.spec.size < 5" }, { expression: "object.spec.odd" }]
    const made = policy("typed", { matchConstraints, validations })
    const { object } = await world.verbs.create(alice, policies, made)
    expect(object.status).toMatchObject({ observedGeneration: 1 })
    expect(object.status?.typeChecking).toEqual({
      expressionWarnings: [
        {
          fieldRef: "spec.validations[1].expression",
          warning: expect.stringMatching(/^test\.dev\/v1, Kind=Note: ERROR: .* field 'odd'/),
        },
      ],
    })
    const [first] = validations
    const spec = { ...object.spec, validations: [first] } as JsonObject
    const { object: better } = await world.verbs.update(alice, policies, { ...object, spec })
    expect(better.status).toEqual({ observedGeneration: 2, typeChecking: {} })
    const { changed } = await world.verbs.update(alice, policies, better)
    expect(changed).toBe(false)
  })
})

describe("policies of a store", () => {
  it("count for another API over it from its first write on", async () => {
    await rules("no", "false")
    const other = await openApi({
      ...{ store: world.store, clock: systemClock, random: systemRandom },
      judge: { judge: async () => ({ kind: "denied", reasons: [] }) },
      hasProvider: () => false,
    })
    try {
      await denied(other.verbs.create(alice, notes, note("a")))
      await world.verbs.delete(alice, { ...bindings, namespace: "", name: "no" })
      await expect.poll(() => other.context.admissions.policies.length).toBe(0)
      expect((await other.verbs.create(alice, notes, note("a"))).created).toBe(true)
    } finally {
      await other.close()
    }
  })
})

describe("what can't be judged", () => {
  const unclear = "object.spec.nowhere.at.all == 1"

  it("is refused, or let through where failures are to be ignored", async () => {
    await rules("unclear", unclear)
    expect(await denied(create("a"))).toMatch(/^expression 'object.*' resulted in error: /)
    await world.verbs.delete(alice, { ...bindings, namespace: "", name: "unclear" })
    await rules("unclear2", unclear, { failurePolicy: "Ignore" })
    expect((await create("a")).created).toBe(true)
  })

  it("costs no more than an expression may", async () => {
    const list = "[0,1,2,3,4,5,6,7,8,9]"
    const deep = (depth: number): string =>
      depth === 0 ? "true" : `${list}.all(x${depth}, ${deep(depth - 1)})`
    await rules("dear", deep(7))
    expect(await denied(create("a"))).toContain("running out of cost budget")
  })
})

describe("a binding", () => {
  it("warns instead, or only looks", async () => {
    const validations = [{ expression: "false", message: "not nice" }]
    await rules("soft", "true", { validations }, { validationActions: ["Warn", "Audit"] })
    const { created, warnings } = await create("a")
    expect(created).toBe(true)
    expect(warnings).toEqual([
      "Validation failed for ValidatingAdmissionPolicy 'soft' with binding 'soft': not nice",
    ])
  })

  const paramKind = { apiVersion: "v1", kind: "ConfigMap" }
  const limited = (name: string, paramRef: JsonObject) =>
    rules(
      name,
      "object.spec.size <= int(params.data.max)",
      { paramKind },
      { paramRef: { parameterNotFoundAction: "Deny", ...paramRef } },
    )

  it("hands parameters over by name, from the namespace of the request", async () => {
    await limited("max", { name: "limits" })
    expect(await denied(create("a", { size: 1 }))).toBe(
      "failed to configure binding: no params found for policy binding with `Deny` " +
        "parameterNotFoundAction",
    )
    const { object } = await world.verbs.create(
      alice,
      configMaps,
      configMap("limits", { max: "3" }),
    )
    expect((await create("a", { size: 3 })).created).toBe(true)
    await denied(create("b", { size: 4 }))
    await world.verbs.update(alice, configMaps, { ...object, data: { max: "9" } })
    expect((await create("b", { size: 4 })).created).toBe(true)
  })

  it("hands parameters over by label, each of which must hold", async () => {
    const labelled = (name: string, max: string): ApiObject => {
      const made = configMap(name, { max })
      return { ...made, metadata: { ...made.metadata, labels: { limit: "yes" } } }
    }
    await limited("max", {
      selector: { matchLabels: { limit: "yes" } },
      parameterNotFoundAction: "Allow",
    })
    expect((await create("a", { size: 50 })).created).toBe(true)
    await world.verbs.create(alice, configMaps, labelled("one", "9"))
    await world.verbs.create(alice, configMaps, labelled("two", "5"))
    await world.verbs.create(alice, configMaps, configMap("three", { max: "1" }))
    expect((await create("b", { size: 5 })).created).toBe(true)
    await denied(create("c", { size: 6 }))
  })

  it("of a kind that is not there denies, and says so", async () => {
    const kind = { apiVersion: "nobody.dev/v1", kind: "Limit" }
    const paramRef = { name: "x", parameterNotFoundAction: "Allow" }
    await rules("lost", "params == null", { paramKind: kind }, { paramRef })
    expect(await denied(create("a"))).toContain(
      "paramKind kind `nobody.dev/v1, Kind=Limit` not known",
    )
  })
})
