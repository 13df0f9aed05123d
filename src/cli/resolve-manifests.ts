// The manifests of `-f FILE`, `-f DIR` and `-f -`, each with its place; all of them, or every
// issue.

import { readFileSync, statSync } from "node:fs"
import { basename, resolve } from "node:path"
import { systemClock } from "../base/system.ts"
import type { Manifest, SourceIssue } from "../contract/source.ts"
import { type ApiObject, parseApiVersion } from "../object/object.ts"
import { nodeSourceFiles } from "../sources/directory/adapter/node-files.ts"
import { createDirectorySource } from "../sources/directory/directory-source.ts"
import { manifestLimits } from "../sources/manifests/limits.ts"
import { readManifests } from "../sources/manifests/read-manifests.ts"
import { cliFault } from "./faults.ts"
import type { ServedKindView } from "./resolve-kinds.ts"

export type ManifestsRead =
  | { readonly manifests: readonly Manifest[] }
  | { readonly issues: readonly SourceIssue[] }

const readMsMax = 60_000

export async function readGiven(given: string, namespace: string): Promise<ManifestsRead> {
  const options = { namespace, allowLoops: true }
  if (given === "-") {
    return readManifests([{ path: "stdin", text: readText(0, "standard input") }], options)
  }
  const path = resolve(given)
  if (isDirectory(path, given)) {
    const source = createDirectorySource({
      ...{ path, clock: systemClock, files: nodeSourceFiles },
      ...options,
    })
    const read = await source.read(AbortSignal.timeout(readMsMax))
    return read.kind === "complete" ? { manifests: read.manifests } : { issues: read.issues }
  }
  return readManifests([{ path: basename(path), text: readText(path, given) }], options)
}

function isDirectory(path: string, given: string): boolean {
  try {
    const stat = statSync(path)
    if (stat.size <= manifestLimits.fileBytes || stat.isDirectory()) return stat.isDirectory()
  } catch (error) {
    throw unreadable(given, error)
  }
  const limit = `${manifestLimits.fileBytes} bytes is the most`
  throw cliFault("SPT-CLI-002", { what: given, why: "it is too large", hint: limit })
}

function readText(path: string | number, given: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(readFileSync(path))
  } catch (error) {
    throw unreadable(given, error)
  }
}

function unreadable(what: string, error: unknown): Error {
  const why = error instanceof Error ? error.message : String(error)
  return cliFault("SPT-CLI-002", { what, why, hint: "name a file, a folder or - for input" }, error)
}

export interface GivenObject {
  readonly manifest: Manifest
  readonly kind: ServedKindView
  readonly object: ApiObject
}

/** Each manifest with the kind that serves it and its namespace filled in. */
export function placeGiven(
  manifests: readonly Manifest[],
  kinds: readonly ServedKindView[],
  namespace: string,
): { readonly objects: GivenObject[]; readonly issues: SourceIssue[] } {
  const objects: GivenObject[] = []
  const issues: SourceIssue[] = []
  for (const manifest of manifests) {
    const { object, position } = manifest
    const { group, version } = parseApiVersion(object.apiVersion)
    const kind = kinds.find(
      (one) => one.group === group && one.version === version && one.kind === object.kind,
    )
    if (kind === undefined) {
      const what = `${object.kind} ${object.metadata.name}`
      const why = `no kind ${object.kind} in ${object.apiVersion} is served`
      const hint = "`setpoint get definitions` lists what is served"
      const fault = cliFault("SPT-CLI-002", { what, why, hint })
      issues.push({ code: fault.code, message: fault.message, hint, position })
      continue
    }
    const place = kind.namespaced ? { namespace: object.metadata.namespace ?? namespace } : {}
    objects.push({
      manifest,
      kind,
      object: { ...object, metadata: { ...object.metadata, ...place } },
    })
  }
  return { objects, issues }
}
