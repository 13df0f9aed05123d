// The field paths whose values are secret, read from the marks in a lowered schema. `[*]` stands for
// every item of a list and every value of a map.

import { isObject, type Json, type JsonObject } from "../base/json.ts"

export function secretPathsOf(spec: JsonObject): readonly string[] {
  const paths: string[] = []
  const walk = (node: Json | undefined, path: string): void => {
    if (!isObject(node)) return
    if (node["x-setpoint-secret"] === true) return void paths.push(path)
    if (isObject(node.properties)) {
      for (const [name, child] of Object.entries(node.properties)) {
        walk(child, path === "" ? name : `${path}.${name}`)
      }
    }
    walk(node.items, `${path}[*]`)
    walk(node.additionalProperties, `${path}[*]`)
  }
  walk(spec, "")
  return paths
}
