// The fieldPath of a rule: `.spec.ports`, `['a-b']`, relative to the rule's own node. Only members
// that the schema declares can be named; items of lists can't.

import type { IssuePath } from "./issue.ts"
import type { SchemaNode } from "./schema-node.ts"

/** Undefined when it leads nowhere. */
export function fieldPathOf(text: string, node: SchemaNode): IssuePath | undefined {
  const path: string[] = []
  const parts = /\.([A-Za-z_][\w-]*)|\['([^']*)'\]/gy
  let current: SchemaNode | undefined = node
  let end = 0
  for (let match = parts.exec(text); match !== null; match = parts.exec(text)) {
    const name: string = match[1] ?? match[2] ?? ""
    current = current?.properties.get(name) ?? current?.additional
    if (current === undefined) return undefined
    path.push(name)
    end = parts.lastIndex
  }
  return end === text.length && path.length > 0 ? path : undefined
}
