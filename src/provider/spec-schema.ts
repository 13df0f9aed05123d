// Reads the structural schema of a kind's spec out of its definition.

import { at, isArray, isObject, type JsonObject } from "../base/json.ts"
import type { KindProvider } from "../contract/provider.ts"

export function rootSchemaOf(kind: Pick<KindProvider, "definition" | "version">): JsonObject {
  const versions = kind.definition.spec?.versions
  const served = isArray(versions)
    ? versions.find((version) => at(version, "name") === kind.version)
    : undefined
  const schema = at(served, "schema", "openAPIV3Schema")
  return isObject(schema) ? schema : {}
}

export function specSchemaOf(kind: Pick<KindProvider, "definition" | "version">): JsonObject {
  const schema = at(rootSchemaOf(kind), "properties", "spec")
  return isObject(schema) ? schema : {}
}
