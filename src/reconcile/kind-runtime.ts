// A provider's kind together with its compiled schema: what reconcile needs to compare fields.

import { isObject, type JsonObject } from "../base/json.ts"
import type { CompositeKind } from "../contract/composite.ts"
import { absent } from "../contract/observation.ts"
import type { ActResult, KindProvider } from "../contract/provider.ts"
import type { EffectMarks } from "../guard/effects.ts"
import type { ResourceRef } from "../object/object.ts"
import { compileSchema } from "../schema/compile-schema.ts"
import type { SchemaNode } from "../schema/schema-node.ts"

export interface KindRuntime {
  readonly provider: KindProvider
  readonly resource: ResourceRef
  /** Schema of the spec. */
  readonly node: SchemaNode
  /** Fields whose smaller value destroys something. */
  readonly marks: EffectMarks
  /** Has children instead of a target. */
  readonly composite?: CompositeKind
}

export function createKindRuntime(provider: KindProvider): KindRuntime {
  const { group, version, resource } = provider
  const spec = specSchema(provider.definition.spec)
  const { node } = compileSchema(spec, "value")
  return { provider, resource: { group, version, resource }, node, marks: marksOf(node) }
}

export function kindRuntimes(given: {
  readonly kinds: readonly KindProvider[]
  readonly composites?: readonly CompositeKind[]
}): readonly KindRuntime[] {
  const composites = (given.composites ?? []).map(createCompositeRuntime)
  return [...given.kinds.map(createKindRuntime), ...composites]
}

/**
 * Its objects are found, labelled, pruned and judged as those of other kinds are. There is no
 * target: nothing is observed of it, nothing is ever owned, and nothing acts on it.
 */
function createCompositeRuntime(composite: CompositeKind): KindRuntime {
  const { definition, group, version, kind, resource, namespaced, secretPaths = [] } = composite
  const nothing = async (): Promise<ActResult> => ({ kind: "failed", cause: noTarget, stuck: true })
  const provider: KindProvider = {
    ...{ definition, group, version, kind, resource, namespaced },
    ...{ provider: "composite", identityRule: "derived", replaceOn: [], secretPaths },
    ...{ fungible: false, confirmDrift: false, batchWhole: false },
    timeoutMs: { observe: 1000, act: 1000 },
    connection: () => "",
    identity: () => `${resource}.${group}`,
    desire: (spec) => ({ desired: spec, missing: [] }),
    observe: async () => absent(noTarget),
    ...{ create: nothing, update: nothing, delete: nothing },
  }
  return { ...createKindRuntime(provider), composite }
}

/** The same kind, with these fields secret as well: they hold the value of a Secret. */
export function withSecretPaths(kind: KindRuntime, paths: readonly string[]): KindRuntime {
  const { provider } = kind
  const more = [...new Set(paths)].filter((path) => !provider.secretPaths.includes(path))
  if (more.length === 0) return kind
  return { ...kind, provider: { ...provider, secretPaths: [...provider.secretPaths, ...more] } }
}

const noTarget = "a composite has children and no target of its own"

function marksOf(root: SchemaNode): EffectMarks {
  const scale = new Set<string>()
  const expiry = new Set<string>()
  const payload = new Set<string>()
  const visit = (node: SchemaNode, path: string) => {
    if (node.source["x-setpoint-scale"] === true) scale.add(path)
    if (node.source["x-setpoint-expiry"] === true) expiry.add(path)
    if (node.source["x-setpoint-payload"] === true) payload.add(path)
    if (node.items !== undefined) visit(node.items, path)
    for (const [name, child] of node.properties)
      visit(child, path === "" ? name : `${path}.${name}`)
  }
  visit(root, "")
  return { scale, expiry, payload }
}

/** The spec's schema inside an apiextensions definition. */
function specSchema(definition: JsonObject | undefined): JsonObject {
  const versions = definition?.versions
  const [version] = Array.isArray(versions) ? versions : []
  const root = isObject(version) && isObject(version.schema) ? version.schema.openAPIV3Schema : {}
  const properties = isObject(root) && isObject(root.properties) ? root.properties : {}
  return isObject(properties.spec) ? properties.spec : { type: "object" }
}

/** Text form of (provider, connection, identity): one owner in the plane. */
export function targetText(provider: KindProvider, desired: JsonObject): string {
  const connection = provider.connection(desired)
  const where = connection === "" ? provider.provider : `${provider.provider}@${connection}`
  return `${where}:${provider.identity(desired)}`
}
