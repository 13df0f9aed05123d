// The part of JSONPath that printer columns use: members, indexes, and a filter on one member, as
// in `.status.conditions[?(@.type=="Ready")].status`. Anything else finds nothing.

import { at, isArray, isObject, type Json } from "../../base/json.ts"

const step =
  /\.([\w$-]+)|\['([^']*)'\]|\[(\d+)\]|\[\?\(@\.([\w$-]+)\s*==\s*["']([^"']*)["']\)\]|\[\*\]/y

export function jsonPath(value: Json | undefined, path: string): Json | undefined {
  const pattern = new RegExp(step)
  let current = value
  let end = 0
  for (let match = pattern.exec(path); match !== null; match = pattern.exec(path)) {
    const [, member, quoted, index, name, wanted] = match
    end = pattern.lastIndex
    const field = member ?? quoted
    if (field !== undefined) current = isObject(current) ? at(current, field) : undefined
    else if (index !== undefined) current = isArray(current) ? current[Number(index)] : undefined
    else if (name !== undefined && isArray(current)) {
      current = current.find((item) => isObject(item) && at(item, name) === wanted)
    } else if (!isArray(current)) current = undefined
  }
  return end === path.length ? current : undefined
}
