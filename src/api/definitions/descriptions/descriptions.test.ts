import { describe, expect, it } from "vitest"
import { at, isObject, type JsonObject } from "../../../base/json.ts"
import { setpointGroup } from "../../../object/object.ts"
import { ResourceRegistry } from "../../resource-registry.ts"
import { kubernetesDescriptions } from "./kubernetes-kinds.ts"
import { setpointDescriptions } from "./setpoint-kinds.ts"

/** Every field of a schema, by path. */
function fields(schema: JsonObject, path = ""): Map<string, JsonObject> {
  const found = new Map([[path, schema]])
  const add = (below: JsonObject, name: string) => {
    for (const [one, value] of fields(below, name)) found.set(one, value)
  }
  if (isObject(schema.items)) add(schema.items, `${path}[]`)
  for (const [name, value] of Object.entries(at(schema, "properties") ?? {})) {
    if (isObject(value)) add(value, path === "" ? name : `${path}.${name}`)
  }
  return found
}

const builtIns = new ResourceRegistry().all().filter(({ builtIn }) => builtIn)

describe("descriptions", () => {
  it("teach every field of Setpoint's own kinds", () => {
    const silent = builtIns
      .filter(({ group }) => group === setpointGroup)
      .flatMap(({ kind, openApiSchema }) =>
        [...fields(openApiSchema)]
          .filter(([path, one]) => one.description === undefined && !path.endsWith("[]"))
          .map(([path]) => `${kind} ${path}`),
      )
    expect(silent).toEqual([])
  })

  it("say of every built-in kind what it is", () => {
    const silent = builtIns.filter(({ openApiSchema }) => openApiSchema.description === undefined)
    expect(silent.map(({ kind }) => kind)).toEqual([])
  })

  it("speak of no field that does not exist", () => {
    const known = new Map<string, Set<string>>()
    for (const { kind, openApiSchema } of builtIns) {
      const paths = [...(known.get(kind) ?? []), ...fields(openApiSchema).keys()]
      known.set(kind, new Set(paths))
    }
    const all = { ...setpointDescriptions, ...kubernetesDescriptions }
    const wrong = Object.entries(all).flatMap(([kind, texts]) => {
      const paths = known.get(kind)
      if (paths === undefined) return []
      return Object.keys(texts)
        .filter((path) => !paths.has(path))
        .map((path) => `${kind} ${path}`)
    })
    expect(wrong).toEqual([])
  })
})
