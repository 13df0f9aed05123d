// A provider's kind together with its compiled schema: what reconcile needs to compare fields.

import { isObject, type JsonObject } from "../base/json.ts"
import type { KindProvider } from "../contract/provider.ts"
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
}

export function createKindRuntime(provider: KindProvider): KindRuntime {
  const { group, version, resource } = provider
  const spec = specSchema(provider.definition.spec)
  const { node } = compileSchema(spec, "value")
  return { provider, resource: { group, version, resource }, node, marks: marksOf(node) }
}

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
