import { afterEach, beforeEach, describe, expect, test } from "vitest"
import type { JsonObject } from "../../src/base/json.ts"
import type { ApiObject, ResourceRef } from "../../src/object/object.ts"
import { alice } from "./client-world.ts"
import { type DefinitionWorld, openDefinitionWorld } from "./definition-world.ts"

const clusters: ResourceRef = {
  group: "data.example.dev",
  version: "v1",
  resource: "databaseclusters",
}

const cluster = (name: string, spec: JsonObject = {}): ApiObject => ({
  apiVersion: "data.example.dev/v1",
  kind: "DatabaseCluster",
  metadata: { name, namespace: "default" },
  spec: { engine: "postgres", storage: { size: "10Gi" }, ...spec },
})

let world: DefinitionWorld
beforeEach(async () => {
  world = await openDefinitionWorld("database-cluster")
})
afterEach(() => world.close())

const specOf = (object: ApiObject) => object.spec as JsonObject

describe("the definition of a database cluster", () => {
  test("fills in defaults at every depth and drops what it does not know", async () => {
    const made = await world.create(
      clusters,
      cluster("a", {
        nonsense: 1,
        users: [{ name: "root", superuser: true, shoe: 43 }],
        backup: { schedule: "@daily", target: { url: "s3://bucket/a" } },
        bootstrap: { initialize: {} },
        podOverrides: { anything: { goes: true } },
        podTemplate: { apiVersion: "v1", kind: "Pod", metadata: { name: "p", odd: 1 }, spec: {} },
        storage: { size: "10Gi", class: null },
      }),
    )
    expect(specOf(made)).toEqual({
      engine: "postgres",
      version: "16.0.0",
      instances: 3,
      failover: { automatic: true, delay: "30s", maxLag: "10Mi" },
      storage: { size: "10Gi", class: null, resize: "InPlace" },
      users: [{ name: "root", host: "%", superuser: true }],
      backup: {
        schedule: "@daily",
        keep: 7,
        target: { url: "s3://bucket/a", encrypted: true },
      },
      bootstrap: { initialize: { database: "app", owner: "app", locale: "C" } },
      podOverrides: { anything: { goes: true }, priority: 5 },
      podTemplate: { apiVersion: "v1", kind: "Pod", metadata: { name: "p" }, spec: {} },
    })
  })

  test.each<[string, JsonObject, string[]]>([
    [
      "a wrong type",
      { engine: 5 },
      [
        "NotSupported spec.engine: Unsupported value: 5: " +
          'supported values: "postgres", "mysql", "mariadb"',
        'TypeInvalid spec.engine: Invalid value: "integer": spec.engine in body must be ' +
          'of type string: "integer"',
      ],
    ],
    [
      "a value beyond its list",
      { engine: "oracle" },
      [
        'NotSupported spec.engine: Unsupported value: "oracle": supported values: ' +
          '"postgres", "mysql", "mariadb"',
      ],
    ],
    ["a missing member", { storage: {} }, ["Required spec.storage.size: Required value"]],
    [
      "a number beyond its bounds",
      { instances: 101 },
      [
        "Invalid spec.instances: Invalid value: 101: spec.instances in body should be " +
          "less than or equal to 99",
      ],
    ],
    [
      "a text that does not match",
      { extensions: ["Bad"] },
      [
        'Invalid spec.extensions[0]: Invalid value: "Bad": spec.extensions[0] in body ' +
          "should match '^[a-z][a-z0-9_-]*$'",
      ],
    ],
    [
      "two items with one key",
      {
        users: [
          { name: "a", superuser: true },
          { name: "a", host: "%" },
        ],
      },
      ['Duplicate spec.users[1]: Duplicate value: {"host":"%","name":"a"}'],
    ],
    [
      "two equal items of a set",
      { extensions: ["a", "b", "a"] },
      ['Duplicate spec.extensions[2]: Duplicate value: "a"'],
    ],
    [
      "a text that is too long",
      { version: "1".repeat(33) },
      ["TooLong spec.version: Too long: may not be more than 32 bytes"],
    ],
    [
      "too many items",
      {
        backup: {
          schedule: "@daily",
          target: { url: "s3://b/a" },
          windows: Array(8).fill({ from: "2024-01-01T00:00:00Z", to: "2024-01-01T01:00:00Z" }),
        },
      },
      ["TooMany spec.backup.windows: Too many: 8: must have at most 7 items"],
    ],
    [
      "both of two forms",
      { tls: { secretName: "s", issuer: { name: "i" } } },
      [
        'Invalid spec.tls: Invalid value: "": "spec.tls" must validate one and only one ' +
          "schema (oneOf). Found 2 valid alternatives",
      ],
    ],
  ])("refuses %s in Kubernetes' words", async (_, spec, causes) => {
    const unchecked = "Invalid <nil>: Invalid value: null: some validation rules were not checked"
    const found = await world.causes(world.create(clusters, cluster("a", spec)))
    expect(found.filter((cause) => !cause.startsWith(unchecked)).sort()).toEqual(causes)
  })

  test.each<[string, JsonObject, string]>([
    [
      "an even number of instances with failover",
      { instances: 4 },
      "Invalid spec.instances: Invalid value: automatic failover needs an odd number of instances",
    ],
    [
      "a recovery from nowhere",
      { bootstrap: { recovery: { from: "b" } } },
      "Required spec.backup: Required value: a cluster that is recovered must say " +
        "where its backups are",
    ],
    [
      "no version",
      { version: "latest" },
      'Invalid spec.version: Invalid value: "latest": latest is no version',
    ],
    [
      "two superusers",
      { users: ["a", "b"].map((name) => ({ name, superuser: true })) },
      "Invalid spec.users: Invalid value: exactly one user is the superuser",
    ],
    [
      "a parameter of TLS",
      { parameters: { ssl_cert: "x" } },
      "Invalid spec.parameters: Invalid value: TLS is set up by spec.tls",
    ],
    [
      "a target that can't be reached",
      { backup: { schedule: "@daily", target: { url: "ftp://b/a" } } },
      'Invalid spec.backup.target.url: Invalid value: "ftp://b/a": must be an s3 or https URL',
    ],
    [
      "a window that ends before it begins",
      {
        backup: {
          schedule: "@daily",
          target: { url: "s3://b/a" },
          windows: [{ from: "2024-01-02T00:00:00Z", to: "2024-01-01T23:00:00Z" }],
        },
      },
      "Invalid spec.backup.windows[0]: Invalid value: a window ends after it begins",
    ],
  ])("keeps its rule against %s", async (_, spec, cause) => {
    expect(await world.causes(world.create(clusters, cluster("a", spec)))).toEqual([cause])
  })

  test("does not ask its rules of an object that is wrong anyway", async () => {
    const causes = await world.causes(world.create(clusters, cluster("a", { engine: "x" })))
    expect(causes.at(-1)).toBe(
      "Invalid <nil>: Invalid value: null: some validation rules were not checked because the " +
        "object was invalid; correct the existing errors to complete validation",
    )
  })

  test("compares with what was there: the engine stays, the volume only grows", async () => {
    await world.create(clusters, cluster("a"))
    const engine = world.change(clusters, "a", (spec) => ({ ...spec, engine: "mysql" }))
    expect(await world.causes(engine)).toEqual([
      "Forbidden spec.engine: Forbidden: the engine can't be changed",
    ])
    const shrink = world.change(clusters, "a", (spec) => ({ ...spec, storage: { size: "5Gi" } }))
    expect(await world.causes(shrink)).toEqual([
      "Invalid spec.storage.size: Invalid value: the volume can grow from 10Gi but not " +
        "shrink to 5Gi",
    ])
    const grown = await world.change(clusters, "a", (spec) => ({
      ...spec,
      storage: { size: "1Ti" },
    }))
    expect(specOf(grown).storage).toEqual({ size: "1Ti", resize: "InPlace" })
  })

  test("follows an item of a map list by its key, wherever it moves", async () => {
    const users = [{ name: "root", superuser: true }, { name: "app" }]
    await world.create(clusters, cluster("a", { users }))
    const moved = world.change(clusters, "a", (spec) => ({
      ...spec,
      users: [
        { name: "app", superuser: true },
        { name: "root", superuser: false },
      ],
    }))
    expect(await world.causes(moved)).toEqual([
      "Invalid spec.users[1].superuser: Invalid value: false: a superuser stays one",
    ])
  })

  test("holds the name of the object to its rule", async () => {
    const long = world.create(clusters, cluster("a".repeat(41)))
    expect(await world.causes(long)).toEqual([
      "Invalid <nil>: Invalid value: the name must leave room for the names of the instances",
    ])
  })

  test("selects by the fields it names", async () => {
    await world.create(clusters, cluster("a"))
    await world.create(clusters, cluster("b", { engine: "mysql", instances: 5 }))
    const names = async (fieldSelector: string) => {
      const { items } = await world.verbs.list(alice, clusters, { fieldSelector })
      return items.map((item) => item.metadata.name)
    }
    expect(await names("spec.engine=mysql")).toEqual(["b"])
    expect(await names("spec.instances!=5")).toEqual(["a"])
    await expect(names("spec.version=1")).rejects.toThrow("field label not supported: spec.version")
  })

  test("merges lists by their keys and says whose each field is", async () => {
    const apply = (fieldManager: string, spec: JsonObject) =>
      world.verbs.apply(alice, clusters, cluster("a", spec), { fieldManager, force: false })
    await apply("one", { users: [{ name: "root", superuser: true }], extensions: ["x"] })
    const { object } = await apply("two", {
      users: [{ name: "app", host: "10.0.0.1" }],
      extensions: ["y"],
    })
    expect(specOf(object).users).toEqual([
      { name: "root", host: "%", superuser: true },
      { name: "app", host: "10.0.0.1", superuser: false },
    ])
    expect(specOf(object).extensions).toEqual(["x", "y"])
  })
})
