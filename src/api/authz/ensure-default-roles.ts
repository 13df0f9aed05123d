// Makes the default roles and bindings of a plane. What was made once and deleted since stays
// deleted; what is there gets the rules and subjects that it lacks, unless its annotation says no.

import { equalJson, isArray, type Json } from "../../base/json.ts"
import { enginePrincipal } from "../../contract/principal.ts"
import type { Store } from "../../contract/store.ts"
import type { Verbs } from "../../contract/verbs.ts"
import type { ApiObject } from "../../object/object.ts"
import { autoUpdate } from "./default-roles.ts"
import { rbacGroup } from "./role-index.ts"

/** Which of them were ever made. */
const madeKey = "/access/default-roles"

export async function ensureDefaultRoles(
  { verbs, store }: { readonly verbs: Verbs; readonly store: Store },
  objects: readonly ApiObject[],
): Promise<void> {
  const before = await readMade(store)
  const made = new Set(before)
  for (const object of objects) {
    const resource = `${object.kind.toLowerCase()}s`
    const { name } = object.metadata
    const ref = { group: rbacGroup, version: "v1", resource, namespace: "", name }
    const id = `${resource}/${name}`
    const known = await verbs.get(enginePrincipal, ref)
    if (known === undefined && !made.has(id)) await verbs.create(enginePrincipal, ref, object)
    const next = known === undefined ? undefined : completed(known, object)
    if (next !== undefined) await verbs.update(enginePrincipal, ref, next)
    made.add(id)
  }
  if (made.size > before.size) await writeMade(store, made)
}

/** Undefined when nothing is missing. */
function completed(known: ApiObject, wanted: ApiObject): ApiObject | undefined {
  if (known.metadata.annotations?.[autoUpdate] !== "true") return undefined
  // The rules of an aggregating role are those of others.
  const part = wanted.kind === "ClusterRole" ? "rules" : "subjects"
  if (wanted.aggregationRule !== undefined) return undefined
  const [has, needs] = [listOf(known[part]), listOf(wanted[part])]
  const missing = needs.filter((one) => !has.some((other) => equalJson(one, other)))
  return missing.length === 0 ? undefined : { ...known, [part]: [...has, ...missing] }
}

const listOf = (value: unknown): readonly Json[] => (isArray(value) ? value : [])

async function readMade(store: Store): Promise<ReadonlySet<string>> {
  const entry = await store.get(madeKey)
  if (entry === undefined || "kind" in entry) return new Set()
  const names = JSON.parse(Buffer.from(entry.value).toString()) as Json
  return new Set(listOf(names).map(String))
}

async function writeMade(store: Store, names: ReadonlySet<string>): Promise<void> {
  const value = Buffer.from(JSON.stringify([...names].sort()))
  await store.commit([store.identity.epochCheck], [{ kind: "put", key: madeKey, value }])
}
