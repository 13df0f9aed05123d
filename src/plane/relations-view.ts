// What one object is tied to: its owners and children, what it takes values from and who takes
// values from it, as far as a picture can hold. A caller sees only objects they may get; what those
// name themselves is named all the same, without a word on how it stands.

import { controllerOf, keyText } from "../object/object.ts"
import { placeOfReference } from "./find-reference.ts"
import { rowOf } from "./objects-view.ts"
import type { Plane } from "./plane.ts"
import type { Sight } from "./route-access.ts"

const nodesMax = 40
const reach = 3

export interface Relation {
  readonly from: string
  readonly to: string
  /** `from` owns `to`, or takes the value of `field` from it. */
  readonly kind: "owns" | "refers"
  readonly field?: string
}

interface Tie {
  readonly relation: Relation
  readonly other: string
  /** The object that is looked at says so itself. */
  readonly named: boolean
}

export async function relationsOf(plane: Plane, key: string, sight: Sight): Promise<object> {
  const distances = new Map([[key, 0]])
  const relations = new Map<string, Relation>()
  const open = [key]
  let cut = false
  for (let next = open.shift(); next !== undefined; next = open.shift()) {
    const distance = distances.get(next) ?? 0
    if (distance >= reach) continue
    for (const { relation, other, named } of await tiesOf(plane, next)) {
      const seen = sight.object(other)
      if (!named && !seen) continue
      const isNew = !distances.has(other)
      if (isNew && distances.size >= nodesMax) {
        cut = true
        continue
      }
      relations.set(`${relation.kind} ${relation.from} ${relation.to}`, relation)
      if (!isNew) continue
      distances.set(other, distance + 1)
      // Its children's own ties, and those of what may not be seen, are another story.
      const isChild = relation.kind === "owns" && relation.to === other
      if (seen && !isChild) open.push(other)
    }
  }
  const nodes = [...distances.keys()].map((one) => nodeOf(plane, one, sight))
  return { nodes, relations: [...relations.values()], cut }
}

async function tiesOf(plane: Plane, key: string): Promise<Tie[]> {
  const { references, feed } = plane.engine
  const refers = references.of(key).map(({ target, field }): Tie => {
    const relation = { from: key, to: target, kind: "refers", field } as const
    return { relation, other: target, named: true }
  })
  const owner = await ownerOf(plane, key)
  const owned: Tie[] =
    owner === undefined
      ? []
      : [{ relation: { from: owner, to: key, kind: "owns" }, other: owner, named: false }]
  const takers = references.dependents(key).map((other): Tie => {
    const field = references.of(other).find(({ target }) => target === key)?.field ?? ""
    return { relation: { from: other, to: key, kind: "refers", field }, other, named: false }
  })
  const uid = feed?.entry(key)?.uid ?? ""
  const dependents = uid === "" ? [] : plane.api.context.owners.dependents(uid)
  const children = dependents
    .map(keyText)
    .sort()
    .map((child): Tie => {
      return { relation: { from: key, to: child, kind: "owns" }, other: child, named: false }
    })
  return [...refers, ...owned, ...takers, ...children]
}

async function ownerOf(plane: Plane, key: string): Promise<string | undefined> {
  const { engine } = plane
  const object = await engine.feed?.object(key)
  const owner = controllerOf(object) ?? object?.metadata.ownerReferences?.[0]
  if (owner === undefined) return undefined
  const served = (group: string, kind: string) => plane.servedKind(group, kind)
  const named = { apiVersion: owner.apiVersion, kind: owner.kind, name: owner.name, field: "" }
  const { namespace = "" } = object?.metadata ?? {}
  const place = placeOfReference(engine.kinds, served, named, namespace)
  return place === undefined ? undefined : keyText(place)
}

function nodeOf(plane: Plane, key: string, sight: Sight): object {
  const { feed } = plane.engine
  const entry = feed?.entry(key)
  const kind = feed?.kindOf(key)?.provider.kind
  const named = kind === undefined ? {} : { kind }
  return entry === undefined || !sight.object(key)
    ? { key, ...named }
    : { ...rowOf(plane, entry), ...named }
}
