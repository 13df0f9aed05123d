// JSON Patch (RFC 6902) and JSON Merge Patch (RFC 7386) on plain values, with the liberties that
// Kubernetes takes: indices may count from the end, `replace` of a missing member adds it, a
// missing value is null. The input is never changed, both are bounded, and what can't be applied
// throws with the operation's number.

import {
  canonicalJson,
  equalJson,
  forbiddenKeys,
  isArray,
  isObject,
  type Json,
} from "../base/json.ts"

export const operationsMax = 10_000
const valuesMax = 1_000_000

/** `malformed` when the patch itself can't be read, whatever it would be applied to. */
export class PatchError extends Error {
  readonly malformed: boolean

  constructor(message: string, malformed = false) {
    super(message)
    this.malformed = malformed
  }
}

type Tree = Json[] | { [key: string]: Json }

export function applyMergePatch(target: Json | undefined, patch: Json): Json {
  if (!isObject(patch)) return isObject(target) ? patch : withoutNulls(patch)
  const result: Record<string, Json> = {}
  if (isObject(target)) {
    for (const [key, value] of Object.entries(target)) if (value !== undefined) result[key] = value
  }
  for (const [key, value] of Object.entries(patch)) {
    if (forbiddenKeys.has(key)) throw new PatchError(`the key "${key}" is forbidden`)
    if (value === null) delete result[key]
    else if (value !== undefined) {
      const before = Object.hasOwn(result, key) ? result[key] : undefined
      result[key] = applyMergePatch(before, value)
    }
  }
  return result
}

/** Null is how a patch removes: what is new has nothing to remove, also inside lists. */
function withoutNulls(value: Json): Json {
  if (isArray(value)) return value.map(withoutNulls)
  return isObject(value) ? applyMergePatch(undefined, value) : value
}

export function applyJsonPatch(target: Json, patch: Json): Json {
  if (!isArray(patch)) throw new PatchError("a JSON patch is a list of operations", true)
  if (patch.length > operationsMax) throw new PatchError(`more than ${operationsMax} operations`)
  let budget = valuesMax
  const copy = (value: Json): Json => {
    budget -= canonicalJson(value).length
    if (budget < 0) throw new PatchError("the operations copy too much")
    return structuredClone(value)
  }
  let root = structuredClone(target)
  patch.forEach((operation, index) => {
    try {
      root = applyOperation(root, operation, copy)
    } catch (error) {
      if (!(error instanceof PatchError)) throw error
      throw new PatchError(`operation ${index}: ${error.message}`, error.malformed)
    }
  })
  return root
}

function applyOperation(root: Json, operation: Json, copy: (value: Json) => Json): Json {
  if (!isObject(operation)) throw new PatchError("it is not an object", true)
  const { op, value = null } = operation
  const path = readPointer(operation.path)
  switch (op) {
    case "test":
      if (path.length > 0) parentOf(root, path)
      if (!equalJson(find(root, path) ?? null, value)) throw new PatchError("the test failed")
      return root
    case "remove":
      return remove(root, path)
    case "add":
      return put(root, path, copy(value), true)
    case "replace":
      if (path.length > 0) return put(root, path, copy(value), false)
      if (!isObject(value)) throw new PatchError("the whole can only become an object")
      return copy(value)
    case "move":
    case "copy": {
      const from = readPointer(operation.from)
      parentOf(root, from)
      const moved = copy(find(root, from) ?? null)
      return put(op === "move" ? remove(root, from) : root, path, moved, true)
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

/** Below zero it counts from the end; `size` is how many places there are. */
function indexIn(part: string, size: number): number {
  if (!/^[+-]?\d{1,9}$/.test(part)) throw new PatchError(`"${part.slice(0, 80)}" is no index`)
  const index = Number(part)
  if (index >= size || index < -size) throw new PatchError(`no such index: ${part}`)
  return index < 0 ? index + size : index
}

/** Undefined when there is no such member; throws when there is no such index. */
function find(root: Json, path: readonly string[]): Json | undefined {
  let current: Json | undefined = root
  for (const part of path) {
    if (isArray(current)) current = current[indexIn(part, current.length)]
    else if (isObject(current) && Object.hasOwn(current, part)) current = current[part]
    else return undefined
  }
  return current
}

/** The tree was cloned when the patch began, so that changing it in place is our own affair. */
function parentOf(root: Json, path: readonly string[]): Tree {
  const parent = path.length === 0 ? undefined : find(root, path.slice(0, -1))
  if (parent === undefined || parent === null || typeof parent !== "object") {
    throw new PatchError("the parent does not exist")
  }
  return parent as Tree
}

function put(root: Json, path: readonly string[], value: Json, insert: boolean): Json {
  const parent = parentOf(root, path)
  const last = path.at(-1) ?? ""
  if (!Array.isArray(parent)) parent[last] = value
  else if (!insert) parent[indexIn(last, parent.length)] = value
  else if (last === "-") parent.push(value)
  else parent.splice(indexIn(last, parent.length + 1), 0, value)
  return root
}

function remove(root: Json, path: readonly string[]): Json {
  const parent = parentOf(root, path)
  const last = path.at(-1) ?? ""
  if (Array.isArray(parent)) parent.splice(indexIn(last, parent.length), 1)
  else if (Object.hasOwn(parent, last)) delete parent[last]
  else throw new PatchError("no such path")
  return root
}
