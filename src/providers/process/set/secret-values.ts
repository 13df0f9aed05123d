// The secret values of a template. They are taken out before anything is remembered or named after
// it, and put back where a replica is made: from what is declared, or from another replica of the
// same revision, whose own object has them. They stand nowhere else.

import { isArray, isObject, type Json, type JsonObject } from "../../../base/json.ts"
import type { RevisionSource } from "./revision.ts"

/** By the name of the variable. */
export type SecretValues = ReadonlyMap<string, Json>

export function secretValues(template: JsonObject): SecretValues {
  const found = variablesOf(template).map(({ name, value }) => [String(name), value] as const)
  return new Map(found.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])))
}

/** The same without values; what is taken from other objects is no value. */
export function withoutValues(source: RevisionSource): RevisionSource {
  return change(source, ({ value: _, ...variable }) => variable)
}

/** The same with its values again; undefined when one of them is not known any more. */
export function withValues(
  source: RevisionSource,
  values: SecretValues,
): RevisionSource | undefined {
  const isMissing = ({ name, value, valueFrom }: JsonObject) =>
    value === undefined && valueFrom === undefined && !values.has(String(name))
  if (variablesOf(source.template).some(isMissing)) return undefined
  return change(source, (variable) => {
    const value = values.get(String(variable.name))
    return value === undefined || variable.valueFrom !== undefined
      ? variable
      : { ...variable, value }
  })
}

/** The same source comes back when it has no such variables: its revision is what it was. */
function change(source: RevisionSource, one: (variable: JsonObject) => JsonObject): RevisionSource {
  const { template } = source
  if (!isArray(template.secretEnv)) return source
  const secretEnv = template.secretEnv.map((entry) => (isObject(entry) ? one(entry) : entry))
  return { ...source, template: { ...template, secretEnv } }
}

const variablesOf = ({ secretEnv }: JsonObject): readonly JsonObject[] =>
  isArray(secretEnv) ? secretEnv.filter(isObject) : []
