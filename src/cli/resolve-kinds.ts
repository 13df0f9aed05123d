// From what a person types to what the API serves: plural, singular, short name, kind, or any of
// them with the group behind a dot. A name that fits several kinds is refused with the choices.

import { isObject, type Json, type JsonObject } from "../base/json.ts"
import type { Client, ObjectRef } from "../contract/client.ts"
import { keyText, type ResourceRef } from "../object/object.ts"
import { cliFault } from "./faults.ts"

export interface ServedKindView extends ResourceRef {
  readonly kind: string
  readonly singular: string
  readonly shortNames: readonly string[]
  readonly categories: readonly string[]
  readonly namespaced: boolean
  /** Objects of it have targets. */
  readonly provider: boolean
  readonly columns: readonly JsonObject[]
}

export async function servedKinds(client: Pick<Client, "call">): Promise<ServedKindView[]> {
  const answer = await client.call("GET", "/setpoint/v1/kinds")
  const kinds = isObject(answer) && Array.isArray(answer.kinds) ? answer.kinds : []
  return kinds.filter(isObject).map(readKind)
}

function readKind(value: JsonObject): ServedKindView {
  const texts = (list: Json | undefined) => (Array.isArray(list) ? list.map(String) : [])
  return {
    group: String(value.group ?? ""),
    version: String(value.version ?? ""),
    resource: String(value.resource ?? ""),
    kind: String(value.kind ?? ""),
    singular: String(value.singular ?? ""),
    shortNames: texts(value.shortNames),
    categories: texts(value.categories),
    namespaced: value.namespaced === true,
    provider: value.provider === true,
    columns: Array.isArray(value.columns) ? value.columns.filter(isObject) : [],
  }
}

/** `files.host.setpoint.dev`: unmistakable. */
export function kindName({ group, resource }: ResourceRef): string {
  return group === "" ? resource : `${resource}.${group}`
}

export function findKind(kinds: readonly ServedKindView[], typed: string): ServedKindView {
  const wanted = typed.toLowerCase()
  const found = kinds.filter((kind) => namesOf(kind).includes(wanted))
  const [first, second] = found
  if (first !== undefined && second === undefined) return first
  // Kubernetes' own groups win over none, as kubectl has it: the core group comes first.
  const core = found.find((kind) => kind.group === "")
  if (core !== undefined) return core
  const what = `the kind ${typed}`
  if (first === undefined) {
    const near = [...new Set(kinds.map((kind) => kind.resource))].join(", ")
    throw cliFault("SPT-CLI-002", {
      what,
      why: "no such kind is served",
      hint: `there are ${near}`,
    })
  }
  const choices = found.map(kindName).join(", ")
  throw cliFault("SPT-CLI-002", { what, why: "several are called so", hint: `say ${choices}` })
}

/** "a,b" and "all", which stands for every kind that has targets. */
export function findKinds(kinds: readonly ServedKindView[], typed: string): ServedKindView[] {
  if (typed === "all") return kinds.filter((kind) => kind.provider)
  return typed.split(",").map((one) => findKind(kinds, one))
}

function namesOf(kind: ServedKindView): string[] {
  const names = [kind.resource, kind.singular, kind.kind.toLowerCase(), ...kind.shortNames]
  const plain = names.filter((name) => name !== "")
  if (kind.resource === "customresourcedefinitions") plain.push("definitions", "definition")
  return plain.flatMap((name) => [name, `${name}.${kind.group}`])
}

export interface NamedObject {
  readonly kind: ServedKindView
  readonly name: string
}

/** [KIND, NAME...] or [KIND/NAME...]. */
export function findObjects(
  kinds: readonly ServedKindView[],
  words: readonly string[],
): NamedObject[] {
  const [first = "", ...names] = words
  if (first.includes("/")) return words.map((word) => findOne(kinds, word))
  const kind = findKind(kinds, first)
  return names.map((name) => ({ kind, name }))
}

function findOne(kinds: readonly ServedKindView[], word: string): NamedObject {
  const slash = word.indexOf("/")
  const name = word.slice(slash + 1)
  if (slash > 0 && name !== "" && !name.includes("/")) {
    return { kind: findKind(kinds, word.slice(0, slash)), name }
  }
  const hint = "write KIND NAME or KIND/NAME"
  throw cliFault("SPT-CLI-002", { what: word, why: "it does not name an object", hint })
}

export function refOf({ kind, name }: NamedObject, namespace: string): ObjectRef {
  const { group, version, resource, namespaced } = kind
  return { group, version, resource, namespace: namespaced ? namespace : "", name }
}

/** The key that ledger views know the object by. */
export function keyOf(object: NamedObject, namespace: string): string {
  return keyText(refOf(object, namespace))
}

/** Exactly one object out of the words of a command. */
export function findObject(
  kinds: readonly ServedKindView[],
  words: readonly string[],
): NamedObject {
  const found = findObjects(kinds, words)
  const [first] = found
  if (first !== undefined && found.length === 1) return first
  const hint = "write KIND NAME or KIND/NAME"
  const why = "exactly one object is needed"
  throw cliFault("SPT-CLI-002", { what: `"${words.join(" ")}"`, why, hint })
}
