// JSON Merge Patch (RFC 7386) and JSON Patch (RFC 6902) on placed values, strictly by their texts:
// an index counts from the start, and only what exists can be replaced, removed, moved or tested.
// Never changes its input; the result is bounded in size and depth. What can't be applied throws.

import { equalJson, forbiddenKeys } from "../../base/json.ts"
import type { Position } from "../../contract/source.ts"
import { listNode, type MapNode, mapNode, type Node, treeValue } from "./placed-tree.ts"

/** Why a patch can't be applied, and where that is written. */
export class PatchProblem extends Error {
  readonly at: Position

  constructor(message: string, at: Position) {
    super(message)
    this.at = at
  }
}

export interface TreeBounds {
  readonly values: number
  readonly bytes: number
  readonly depth: number
}

export function mergeTree(target: Node | undefined, patch: Node, bounds: TreeBounds): Node {
  return bounded(merge(target, patch), patch, bounds)
}

function merge(target: Node | undefined, patch: Node): Node {
  if (!("members" in patch)) return patch
  const into = target !== undefined && "members" in target ? target : undefined
  const members = new Map(into?.members)
  for (const [name, value] of patch.members) {
    if ("scalar" in value && value.scalar === null) members.delete(name)
    else members.set(name, merge(members.get(name), value))
  }
  return mapNode(members, (into ?? patch).at)
}

export function patchTree(target: Node, operations: readonly Node[], bounds: TreeBounds): Node {
  let root = target
  for (const operation of operations) {
    root = bounded(operate(root, readOperation(operation)), operation, bounds)
  }
  return root
}

function bounded(root: Node, by: Node, { values, bytes, depth }: TreeBounds): Node {
  if (root.size > values) throw new PatchProblem(`it makes more than ${values} values`, by.at())
  if (root.bytes > bytes) throw new PatchProblem(`it makes more than ${bytes} bytes`, by.at())
  if (root.height > depth + 1) throw new PatchProblem(`it nests deeper than ${depth}`, by.at())
  return root
}

interface Operation {
  readonly op: string
  readonly path: readonly string[]
  readonly from: readonly string[] | undefined
  readonly value: Node | undefined
  readonly at: Position
}

const needs = {
  add: "value",
  replace: "value",
  test: "value",
  move: "from",
  copy: "from",
  remove: undefined,
} as const

/** Read once when the overlay is, so that a wrong operation is refused wherever it would apply. */
export function readOperation(node: Node): Operation {
  const at = node.at()
  if (!("members" in node)) throw new PatchProblem("an operation is a mapping", at)
  const op = textOf(node, "op")
  if (op === undefined || !Object.hasOwn(needs, op)) {
    throw new PatchProblem("op must be add, remove, replace, move, copy or test", at)
  }
  const path = pointerOf(node, "path")
  if (path === undefined) throw new PatchProblem("the operation has no path", at)
  const from = pointerOf(node, "from")
  const value = node.members.get("value")
  const needed = needs[op as keyof typeof needs]
  if (needed !== undefined && { from, value }[needed] === undefined) {
    throw new PatchProblem(`${op} needs ${needed}`, at)
  }
  return { op, path, from, value, at }
}

function textOf(node: MapNode, name: string): string | undefined {
  const member = node.members.get(name)
  if (member === undefined) return undefined
  if ("scalar" in member && typeof member.scalar === "string") return member.scalar
  throw new PatchProblem(`${name} is no string`, member.at())
}

const partsMax = 128

function pointerOf(node: MapNode, name: string): readonly string[] | undefined {
  const text = textOf(node, name)
  if (text === undefined) return undefined
  const at = node.members.get(name)?.at() ?? node.at()
  if (text === "") throw new PatchProblem(`${name} names the whole object`, at)
  if (!text.startsWith("/")) throw new PatchProblem(`${name} does not begin with "/"`, at)
  const parts = text.slice(1).split("/")
  if (parts.length > partsMax) throw new PatchProblem(`${name} is too deep`, at)
  const names = parts.map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"))
  const forbidden = names.find((part) => forbiddenKeys.has(part))
  if (forbidden !== undefined) throw new PatchProblem(`the key "${forbidden}" is reserved`, at)
  return names
}

function operate(root: Node, { op, path, from = [], value, at }: Operation): Node {
  const given = () => value ?? root
  switch (op) {
    case "add":
      return change(root, path, { put: given(), insert: true }, at)
    case "replace":
      find(root, path, at)
      return change(root, path, { put: given(), insert: false }, at)
    case "remove":
      return change(root, path, "remove", at)
    case "copy":
      return change(root, path, { put: find(root, from, at), insert: true }, at)
    case "move": {
      const moved = find(root, from, at)
      return change(change(root, from, "remove", at), path, { put: moved, insert: true }, at)
    }
    default: {
      const there = treeValue(find(root, path, at))
      if (equalJson(there, treeValue(given()))) return root
      throw new PatchProblem(`the test of ${pointer(path)} failed`, at)
    }
  }
}

const pointer = (path: readonly string[]): string =>
  path.map((part) => `/${part.replaceAll("~", "~0").replaceAll("/", "~1")}`).join("")

function childOf(node: Node, part: string): Node | undefined {
  if ("items" in node) return isIndex(part) ? node.items[Number(part)] : undefined
  return "members" in node ? node.members.get(part) : undefined
}

const isIndex = (part: string): boolean => /^(0|[1-9]\d{0,8})$/.test(part)

function find(root: Node, path: readonly string[], at: Position): Node {
  let current = root
  for (const [index, part] of path.entries()) {
    const next = childOf(current, part)
    if (next === undefined) {
      throw new PatchProblem(`there is no ${pointer(path.slice(0, index + 1))}`, at)
    }
    current = next
  }
  return current
}

type Change = "remove" | { readonly put: Node; readonly insert: boolean }

/** New nodes along the path; everything beside it stays the same. */
function change(root: Node, path: readonly string[], what: Change, at: Position, depth = 0): Node {
  const part = path[depth] ?? ""
  const here = () => pointer(path.slice(0, depth + 1))
  if (depth < path.length - 1) {
    const child = childOf(root, part)
    if (child === undefined) throw new PatchProblem(`there is no ${here()}`, at)
    return withChild(root, part, change(child, path, what, at, depth + 1))
  }
  if ("members" in root) {
    const members = new Map(root.members)
    if (what !== "remove") members.set(part, what.put)
    else if (!members.delete(part)) throw new PatchProblem(`there is no ${here()}`, at)
    return mapNode(members, root.at)
  }
  if (!("items" in root)) throw new PatchProblem(`there is nothing in ${here()} to change`, at)
  const items = [...root.items]
  const adds = what !== "remove" && what.insert
  const index = adds && part === "-" ? items.length : isIndex(part) ? Number(part) : -1
  if (index < 0 || index >= items.length + (adds ? 1 : 0)) {
    throw new PatchProblem(`there is no ${here()}`, at)
  }
  if (what === "remove") items.splice(index, 1)
  else items.splice(index, adds ? 0 : 1, what.put)
  return listNode(items, root.at)
}

function withChild(node: Node, part: string, child: Node): Node {
  if ("items" in node) return listNode(node.items.with(Number(part), child), node.at)
  if (!("members" in node)) return node
  return mapNode(new Map(node.members).set(part, child), node.at)
}
