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
  /** By the old prefix of a watch, "/api/v1/watch/...": whatever the query says. */
  readonly isOldWatch: boolean
}

export function parsePath(path: string): ResourcePath | undefined {
  const isCore = path.startsWith("/api/")
  if (!isCore && !path.startsWith("/apis/")) return undefined
  const segments = segmentsOf(path)
  if (segments === undefined) return undefined
  return isCore ? parseRest("", segments, 2) : parseRest(segments[2] ?? "", segments, 3)
}

/** Decoded, the first is ""; undefined when one of the others is empty or can't be decoded. */
function segmentsOf(path: string): string[] | undefined {
  const segments = path.split("/")
  const isPlain = !path.includes("%")
  for (let at = 1; at < segments.length; at++) {
    const segment = isPlain ? segments[at] : decoded(segments[at] ?? "")
    if (segment === undefined || segment === "") return undefined
    segments[at] = segment
  }
  return segments
}

/** A decoded slash would reach another key than the one that the path seems to name. */
function decoded(segment: string): string | undefined {
  try {
    const text = decodeURIComponent(segment)
    return text.includes("/") ? undefined : text
  } catch {
    return undefined
  }
}

/** The version is at `at`, and what it is of behind it. */
function parseRest(group: string, all: readonly string[], at: number): ResourcePath | undefined {
  const version = all[at]
  if (version === undefined) return undefined
  const isOldWatch = all[at + 1] === "watch"
  const named = parseNamed(group, all, isOldWatch ? at + 1 : at)
  if (named === undefined) return undefined
  const { resource, ...rest } = named
  return { resource: { group, version, resource }, ...rest, isOldWatch }
}

interface Named {
  readonly resource: string
  readonly namespace: string
  readonly name: string
  readonly subresource: string
}

/** What is named behind `at`. */
function parseNamed(group: string, all: readonly string[], at: number): Named | undefined {
  const count = all.length - at - 1
  if (count <= 0) return undefined
  // "namespaces/x/y..." names something in a namespace; "namespaces/x[/status]" the namespace.
  const inNamespace = all[at + 1] === "namespaces" && count > 2 && !isOfNamespace(group, all, at)
  const namespace = inNamespace ? (all[at + 2] ?? "") : ""
  const from = inNamespace ? at + 3 : at + 1
  const resource = all[from]
  if (resource === undefined || all.length - from > 3) return undefined
  const name = all[from + 1] ?? ""
  const subresource = all[from + 2] ?? ""
  return { resource, namespace, name, subresource }
}

function isOfNamespace(group: string, all: readonly string[], at: number): boolean {
  if (group !== "" || all.length - at !== 4) return false
  return all[at + 3] === "status" || all[at + 3] === "finalize"
}
