// Objects that take values from each other in a circle would wait for one another for ever, so a
// circle is refused when it is declared, and named. A value that is written in the other object's
// spec is no reason to wait. Single writes are judged against what is stored, a source's revision
// as one set, since its objects may change places in any order.

import { at, type Json } from "../base/json.ts"
import { protects } from "../base/protections.ts"
import type { Admission } from "../contract/admission.ts"
import type { ObjectRef } from "../contract/client.ts"
import { isSource } from "../contract/principal.ts"
import type { KindProvider, Reference } from "../contract/provider.ts"
import type { SourceIssue } from "../contract/source.ts"
import { type ApiObject, parseApiVersion } from "../object/object.ts"
import { controllerFault } from "./faults.ts"
import type { Placed } from "./place-manifest.ts"

export interface CirclePorts {
  readonly kinds: readonly KindProvider[]
  stored(ref: ObjectRef): Promise<ApiObject | undefined>
}

interface Node {
  readonly object: ApiObject
  readonly kind: KindProvider
}

/** How people name it; also what tells two objects apart. */
const nameOf = ({ object, kind }: Node) =>
  `${kind.kind}.${kind.group} ${object.metadata.namespace ?? ""}/${object.metadata.name}`

export function circleAdmission(ports: () => CirclePorts): Admission {
  return {
    admit: ({ key, object, operation, subresource, principal }) => {
      if (operation === "delete" || subresource === "status" || isSource(principal)) return object
      const kind = ports().kinds.find((one) => one.group === key.group && one.kind === object.kind)
      if (kind === undefined) return object
      return withoutCircle(object, kind, ports())
    },
  }
}

async function withoutCircle(
  object: ApiObject,
  kind: KindProvider,
  ports: CirclePorts,
): Promise<ApiObject> {
  const [circle] = await findCircles([{ object, kind }], ports, new Map())
  if (circle === undefined) return object
  throw controllerFault("SPT-REF-001", { object: circle.start, circle: circle.text })
}

/** The circles that a revision of a source would make: each has a changed object in it. */
export async function circleIssues(
  changed: readonly Placed[],
  all: readonly Placed[],
  ports: CirclePorts,
): Promise<SourceIssue[]> {
  const nodeOf = (one: Placed): (Placed & Node)[] => {
    const { group, resource } = one.key
    const kind = ports.kinds.find((own) => own.group === group && own.resource === resource)
    return kind?.desire === undefined ? [] : [{ ...one, kind }]
  }
  const starts = changed.flatMap(nodeOf).filter((node) => referencesOf(node).length > 0)
  if (starts.length === 0) return []
  const declared = new Map(all.flatMap(nodeOf).map((node) => [nameOf(node), node]))
  const circles = await findCircles(starts, ports, declared)
  return circles.map(({ start, text }) => {
    const fault = controllerFault("SPT-REF-001", { object: start, circle: text })
    const position = declared.get(start)?.manifest.position
    const { code, message, hint } = fault
    return { code, message, hint, ...(position === undefined ? {} : { position }) }
  })
}

interface Circle {
  readonly start: string
  readonly text: string
}

async function findCircles(
  starts: readonly Node[],
  ports: CirclePorts,
  declared: ReadonlyMap<string, Node>,
): Promise<Circle[]> {
  if (!protects("circles-are-refused")) return []
  const circles: Circle[] = []
  const done = new Set<string>()
  const open = new Set<string>() // In the order in which they were entered.
  const known = new Map(declared)
  for (const start of starts) known.set(nameOf(start), start)
  const visit = async (node: Node): Promise<void> => {
    const name = nameOf(node)
    if (done.has(name)) return
    if (open.has(name)) {
      const way = [...open]
      const round = [...way.slice(way.indexOf(name)), name]
      circles.push({ start: name, text: round.join(" -> ") })
      return
    }
    open.add(name)
    for (const next of await waitsFor(node, ports, known)) await visit(next)
    open.delete(name)
    done.add(name)
  }
  for (const start of starts) await visit(start)
  return circles
}

const referencesOf = ({ object, kind }: Node): readonly Reference[] =>
  kind.desire?.(object.spec ?? {}, () => undefined).missing ?? []

/** The objects without which this one can't be made. */
async function waitsFor(
  { object, kind }: Node,
  ports: CirclePorts,
  known: ReadonlyMap<string, Node>,
): Promise<Node[]> {
  const nodes: Node[] = []
  for (const reference of referencesOf({ object, kind })) {
    const node = await follow(reference, object.metadata.namespace ?? "", ports, known)
    if (node === undefined) continue
    const written = at(node.object as object as Json, ...reference.field.split("."))
    if (reference.field.startsWith("status") || written === undefined) nodes.push(node)
  }
  return nodes
}

async function follow(
  reference: Reference,
  namespace: string,
  { kinds, stored }: CirclePorts,
  known: ReadonlyMap<string, Node>,
): Promise<Node | undefined> {
  const { apiVersion, name } = reference
  const group = apiVersion === undefined ? undefined : parseApiVersion(apiVersion).group
  const kind = kinds.find(
    (one) => one.kind === reference.kind && one.group === (group ?? one.group),
  )
  if (kind === undefined) return undefined
  const where = kind.namespaced ? (reference.namespace ?? namespace) : ""
  const wanted = { metadata: { name, ...(where === "" ? {} : { namespace: where }) } }
  const declared = known.get(nameOf({ object: { apiVersion: "", kind: "", ...wanted }, kind }))
  if (declared !== undefined) return declared
  const { group: own, version, resource } = kind
  const object = await stored({ group: own, version, resource, namespace: where, name })
  return object === undefined ? undefined : { object, kind }
}
