// The field paths whose values are secret, read from the marks in a lowered schema. A secret inside
// a list or a map makes the whole list or map secret: paths are dotted member names only.

import { isObject, type Json, type JsonObject } from "../base/json.ts"

export function secretPathsOf(spec: JsonObject): readonly string[] {
  const paths = new Set<string>()
  const walk = (node: Json | undefined, path: string, inList: boolean): void => {
    if (!isObject(node)) return
    if (node["x-setpoint-secret"] === true) return void paths.add(path)
    if (isObject(node.properties)) {
      for (const [name, child] of Object.entries(node.properties)) {
        if (paths.has(path)) return
        // A name with a dot can't be said in a path, so what is around it counts as secret.
        const inner = path === "" ? name : `${path}.${name}`
        walk(child, inList || name.includes(".") ? path : inner, inList || name.includes("."))
      }
    }
    walk(node.items, path, true)
    walk(node.additionalProperties, path, true)
  }
  walk(spec, "", false)
  return [...paths]
}
