// A definition made ready to serve: names, scope and the compiled schema of each served version.

import { isFault } from "../base/faults.ts"
import { at, isArray, isObject, type Json, type JsonObject } from "../base/json.ts"
import type { Revision } from "../contract/store.ts"
import type { WebhookClient } from "../contract/webhook.ts"
import { type ApiObject, apiVersionOf, type ResourceRef } from "../object/object.ts"
import type { CompiledSchema } from "../schema/compile-schema.ts"
import { DefinitionVersions, openApiSchemaOf } from "./definition-versions.ts"
import { apiFault, causesText } from "./faults.ts"
import { rulesOf } from "./kinds/built-in-rules.ts"
import type { KindRules } from "./kinds/kind-rules.ts"
import { webhookClient } from "./webhook-client.ts"

export interface Subresource {
  readonly name: string
  readonly group: string
  readonly version: string
  readonly kind: string
  readonly verbs: readonly string[]
}

export interface ScalePaths {
  readonly spec: string
  readonly status: string
  readonly labelSelector?: string
}

export const storedVerbs: readonly string[] = [
  "create",
  "delete",
  "deletecollection",
  "get",
  "list",
  "patch",
  "update",
  "watch",
]

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
  /** What discovery and the router allow on it. */
  readonly verbs: readonly string[]
  /** Never stored: a review that is answered when it is created. */
  readonly virtual: boolean
  /** Besides status and scale. */
  readonly subresources: readonly Subresource[]
  readonly scale?: ScalePaths
  /** JSON paths (".spec.color") that field selectors may name. */
  readonly selectableFields: readonly string[]
  /** Sent as a Warning with every answer. */
  readonly deprecationWarning?: string
  /** Where its objects are stored; another group's kind when both are views of one store. */
  readonly storedAs: ResourceRef
  /** What only built-in kinds have; empty for others. */
  readonly rules: KindRules
  /** PUT of a missing object makes it. */
  readonly createOnUpdate: boolean
  /** PUT without a resourceVersion overwrites what is there. */
  readonly unconditionalUpdate: boolean
  /** Who converts between versions; undefined when their names and schemas are all that differs. */
  readonly conversion?: WebhookClient
  /** All that its definition has. */
  readonly versions: DefinitionVersions
  /** Stored bytes of its version go out as they are when they are newer than this. */
  readonly plainAfter: Revision
  /** The schema as it was declared, for OpenAPI. */
  readonly openApiSchema: JsonObject
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

/**
 * Compiles every served version; throws 422 when a schema is not structural. `since`: the revision
 * at which the definition became as it is; undefined for built-in kinds.
 */
export function compileDefinition(definition: ApiObject, since?: Revision): ServedResource[] {
  const builtIn = since === undefined
  const spec = definition.spec ?? {}
  const versions = objects(spec.versions)
  const storage = versions.find((version) => version.storage === true)
  const kind = asText(at(spec, "names", "kind"), "")
  const group = asText(spec.group, "")
  const conversion = conversionOf(spec.conversion)
  const converted = conversion.conversion !== undefined
  const options = { converted, ...(since === undefined ? {} : { since }) }
  const all = new DefinitionVersions(group, versions, options)
  const names = {
    group,
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
    ...conversion,
    versions: all,
    rules: builtIn ? rulesOf(definition.metadata.name, definition["x-setpoint"]) : {},
    ...builtInTraits(builtIn ? definition["x-setpoint"] : undefined),
  }
  const { resource, storageVersion } = names
  const storedAs = names.storedAs ?? { group, version: storageVersion, resource }
  return versions
    .filter((version) => version.served === true)
    .map((version, index) => ({
      ...names,
      storedAs,
      version: asText(version.name, ""),
      statusSubresource: isObject(at(version, "subresources", "status")),
      columns: objects(version.additionalPrinterColumns),
      ...scaleOf(version),
      selectableFields: objects(version.selectableFields).map((one) => asText(one.jsonPath, "")),
      ...deprecationOf(version, group, kind),
      openApiSchema: openApiSchemaOf(version),
      ...compiledOf(all, compileVersion(all, definition.metadata.name, version, index), converted),
    }))
}

/** What only definitions that we wrote ourselves can say. */
export interface BuiltInTraits {
  readonly verbs?: readonly string[]
  readonly virtual?: boolean
  readonly subresources?: readonly Subresource[]
  readonly createOnUpdate?: boolean
  readonly unconditionalUpdate?: boolean
  /** Its objects are those of this kind, in another form; rules say how they differ. */
  readonly storedAs?: ResourceRef
  /** Plain data of Kubernetes, as Go programs write it. */
  readonly nullIsAbsent?: boolean
}

type FullTraits = Required<Omit<BuiltInTraits, "storedAs" | "nullIsAbsent">>

function builtInTraits(given: unknown): FullTraits & Pick<BuiltInTraits, "storedAs"> {
  const traits: BuiltInTraits = isObject(given) ? (given as object) : {}
  return {
    verbs: traits.verbs ?? storedVerbs,
    virtual: traits.virtual ?? false,
    subresources: traits.subresources ?? [],
    createOnUpdate: traits.createOnUpdate ?? false,
    unconditionalUpdate: traits.unconditionalUpdate ?? false,
    ...(traits.storedAs === undefined ? {} : { storedAs: traits.storedAs }),
  }
}

/** What a webhook converts is made ready before anybody asks for bytes. */
const compiledOf = (versions: DefinitionVersions, schema: CompiledSchema, converted: boolean) => ({
  schema,
  plainAfter: converted ? 0 : versions.settledAfter(schema),
})

function conversionOf(conversion: Json | undefined): Pick<ServedResource, "conversion"> {
  if (!isObject(conversion) || conversion.strategy !== "Webhook") return {}
  const client = webhookClient(at(conversion, "webhook", "clientConfig"))
  return client === undefined ? {} : { conversion: client }
}

function scaleOf(version: JsonObject): { scale?: ScalePaths } {
  const scale = at(version, "subresources", "scale")
  if (!isObject(scale)) return {}
  const labelSelector = asText(scale.labelSelectorPath, "")
  const spec = asText(scale.specReplicasPath, "")
  const status = asText(scale.statusReplicasPath, "")
  return { scale: { spec, status, ...(labelSelector === "" ? {} : { labelSelector }) } }
}

function deprecationOf(version: JsonObject, group: string, kind: string) {
  if (version.deprecated !== true) return {}
  const otherwise = `${group}/${asText(version.name, "")} ${kind} is deprecated`
  return { deprecationWarning: asText(version.deprecationWarning, otherwise) }
}

function compileVersion(
  versions: DefinitionVersions,
  name: string,
  version: JsonObject,
  index: number,
): CompiledSchema {
  try {
    return versions.compile(version)
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
