// A JSON value in which each part knows where it was written, so that a value that a patch brought
// is reported at the patch and its neighbours at their own files. Nodes are never changed; a patch
// makes new ones along its path. Each knows its size, bytes and height, so that growth can be
// bounded before anything is written out: a copy of a node costs nothing until then.

import { isArray, isObject, type Json, type JsonPrimitive } from "../../base/json.ts"
import type { Position } from "../../contract/source.ts"

export type Path = readonly (string | number)[]

export interface Placeable {
  locate(path: Path): Position
}

interface Measured {
  /** Where it was written; asked for only when something is wrong with it. */
  readonly at: () => Position
  readonly size: number
  /** Of all text in it, names of members too: what it would take at least when written out. */
  readonly bytes: number
  readonly height: number
}

export interface ScalarNode extends Measured {
  readonly scalar: JsonPrimitive
}

export interface ListNode extends Measured {
  readonly items: readonly Node[]
}

export interface MapNode extends Measured {
  readonly members: ReadonlyMap<string, Node>
}

export type Node = ScalarNode | ListNode | MapNode

export function listNode(items: readonly Node[], at: () => Position): ListNode {
  return { items, at, ...measure(items) }
}

export function mapNode(members: ReadonlyMap<string, Node>, at: () => Position): MapNode {
  const { bytes, ...measured } = measure(members.values())
  let names = 0
  for (const name of members.keys()) names += Buffer.byteLength(name)
  return { members, at, ...measured, bytes: bytes + names }
}

export function scalarNode(scalar: JsonPrimitive, at: () => Position): ScalarNode {
  const bytes = 1 + (typeof scalar === "string" ? Buffer.byteLength(scalar) : 0)
  return { scalar, at, size: 1, bytes, height: 1 }
}

function measure(children: Iterable<Node>): Pick<Measured, "size" | "bytes" | "height"> {
  let [size, bytes, height] = [1, 1, 0]
  for (const child of children) {
    size += child.size
    bytes += child.bytes
    height = Math.max(height, child.height)
  }
  return { size, bytes, height: height + 1 }
}

/** The value at `path` of something that can locate its parts. */
export function placeTree(value: Json, from: Placeable, path: Path = []): Node {
  const at = () => from.locate(path)
  if (isArray(value)) {
    const items = value.map((item, index) => placeTree(item, from, [...path, index]))
    return listNode(items, at)
  }
  if (!isObject(value)) return scalarNode(value, at)
  const members = new Map<string, Node>()
  for (const [name, member] of Object.entries(value)) {
    if (member !== undefined) members.set(name, placeTree(member, from, [...path, name]))
  }
  return mapNode(members, at)
}

export function treeValue(node: Node): Json {
  if ("scalar" in node) return node.scalar
  if ("items" in node) return node.items.map(treeValue)
  return Object.fromEntries([...node.members].map(([name, member]) => [name, treeValue(member)]))
}

/** The place of the value at a path; of the deepest part of the path that exists. */
export function locateIn(root: Node, path: Path): Position {
  let current = root
  for (const step of path) {
    const next =
      "items" in current
        ? current.items[Number(step)]
        : "members" in current
          ? current.members.get(String(step))
          : undefined
    if (next === undefined) break
    current = next
  }
  return current.at()
}
