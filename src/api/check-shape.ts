// Bounds on any object that comes in, whatever reader made it: nesting, forbidden keys, plain JSON
// values only. In-process callers pass here too, since their values may come from a user's file.

import { forbiddenKeys, isArray, isObject } from "../base/json.ts"
import { apiFault } from "./faults.ts"

export const depthMax = 64
export const objectBytesMax = 1024 * 1024
const valuesMax = 500_000

export function checkShape(value: unknown): void {
  const stack: { readonly value: unknown; readonly depth: number }[] = [{ value, depth: 0 }]
  let seen = 0
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    if (next.depth > depthMax) refuse(`nesting deeper than ${depthMax}`)
    if (++seen > valuesMax) refuse(`more than ${valuesMax} values`)
    const depth = next.depth + 1
    if (isArray(next.value)) {
      for (const item of next.value) stack.push({ value: item, depth })
    } else if (isObject(next.value)) {
      for (const key of Object.keys(next.value)) {
        if (forbiddenKeys.has(key)) refuse(`the key "${key}" is forbidden`)
        stack.push({ value: next.value[key], depth })
      }
    } else if (!isScalar(next.value)) {
      refuse(`a ${typeof next.value} is no JSON value`)
    }
  }
}

function isScalar(value: unknown): boolean {
  if (typeof value === "number") return Number.isFinite(value)
  return value === null || ["string", "boolean", "bigint", "undefined"].includes(typeof value)
}

function refuse(why: string): never {
  throw apiFault("SPT-API-006", { verb: "read", what: "the object", why })
}
