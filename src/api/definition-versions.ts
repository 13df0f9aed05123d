// The versions of one definition, also those that are not served: objects and the records of their
// owners may be of any. Versions with one schema share what it compiles to.

import { at, isObject, type Json, type JsonObject } from "../base/json.ts"
import { jsonText } from "../base/json-text.ts"
import type { Revision } from "../contract/store.ts"
import { type ApiObject, apiVersionOf } from "../object/object.ts"
import { type CompiledSchema, compileSchema } from "../schema/compile-schema.ts"

const anything = { type: "object", "x-kubernetes-preserve-unknown-fields": true }

export function openApiSchemaOf(version: JsonObject): JsonObject {
  const schema = at(version, "schema", "openAPIV3Schema")
  return isObject(schema) ? schema : anything
}

export interface VersionsOptions {
  /** Whether a webhook stands between them: then also equal schemas mean different things. */
  readonly converted: boolean
  /** Undefined for those that never change. */
  readonly since?: Revision
}

export class DefinitionVersions {
  readonly #options: VersionsOptions
  readonly #texts = new Map<string, string>()
  readonly #schemas = new Map<string, JsonObject>()
  readonly #compiled = new Map<string, CompiledSchema | undefined>()

  constructor(group: string, versions: readonly JsonObject[], options: VersionsOptions) {
    this.#options = options
    for (const version of versions) {
      const apiVersion = apiVersionOf(group, text(version.name))
      const schema = openApiSchemaOf(version)
      const written = jsonText(schema)
      this.#texts.set(apiVersion, written)
      this.#schemas.set(written, schema)
    }
  }

  /** The revision at which they became as they are; undefined for those that never change. */
  get since(): Revision | undefined {
    return this.#options.since
  }

  /** Throws when the schema is not structural. */
  compile(version: JsonObject): CompiledSchema {
    const schema = openApiSchemaOf(version)
    const written = jsonText(schema)
    const compiled = this.#compiled.get(written) ?? compileSchema(schema)
    this.#compiled.set(written, compiled)
    return compiled
  }

  /** Undefined when the definition has no such version, or one that is not served and not valid. */
  schemaOf(apiVersion: string): CompiledSchema | undefined {
    const written = this.#texts.get(apiVersion)
    const schema = written === undefined ? undefined : this.#schemas.get(written)
    if (written === undefined || schema === undefined) return undefined
    if (!this.#compiled.has(written)) this.#compiled.set(written, compileIfValid(schema))
    return this.#compiled.get(written)
  }

  /** Whether objects of both differ by the name of the version alone. */
  areAlike(left: string, right: string): boolean {
    if (left === right) return true
    return !this.#options.converted && this.#texts.get(left) === this.#texts.get(right)
  }

  /** Without what its version does not know. */
  prune(object: ApiObject): ApiObject {
    const schema = this.schemaOf(object.apiVersion)
    return schema === undefined ? object : (schema.prune(object as JsonObject).value as ApiObject)
  }

  /** A stored object as its version is now: pruned, then with defaults. */
  settle(object: ApiObject): ApiObject {
    const schema = this.#options.since === undefined ? undefined : this.schemaOf(object.apiVersion)
    if (schema === undefined) return object
    return schema.applyDefaults(schema.prune(object as JsonObject).value) as ApiObject
  }

  /**
   * Stored bytes that are newer need no settling. Whoever writes through another version leaves
   * out the defaults of the stored one: with defaults and several versions all are looked at.
   */
  settledAfter(schema: CompiledSchema): Revision {
    const { converted, since } = this.#options
    if (since === undefined || !(schema.canPrune || schema.hasDefaults)) return 0
    const areOne = this.#texts.size < 2 || (!converted && this.#schemas.size === 1)
    return areOne || !schema.hasDefaults ? since : Number.POSITIVE_INFINITY
  }
}

/** What was stored under older rules may not be valid any more. */
function compileIfValid(schema: JsonObject): CompiledSchema | undefined {
  try {
    return compileSchema(schema)
  } catch {
    return undefined
  }
}

const text = (value: Json | undefined): string => (typeof value === "string" ? value : "")
