// Lowers unions. Three forms have a structural equivalent: a type or null, integer or string, and
// objects told apart by one member; every other union is refused.

import { equalJson, isArray, isObject, type Json, type JsonObject } from "../base/json.ts"
import { type Place, refuse } from "./schema-place.ts"

type Lower = (raw: Json | undefined, place: Place) => JsonObject

export function lowerUnion(raw: JsonObject, place: Place, lower: Lower): JsonObject {
  const listed = isArray(raw.anyOf) ? raw.anyOf : isArray(raw.oneOf) ? raw.oneOf : []
  const options = listed.filter(isObject)
  const real = options.filter((option) => option.type !== "null")
  const about = aboutOf(raw)
  const nullable: JsonObject = real.length < options.length ? { nullable: true } : {}
  const first = real[0]
  if (real.length === 1 && first !== undefined) {
    return { ...lower(first, place), ...nullable, ...about }
  }
  const types = real.map((option) => option.type).sort()
  if (equalJson(types as Json[], ["integer", "string"])) {
    return { "x-kubernetes-int-or-string": true, ...nullable, ...about }
  }
  if (real.length > 1 && real.every((option) => isObject(option.properties))) {
    return { ...lowerDiscriminated(real, place, lower), ...nullable, ...about }
  }
  const hint = "use one type, or z.discriminatedUnion of objects, or a type per field"
  throw refuse(place, "is a union that a structural schema can't say", hint)
}

function aboutOf(raw: JsonObject): JsonObject {
  const { description, default: byDefault } = raw
  return {
    ...(description === undefined ? {} : { description }),
    ...(byDefault === undefined ? {} : { default: byDefault }),
  }
}

/** One object with the members of all branches, and a condition that lets only one branch hold. */
function lowerDiscriminated(
  options: readonly JsonObject[],
  place: Place,
  lower: Lower,
): JsonObject {
  const key = discriminator(options)
  if (key === undefined) {
    const hint = "give each branch a member with its own literal value (z.discriminatedUnion)"
    throw refuse(place, "is a union without a discriminator", hint)
  }
  const lowered = options.map((option) => lower(option, place))
  const properties: Record<string, JsonObject> = {}
  const names = lowered.map((branch) => Object.keys(asObject(branch.properties)))
  for (const branch of lowered) {
    for (const [name, child] of Object.entries(asObject(branch.properties))) {
      if (name === key || !isObject(child)) continue
      if (properties[name] !== undefined && !equalJson(properties[name], child)) {
        const cause = `has branches that disagree about ${name}`
        throw refuse(place, cause, "give the member another name in one of the branches")
      }
      const everywhere = names.every((list) => list.includes(name))
      if (!everywhere && child.default !== undefined) {
        const cause = `has a default for ${name} in only some branches`
        throw refuse(place, cause, "make the member optional, and default it in the provider")
      }
      properties[name] = child
    }
  }
  const values = lowered.flatMap((branch) => enumOf(branch, key))
  const all = Object.keys(properties)
  const oneOf = lowered.map((branch, index) => {
    const foreign = all.filter((name) => !(names[index] ?? []).includes(name))
    const required = (isArray(branch.required) ? branch.required : []).filter((n) => n !== key)
    return {
      properties: { [key]: { enum: enumOf(branch, key) } },
      ...(required.length === 0 ? {} : { required }),
      ...(foreign.length === 0
        ? {}
        : { not: { anyOf: foreign.map((name) => ({ required: [name] })) } }),
    }
  })
  const tag = { type: "string", enum: values }
  return { type: "object", properties: { [key]: tag, ...properties }, required: [key], oneOf }
}

function discriminator(options: readonly JsonObject[]): string | undefined {
  const first = asObject(options[0]?.properties)
  return Object.keys(first).find((name) => {
    const tags = options.flatMap((option) => tagValues(asObject(option.properties)[name]))
    const each = options.every((option) => tagValues(asObject(option.properties)[name]).length > 0)
    return each && new Set(tags).size === tags.length
  })
}

function tagValues(node: Json | undefined): readonly string[] {
  if (!isObject(node)) return []
  const values = isArray(node.enum) ? node.enum : [node.const]
  return values.filter((value) => typeof value === "string")
}

function enumOf(branch: JsonObject, key: string): readonly string[] {
  return tagValues(asObject(branch.properties)[key])
}

function asObject(value: Json | undefined): JsonObject {
  return isObject(value) ? value : {}
}
