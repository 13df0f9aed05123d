// From a path of the Kubernetes grammar to what it names. Unknown shapes are undefined, never a
// guess.

import type { ResourceRef } from "../../object/object.ts"

export interface ResourcePath {
  readonly resource: ResourceRef
  /** "" for cluster scope, or for all namespaces. */
  readonly namespace: string
  /** "" for the collection. */
  readonly name: string
  readonly subresource: string
}

export function parsePath(path: string): ResourcePath | undefined {
  let segments: string[]
  try {
    segments = path.split("/").slice(1).map(decodeURIComponent)
  } catch {
    return undefined
  }
  // A decoded slash would reach another key than the one that the path seems to name.
  if (segments.some((segment) => segment === "" || segment.includes("/"))) return undefined
  const [root, ...rest] = segments
  if (root === "api") return parseRest("", rest)
  if (root === "apis") return parseRest(rest[0] ?? "", rest.slice(1))
  return undefined
}

function parseRest(group: string, rest: readonly string[]): ResourcePath | undefined {
  const [version, ...parts] = rest
  if (version === undefined || parts.length === 0) return undefined
  // "namespaces/x/y..." names something in a namespace; "namespaces/x[/status]" the namespace.
  const inNamespace = parts[0] === "namespaces" && parts.length > 2 && !isOfNamespace(group, parts)
  const namespace = inNamespace ? (parts[1] ?? "") : ""
  const [resource, name = "", subresource = "", ...more] = inNamespace ? parts.slice(2) : parts
  if (resource === undefined || more.length > 0) return undefined
  return { resource: { group, version, resource }, namespace, name, subresource }
}

function isOfNamespace(group: string, parts: readonly string[]): boolean {
  return group === "" && parts.length === 3 && ["status", "finalize"].includes(parts[2] ?? "")
}
