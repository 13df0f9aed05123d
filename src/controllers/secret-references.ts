// Whoever takes a value from a Secret could read it wherever it goes. So who writes an object with
// such a reference by API must be allowed to read that Secret, whoever wrote it first: another path
// or command would do to read the value. The same holds for objects of other namespaces. A source
// may use what it declares itself and what a role lets it read; a composite what its parent names,
// or what its own name, its parent's source or its last author may read.

import { forbidden } from "../api/http/forbidden.ts"
import { at, equalJson, isArray, isObject, type Json } from "../base/json.ts"
import { protects } from "../base/protections.ts"
import type { Admission } from "../contract/admission.ts"
import type { Access, Authorizer } from "../contract/authorizer.ts"
import type { ObjectRef } from "../contract/client.ts"
import { isComposer, isFromOutside, isSource, type Principal } from "../contract/principal.ts"
import type { KindProvider, Reference } from "../contract/provider.ts"
import { authorsSince } from "../object/authors.ts"
import type { ApiObject } from "../object/object.ts"
import { isSecretReference } from "../reconcile/desire.ts"

export interface SecretReferencePorts {
  readonly kinds: readonly KindProvider[]
  readonly authorizer: Authorizer
  /** Where the object is that a reference means; undefined while no such kind is served. */
  place(reference: Reference, namespace: string): ObjectRef | undefined
}

export function secretReferenceAdmission(ports: () => SecretReferencePorts): Admission {
  return {
    admit: ({ key, object, old, operation, subresource, principal }) => {
      const written = operation !== "delete" && subresource === "" && isFromOutside(principal)
      if (!written || equalJson(object.spec ?? {}, old?.spec ?? {})) return object
      const { kinds, authorizer, place } = ports()
      const kind = kinds.find((one) => one.group === key.group && one.kind === object.kind)
      for (const reference of referencesOf(kind, object)) {
        const access = accessOf(reference, key.namespace, place)
        if (access === undefined || authorizer.authorize(principal, access).allowed) continue
        throw forbidden(principal, access, "a reference would take its value")
      }
      return object
    },
  }
}

/** Of a composite everything that looks like one: what it hands on to its children is its own. */
function referencesOf(kind: KindProvider | undefined, { spec = {} }: ApiObject): Reference[] {
  if (kind?.provider === "composite") return referencesIn(spec)
  return [...(kind?.desire?.(spec, () => undefined).missing ?? [])]
}

/** Whatever has a kind, a name and a field; a Secret also without one. */
function referencesIn(value: Json | undefined): Reference[] {
  if (isArray(value)) return value.flatMap(referencesIn)
  if (!isObject(value)) return []
  const { kind, name, field, namespace, apiVersion } = value
  const below = Object.values(value).flatMap(referencesIn)
  const named = typeof kind === "string" && typeof name === "string"
  if (!named || (typeof field !== "string" && kind !== "Secret")) return below
  const found: Reference = {
    ...{ kind, name, field: typeof field === "string" ? field : "data" },
    ...(typeof namespace === "string" ? { namespace } : {}),
    ...(typeof apiVersion === "string" ? { apiVersion } : {}),
  }
  return [found, ...below]
}

/** What must be readable for the reference; undefined where nobody is asked. */
function accessOf(
  reference: Reference,
  namespace: string,
  place: SecretReferencePorts["place"],
): Access | undefined {
  // One of another namespace is never used.
  if (isSecretReference(reference)) return readOf(namespace, reference.name)
  const found = place(reference, namespace)
  const elsewhere = found?.namespace ?? reference.namespace ?? namespace
  if (elsewhere === namespace) return undefined
  const { group, resource, name } = found ?? { group: "*", resource: "*", name: reference.name }
  return { verb: "get", group, resource, subresource: "", namespace: elsewhere, name }
}

const readOf = (namespace: string, name: string): Access => ({
  ...{ verb: "get", group: "", resource: "secrets", subresource: "", namespace, name },
})

/** Values of a Secret that an object asks for. */
export interface TakenValues {
  readonly secret: ApiObject
  /** Names in its data; all of them when missing. */
  readonly keys?: readonly string[]
}

/** Why this object may not have these values; undefined when it may. */
export function refusalOf(
  asking: ApiObject,
  parent: ApiObject | undefined,
  taken: TakenValues,
  authorizer: Authorizer,
): string | undefined {
  if (!protects("secrets-are-taken-for-their-readers")) return undefined
  const parents = parent === undefined ? [] : declarersOf(parent)
  const names = [...declarersOf(asking), ...parents]
  const composed = names.some((name) => isComposer({ name }))
  // Who wrote it by API was asked then.
  if (names.length === 0) return undefined
  const { namespace = "", name } = taken.secret.metadata
  const told = parent !== undefined && parents.length === 0 && namesSecret(parent, name)
  if (composed && told) return undefined
  const authors = composed ? authorsSince(parent ?? asking, -1).slice(-1) : []
  const readers = [...names, ...authors]
  const may = readers.some((reader) => {
    if (declaresValues(reader, taken)) return true
    const principal: Principal = { name: reader, kind: "service" }
    return authorizer.authorize(principal, readOf(namespace, name)).allowed
  })
  return may ? undefined : `${readers.join(", ")} may not read it`
}

const namesSecret = ({ spec }: ApiObject, name: string): boolean =>
  referencesIn(spec).some((one) => isSecretReference(one) && one.name === name)

/** Who declares a label of somebody else's Secret has not declared what it holds. */
function declaresValues(reader: string, { secret, keys }: TakenValues): boolean {
  const entries = secret.metadata.managedFields ?? []
  const own = entries.filter(({ manager }) => manager === reader)
  const data = isObject(secret.data) ? secret.data : {}
  const asked = (keys ?? Object.keys(data)).filter((key) => Object.hasOwn(data, key))
  const declares = (key: string) =>
    own.some(({ fieldsV1 }) => at(fieldsV1, "f:data", `f:${key}`) !== undefined)
  return own.length > 0 && asked.every(declares)
}

/** Sources and composites that declare fields of it. */
function declarersOf({ metadata }: ApiObject): string[] {
  const managers = (metadata.managedFields ?? []).map(({ manager }) => manager)
  return [...new Set(managers)].filter((name) => isSource({ name }) || isComposer({ name }))
}
