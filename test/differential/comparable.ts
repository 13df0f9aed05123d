// What of an answer must be equal on two servers: status, reason, causes, whole objects and tables;
// without times, hosts and random names, with uids and resourceVersions by order of appearance.

import type { Answer } from "./compared-server.ts"

type Json = null | boolean | number | string | Json[] | { [key: string]: Json }

export interface Comparable {
  readonly status: number
  readonly type: string
  readonly warnings: readonly string[]
  readonly body: Json
  /** For whoever reads a difference; never compared. */
  readonly message: string
}

const uids = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g

export function comparable(
  { status, type, warnings, text }: Answer,
  namespace: string,
  revisions: Map<string, number>,
): Comparable {
  const plain = text.replaceAll(namespace, "{ns}").replaceAll(uids, "uid")
  if (type !== "application/json") {
    const body = type === "application/yaml" ? "yaml" : plain.slice(0, 200)
    return { status, type, warnings, body, message: "" }
  }
  const parsed = JSON.parse(plain) as { [key: string]: Json }
  const message = typeof parsed.message === "string" ? parsed.message : ""
  const body = parsed.kind === "Status" ? failure(parsed) : shown(parsed, revisions)
  const warned = status < 300 ? warnings.flatMap((one) => one.split(/, (?=299 )/)).sort() : []
  return { status, type, warnings: warned, body, message }
}

const isMap = (value: Json | undefined): value is { [key: string]: Json } =>
  typeof value === "object" && value !== null && !Array.isArray(value)

function failure(status: { [key: string]: Json }): Json {
  const details = isMap(status.details) ? status.details : {}
  const causes = Array.isArray(details.causes) ? details.causes.filter(isMap) : []
  return {
    status: status.status ?? null,
    reason: status.reason ?? null,
    code: status.code ?? null,
    // Absent and empty mean the same to every client.
    name: details.name || null,
    group: details.group || null,
    kind: details.kind || null,
    causes: causes.map(({ field, reason }) => `${field} ${reason}`).sort(),
  }
}

function shown(value: Json, revisions: Map<string, number>): Json {
  if (Array.isArray(value)) return value.map((one) => shown(one, revisions))
  if (!isMap(value)) return typeof value === "string" ? value.replace(/^gen-\w{5}$/, "gen-") : value
  const isList = "items" in value || "rows" in value
  const out: { [key: string]: Json } = {}
  for (const [key, one] of Object.entries(value)) {
    if (key === "metadata" && isMap(one)) out[key] = ofMetadata(one, isList, revisions)
    else if (key === "items" && (one === null || Array.isArray(one))) {
      out[key] = (one ?? []).filter(isOurs).map((item) => shown(item, revisions))
    } else if (key === "cells" && Array.isArray(one)) out[key] = one.map(aged)
    else if (key === "rows" && Array.isArray(one)) {
      const own = one.filter((row) => isMap(row) && isOurs(row.object ?? null))
      out[key] = own.map((row) => shown(row, revisions))
    } else if (key === "description") out[key] = "..."
    else out[key] = shown(one, revisions)
  }
  return out
}

/** Kept in every namespace by what stands beside an API server, not by it. */
const isOurs = (item: Json): boolean =>
  !(isMap(item) && isMap(item.metadata) && item.metadata.name === "kube-root-ca.crt")

const aged = (cell: Json): Json =>
  typeof cell === "string" && /^(\d+[smhdy])+$|^<unknown>$/.test(cell) ? "age" : cell

function ofMetadata(
  metadata: { [key: string]: Json },
  isList: boolean,
  revisions: Map<string, number>,
): Json {
  const out: { [key: string]: Json } = {}
  for (const [key, value] of Object.entries(metadata)) {
    if (key === "continue" && value === "") continue
    if (key === "resourceVersion" && typeof value === "string") {
      if (!revisions.has(value) && !isList) revisions.set(value, revisions.size + 1)
      out[key] = isList ? "of a list" : (revisions.get(value) ?? 0)
    } else if (key === "uid" || key === "creationTimestamp" || key === "deletionTimestamp") {
      out[key] = value === null ? null : "some"
    } else if (key === "continue") out[key] = "some"
    else if (key === "remainingItemCount") out[key] = "some"
    else if (key === "managedFields" && Array.isArray(value)) {
      out[key] = value.filter(isMap).map(({ time: _, ...entry }) => entry)
    } else if (key === "ownerReferences" && Array.isArray(value)) {
      out[key] = value.filter(isMap).map((owner) => ({ ...owner, uid: "some" }))
    } else out[key] = shown(value, revisions)
  }
  return out
}
