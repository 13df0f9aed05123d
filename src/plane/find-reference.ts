// Which object a reference means, and the value of its field. The plane and a preview share it. Any
// kind that is served can be referred to; of a Secret the decoded value is given, and whoever asks
// for it keeps it out of everything that is remembered.

import { isArray, isObject, type Json } from "../base/json.ts"
import type { Authorizer } from "../contract/authorizer.ts"
import type { ObjectRef } from "../contract/client.ts"
import type { Reference } from "../contract/provider.ts"
import { refusalOf, type TakenValues } from "../controllers/secret-references.ts"
import { type ApiObject, controllerOf, parseApiVersion } from "../object/object.ts"
import { isSecretReference, type Lookup, RefusedValue } from "../reconcile/desire.ts"
import type { KindRuntime } from "../reconcile/kind-runtime.ts"

export type ServedKinds = (
  group: string,
  kind: string,
) =>
  | { readonly resource: Omit<ObjectRef, "namespace" | "name">; readonly namespaced: boolean }
  | undefined

/** Undefined when no such kind is known. A kind of a provider comes before a built-in one. */
export function placeOfReference(
  kinds: Iterable<KindRuntime>,
  served: ServedKinds,
  { apiVersion, kind, namespace: given, name }: Reference,
  namespace: string,
): ObjectRef | undefined {
  const group = apiVersion === undefined ? undefined : parseApiVersion(apiVersion).group
  for (const { provider, resource } of kinds) {
    if (provider.kind !== kind || provider.group !== (group ?? provider.group)) continue
    return { ...resource, namespace: provider.namespaced ? (given ?? namespace) : "", name }
  }
  const found = served(group ?? "", kind)
  if (found === undefined) return undefined
  return { ...found.resource, namespace: found.namespaced ? (given ?? namespace) : "", name }
}

export function valueOfReference(object: ApiObject, reference: Reference): Json | undefined {
  const [first = "", ...rest] = reference.field.split(".")
  const member = first === "metadata" ? { ...object.metadata } : object[first]
  const named = first === "data" && rest.length > 0
  const value = named
    ? dataAt(member as Json | undefined, rest.join("."))
    : valueAt(member as Json | undefined, rest)
  if (!isSecretReference(reference)) return value
  return first === "data" ? decoded(value) : undefined
}

/** Names of data have dots. */
const dataAt = (data: Json | undefined, name: string): Json | undefined =>
  isObject(data) && Object.hasOwn(data, name) ? data[name] : undefined

/** Names go into objects, numbers into lists. */
function valueAt(value: Json | undefined, path: readonly string[]): Json | undefined {
  let current = value
  for (const name of path) {
    if (isArray(current) && /^\d{1,6}$/.test(name)) current = current[Number(name)]
    else if (isObject(current) && Object.hasOwn(current, name)) current = current[name]
    else return undefined
  }
  return current
}

/** One value, or all of them by name. */
function decoded(value: Json | undefined): Json | undefined {
  if (typeof value === "string") return Buffer.from(value, "base64").toString("utf8")
  if (!isObject(value)) return undefined
  const all = Object.entries(value).map(([name, one]) => [name, decoded(one)] as const)
  return Object.fromEntries(all)
}

export interface ReferencePorts {
  readonly kinds: Iterable<KindRuntime>
  readonly served: ServedKinds
  readonly authorizer: Authorizer
  get(ref: ObjectRef): Promise<ApiObject | undefined>
}

export function referenceLookup(ports: ReferencePorts): Lookup {
  return async (reference, namespace, asking) => {
    const place = placeOfReference(ports.kinds, ports.served, reference, namespace)
    const object = place === undefined ? undefined : await ports.get(place)
    if (object === undefined) return undefined
    const taken = { secret: object, ...keysOf(reference) }
    const why = isSecretReference(reference) ? await refusalFor(ports, asking, taken) : undefined
    return why === undefined ? valueOfReference(object, reference) : new RefusedValue(why)
  }
}

/** Of "data.password" that one, of "data" all. */
function keysOf({ field }: Reference): Pick<TakenValues, "keys"> {
  return field.startsWith("data.") ? { keys: [field.slice("data.".length)] } : {}
}

/** Why this object, or the composite that declares it, may not have these values. */
export async function refusalFor(
  ports: ReferencePorts,
  asking: ApiObject,
  taken: TakenValues,
): Promise<string | undefined> {
  const owner = controllerOf(asking)
  const { namespace = "" } = asking.metadata
  const place =
    owner === undefined
      ? undefined
      : placeOfReference(ports.kinds, ports.served, { ...owner, field: "" }, namespace)
  const named = place === undefined ? undefined : await ports.get(place)
  const parent = named?.metadata.uid === owner?.uid ? named : undefined
  return refusalOf(asking, parent, taken, ports.authorizer)
}
