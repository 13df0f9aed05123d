// Whether a target is as desired, judged as the engine does it: after normalising, for the fields
// that the spec gives; what the target adds by itself does not count.

import { canonicalJson, isArray, isObject, type Json, type JsonObject } from "../../base/json.ts"
import type { KindProvider } from "../../contract/provider.ts"
import { specSchemaOf } from "../spec-schema.ts"

/** The path of the first field that disagrees, or undefined. */
export function firstDifference(
  kind: KindProvider,
  desired: JsonObject,
  observed: JsonObject,
): string | undefined {
  const normal = (value: JsonObject) => kind.normalize?.(value) ?? value
  const secrets = new Set(kind.secretPaths)
  return differ(specSchemaOf(kind), normal(desired), normal(observed), "", secrets)
}

function differ(
  schema: Json | undefined,
  wanted: Json | undefined,
  found: Json | undefined,
  path: string,
  secrets: ReadonlySet<string>,
): string | undefined {
  const shape = isObject(schema) ? schema : {}
  const place = path === "" ? "spec" : path
  // A system that never gives a secret back can't be asked to.
  if (found === undefined && secrets.has(path)) return undefined
  if (isArray(wanted)) {
    if (!isArray(found) || wanted.length !== found.length) return place
    const unordered = shape["x-kubernetes-list-type"] !== undefined
    const sorted = (list: readonly Json[]) =>
      unordered && shape["x-kubernetes-list-type"] !== "atomic"
        ? [...list].sort((a, b) => (canonicalJson(a) < canonicalJson(b) ? -1 : 1))
        : list
    const other = sorted(found)
    return sorted(wanted)
      .map((item, index) => differ(shape.items, item, other[index], `${path}[*]`, secrets))
      .find((difference) => difference !== undefined)
  }
  if (!isObject(wanted)) return canonicalJson(wanted) === canonicalJson(found) ? undefined : place
  if (!isObject(found)) return place
  // One value as a whole: what somebody put in beside it is a difference, too.
  if (shape["x-kubernetes-map-type"] === "atomic") {
    return canonicalJson(wanted) === canonicalJson(found) ? undefined : place
  }
  const properties = isObject(shape.properties) ? shape.properties : {}
  for (const [name, member] of Object.entries(wanted)) {
    if (member === undefined) continue
    const child = properties[name] ?? shape.additionalProperties
    const inner = path === "" ? name : `${path}.${name}`
    const difference = differ(child, member, found[name], inner, secrets)
    if (difference !== undefined) return difference
  }
  return undefined
}
