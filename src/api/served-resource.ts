// A definition made ready to serve: names, scope and the compiled schema of each served version.

import { isFault } from "../base/faults.ts"
import { at, isArray, isObject, type Json, type JsonObject } from "../base/json.ts"
import { type ApiObject, apiVersionOf } from "../object/object.ts"
import { type CompiledSchema, compileSchema } from "../schema/compile-schema.ts"
import { apiFault, causesText } from "./faults.ts"

export interface ServedResource {
  readonly group: string
  readonly version: string
  /** Objects are stored in this version. */
  readonly storageVersion: string
  /** The plural, lower case. */
  readonly resource: string
  readonly kind: string
  readonly listKind: string
  readonly singular: string
  readonly shortNames: readonly string[]
  readonly categories: readonly string[]
  readonly namespaced: boolean
  readonly statusSubresource: boolean
  readonly builtIn: boolean
  readonly schema: CompiledSchema
  readonly columns: readonly JsonObject[]
  /** The definition's name. */
  readonly definition: string
}

const asText = (value: Json | undefined, otherwise: string): string =>
  typeof value === "string" && value !== "" ? value : otherwise

const texts = (value: Json | undefined): string[] =>
  isArray(value) ? value.filter((item) => typeof item === "string") : []

const objects = (value: Json | undefined): JsonObject[] =>
  isArray(value) ? value.filter((item) => isObject(item)) : []

const anything = { type: "object", "x-kubernetes-preserve-unknown-fields": true }

/** Compiles every served version; throws 422 when a schema is not structural. */
export function compileDefinition(definition: ApiObject, builtIn: boolean): ServedResource[] {
  const spec = definition.spec ?? {}
  const versions = objects(spec.versions)
  const storage = versions.find((version) => version.storage === true)
  const kind = asText(at(spec, "names", "kind"), "")
  const names = {
    group: asText(spec.group, ""),
    storageVersion: asText(storage?.name, ""),
    resource: asText(at(spec, "names", "plural"), ""),
    kind,
    listKind: asText(at(spec, "names", "listKind"), `${kind}List`),
    singular: asText(at(spec, "names", "singular"), kind.toLowerCase()),
    shortNames: texts(at(spec, "names", "shortNames")),
    categories: texts(at(spec, "names", "categories")),
    namespaced: spec.scope === "Namespaced",
    definition: definition.metadata.name,
    builtIn,
  }
  return versions
    .filter((version) => version.served === true)
    .map((version, index) => ({
      ...names,
      version: asText(version.name, ""),
      statusSubresource: isObject(at(version, "subresources", "status")),
      columns: objects(version.additionalPrinterColumns),
      schema: compileVersion(definition.metadata.name, version, index),
    }))
}

function compileVersion(name: string, version: JsonObject, index: number): CompiledSchema {
  try {
    const schema = at(version, "schema", "openAPIV3Schema")
    return compileSchema(isObject(schema) ? schema : anything)
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    const inner = isFault(error) ? (error.details.field ?? "") : ""
    const field = `spec.versions[${index}].schema.openAPIV3Schema${inner}`
    const causes = causesText([{ field, reason: "FieldValueInvalid", message }])
    const kind = "CustomResourceDefinition"
    throw apiFault("SPT-API-005", { kind, name, why: `${field}: ${message}`, causes }, error)
  }
}

export function servedApiVersion(resource: ServedResource): string {
  return apiVersionOf(resource.group, resource.version)
}

/** `files.host.setpoint.dev`: how messages name a resource. */
export function resourceName(resource: { group: string; resource: string }): string {
  return resource.group === "" ? resource.resource : `${resource.resource}.${resource.group}`
}
