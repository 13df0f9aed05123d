// JSON Patch (RFC 6902) and JSON Merge Patch (RFC 7386) on plain values; the input is never
// changed. Both are bounded, and what can't be applied throws with the operation's number.

import { equalJson, forbiddenKeys, isArray, isObject, type Json } from "../base/json.ts"

export const operationsMax = 10_000
const valuesMax = 1_000_000

export class PatchError extends Error {}

export function applyMergePatch(target: Json | undefined, patch: Json): Json {
  if (!isObject(patch)) return patch
  const result: Record<string, Json> = {}
  if (isObject(target)) {
    for (const [key, value] of Object.entries(target)) if (value !== undefined) result[key] = value
  }
  for (const [key, value] of Object.entries(patch)) {
    if (forbiddenKeys.has(key)) throw new PatchError(`the key "${key}" is forbidden`)
    if (value === null) delete result[key]
    else if (value !== undefined) result[key] = applyMergePatch(result[key], value)
  }
  return result
}

type Tree = Json[] | { [key: string]: Json }

export function applyJsonPatch(target: Json, patch: Json): Json {
  if (!isArray(patch)) throw new PatchError("a JSON patch is a list of operations")
  if (patch.length > operationsMax) throw new PatchError(`more than ${operationsMax} operations`)
  let budget = valuesMax
  const copy = (value: Json): Json => {
    budget -= JSON.stringify(value).length
    if (budget < 0) throw new PatchError("the operations copy too much")
    return structuredClone(value)
  }
  let root = structuredClone(target)
  patch.forEach((operation, index) => {
    try {
      root = applyOperation(root, operation, copy)
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error)
      throw new PatchError(`operation ${index}: ${why}`)
    }
  })
  return root
}

function applyOperation(root: Json, operation: Json, copy: (value: Json) => Json): Json {
  if (!isObject(operation)) throw new PatchError("it is not an object")
  const { op, value } = operation
  const path = readPointer(operation.path)
  switch (op) {
    case "test":
      if (!equalJson(find(root, path), value)) throw new PatchError("the test failed")
      return root
    case "remove":
      return remove(root, path)
    case "add":
    case "replace":
      if (value === undefined) throw new PatchError("value is missing")
      if (op === "replace" && find(root, path) === undefined) throw new PatchError("no such path")
      return put(root, path, copy(value), op === "add")
    case "move":
    case "copy": {
      const from = readPointer(operation.from)
      const moved = find(root, from)
      if (moved === undefined) throw new PatchError("nothing at from")
      if (op === "move" && from.every((part, index) => path[index] === part)) {
        if (from.length === path.length) return root
        throw new PatchError("a value can't be moved into itself")
      }
      return put(op === "move" ? remove(root, from) : root, path, copy(moved), true)
    }
    default:
      throw new PatchError("op must be add, remove, replace, move, copy or test")
  }
}

function readPointer(text: Json | undefined): string[] {
  if (typeof text !== "string") throw new PatchError("path is missing")
  if (text === "") return []
  if (!text.startsWith("/")) throw new PatchError('a path begins with "/"')
  const parts = text.slice(1).split("/")
  if (parts.length > 128) throw new PatchError("the path is too deep")
  return parts.map((part) => {
    const name = part.replaceAll("~1", "/").replaceAll("~0", "~")
    if (forbiddenKeys.has(name)) throw new PatchError(`the key "${name}" is forbidden`)
    return name
  })
}

function indexIn(list: readonly Json[], part: string, end: number): number {
  const index = part === "-" ? list.length : /^(0|[1-9]\d{0,8})$/.test(part) ? Number(part) : -1
  if (index < 0 || index > end) throw new PatchError(`no such index: ${part}`)
  return index
}

function find(root: Json, path: readonly string[]): Json | undefined {
  let current: Json | undefined = root
  for (const part of path) {
    if (isArray(current))
      current = /^(0|[1-9]\d{0,8})$/.test(part) ? current[Number(part)] : undefined
    else if (isObject(current) && Object.hasOwn(current, part)) current = current[part]
    else return undefined
  }
  return current
}

/** The tree was cloned when the patch began, so that changing it in place is our own affair. */
function parentOf(root: Json, path: readonly string[]): Tree {
  const parent = find(root, path.slice(0, -1))
  if (parent === undefined || parent === null || typeof parent !== "object") {
    throw new PatchError("the parent does not exist")
  }
  return parent as Tree
}

function put(root: Json, path: readonly string[], value: Json, insert: boolean): Json {
  const last = path.at(-1)
  if (last === undefined) return value
  const parent = parentOf(root, path)
  if (!Array.isArray(parent)) parent[last] = value
  else if (insert) parent.splice(indexIn(parent, last, parent.length), 0, value)
  else parent[indexIn(parent, last, parent.length - 1)] = value
  return root
}

function remove(root: Json, path: readonly string[]): Json {
  const last = path.at(-1)
  if (last === undefined) throw new PatchError("the whole object can't be removed")
  const parent = parentOf(root, path)
  if (Array.isArray(parent)) parent.splice(indexIn(parent, last, parent.length - 1), 1)
  else if (Object.hasOwn(parent, last)) delete parent[last]
  else throw new PatchError("no such path")
  return root
}
