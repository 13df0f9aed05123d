// The structural rules inside allOf, anyOf, oneOf and not: they may restrict values of members that
// the schema around them declares, and nothing else.

import { isArray, isObject, type Json, type JsonObject } from "../base/json.ts"
import { noteKeywords, shapeKeywords, valueKeywords } from "./structural-keywords.ts"
import type { SchemaJudge } from "./structural-rules.ts"

type Path = readonly string[]

export function judgeJunctors(
  judge: SchemaJudge,
  schema: JsonObject,
  path: Path,
  depth: number,
): void {
  const intOrString = schema["x-kubernetes-int-or-string"] === true
  for (const junctor of ["allOf", "anyOf", "oneOf"] as const) {
    const branches = isArray(schema[junctor]) ? schema[junctor] : []
    if (intOrString && isIntOrString(junctor, branches)) continue
    for (const [index, branch] of branches.entries()) {
      const first = intOrString && junctor === "allOf" && index === 0
      const nested = first ? withoutIntOrString(branch) : branch
      judgeNested(judge, nested, schema, [...path, junctor, String(index)], depth + 1)
    }
  }
  if (schema.not !== undefined) judgeNested(judge, schema.not, schema, [...path, "not"], depth + 1)
}

/** The two forms in which Kubernetes allows a type inside: anyOf, or allOf around it. */
function isIntOrString(junctor: string, branches: readonly Json[]): boolean {
  const types = branches.map((branch) => {
    const only = isObject(branch) && Object.keys(branch).length === 1
    return only ? branch.type : undefined
  })
  return (
    junctor === "anyOf" && types.length === 2 && types[0] === "integer" && types[1] === "string"
  )
}

function withoutIntOrString(branch: Json): Json {
  if (!isObject(branch) || !isArray(branch.anyOf)) return branch
  const { anyOf, ...rest } = branch
  return isIntOrString("anyOf", anyOf) ? rest : branch
}

function judgeNested(
  judge: SchemaJudge,
  nested: Json | undefined,
  around: JsonObject | undefined,
  path: Path,
  depth: number,
): void {
  if (!judge.enter(path, depth)) return
  if (!isObject(nested)) {
    judge.report("TypeInvalid", path, "must be a schema")
    return
  }
  for (const keyword of Object.keys(nested)) {
    const value = nested[keyword]
    if (value === undefined) continue
    const at = [...path, keyword]
    if (shapeKeywords.has(keyword) || noteKeywords.has(keyword) || keyword.startsWith("x-")) {
      judge.report("Forbidden", at, "only value checks may stand inside allOf, anyOf, oneOf, not")
      continue
    }
    const check = valueKeywords.get(keyword)
    if (check === undefined) judge.report("Unknown", at, "is not a known keyword")
    const problem = check?.(value)
    if (problem === undefined) continue
    judge.report("Invalid", at, problem)
    return
  }
  if (isObject(nested.properties)) {
    for (const [name, member] of Object.entries(nested.properties)) {
      const outside = declared(around, name)
      const at = [...path, "properties", name]
      if (name === "metadata") judge.report("Forbidden", at, "metadata can't be restricted here")
      else if (outside === undefined) {
        judge.report("Required", at, "must be declared outside as well")
      }
      judgeNested(judge, member, isObject(outside) ? outside : undefined, at, depth + 1)
    }
  }
  if (nested.items !== undefined) {
    const outside = around?.items
    const at = [...path, "items"]
    if (outside === undefined) judge.report("Required", at, "must be declared outside as well")
    judgeNested(judge, nested.items, isObject(outside) ? outside : undefined, at, depth + 1)
  }
  for (const junctor of ["allOf", "anyOf", "oneOf"] as const) {
    const branches = isArray(nested[junctor]) ? nested[junctor] : []
    for (const [index, branch] of branches.entries()) {
      judgeNested(judge, branch, around, [...path, junctor, String(index)], depth + 1)
    }
  }
  if (nested.not !== undefined) judgeNested(judge, nested.not, around, [...path, "not"], depth + 1)
}

function declared(around: JsonObject | undefined, name: string): Json | undefined {
  const properties = around?.properties
  if (isObject(properties) && Object.hasOwn(properties, name)) return properties[name]
  return around?.additionalProperties
}
