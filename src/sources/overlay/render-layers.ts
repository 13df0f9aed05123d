// A chain of folders, each changing the manifests of the one below it, to the manifests that come
// out: first what the base gives, then the folder's own, with variables replaced in both, and then
// the patches in their order. Pure; the same files give the same manifests in the same order.

import { isObject, type Json } from "../../base/json.ts"
import { type Manifest, positionText, type SourceIssue } from "../../contract/source.ts"
import { type ApiObject, parseApiVersion } from "../../object/object.ts"
import { sourceIssue } from "../manifests/issue.ts"
import { type ManifestLimits, manifestLimits } from "../manifests/limits.ts"
import { isApiObject, missing, type ReadFile } from "../manifests/read-file.ts"
import { overlayIssue } from "./faults.ts"
import { mergeTree, PatchProblem, patchTree } from "./patch-tree.ts"
import { locateIn, type Node, placeTree, treeValue } from "./placed-tree.ts"
import type { Overlay, OverlayPatch, PatchTarget } from "./read-overlay.ts"
import {
  type Growth,
  type Substitution,
  substitute,
  substituteTree,
  type Variables,
} from "./variables.ts"

export interface Layer {
  /** Missing for a plain folder, which ends the chain. */
  readonly overlay?: Overlay
  readonly manifests: readonly Manifest[]
}

/** `layers` begins with the folder that the loop points at; the last one has no base. */
export function renderLayers(layers: readonly Layer[], limits = manifestLimits): ReadFile {
  const issues: SourceIssue[] = []
  const growth = { left: limits.sourceBytes, limit: limits.sourceBytes }
  const out: Rendering = { issues, limits, growth }
  const given = variablesOf(layers)
  let manifests: Manifest[] = []
  for (let depth = layers.length - 1; depth >= 0 && issues.length === 0; depth--) {
    const layer = layers[depth]
    if (layer === undefined) continue
    const variables = given[depth]
    const by = variables === undefined ? undefined : { variables, issues, growth }
    const own = by === undefined ? layer.manifests : layer.manifests.map(withVariables(by, limits))
    manifests = manifests.concat(own)
    for (const patch of layer.overlay?.patches ?? []) {
      manifests = applyPatch(manifests, by === undefined ? patch : filled(patch, by), out)
    }
  }
  return { manifests: issues.length > 0 ? [] : manifests, issues }
}

interface Rendering {
  readonly issues: SourceIssue[]
  readonly limits: ManifestLimits
  readonly growth: Growth
}

/** What an overlay gives holds for everything below it; what lies above it wins. */
function variablesOf(layers: readonly Layer[]): (Variables | undefined)[] {
  let above: Variables | undefined
  return layers.map(({ overlay }) => {
    const own = overlay?.variables
    if (own !== undefined) above = new Map([...own, ...(above ?? [])])
    return above
  })
}

const withVariables =
  (by: Substitution, { objectBytes }: ManifestLimits) =>
  (manifest: Manifest): Manifest => {
    const { apiVersion, kind } = manifest.object
    const before = manifest.object as object as Json
    const found = by.issues.length
    const after = substitute(before, manifest, by)
    if (after === before || by.issues.length > found) return manifest
    // What a kind is decides who may write it: never a matter of a variable.
    const object = isObject(after) ? { ...after, apiVersion, kind } : {}
    if (placeTree(object, manifest).bytes > objectBytes) {
      const details = { target: `${kind} ${manifest.object.metadata.name}`, limit: objectBytes }
      by.issues.push(overlayIssue("SPT-OVERLAY-011", details, manifest.position))
      return manifest
    }
    return checked(object, manifest, by.issues, (path) => manifest.locate(path))
  }

function checked(
  value: Json,
  manifest: Manifest,
  issues: SourceIssue[],
  locate: Manifest["locate"],
): Manifest {
  const { position } = manifest
  if (isObject(value) && isApiObject(value)) {
    return { object: value as ApiObject, position, locate }
  }
  const problem = isObject(value) ? missing(value) : undefined
  const { at = [], member = "it", problem: what = "is no mapping" } = problem ?? {}
  const details = { file: position.file, member, problem: what }
  issues.push(sourceIssue("SPT-SOURCE-018", details, locate(at)))
  return manifest
}

function filled(patch: OverlayPatch, by: Substitution): OverlayPatch {
  const { change } = patch
  if ("merge" in change) return { ...patch, change: { merge: substituteTree(change.merge, by) } }
  if (!("json" in change)) return patch
  return { ...patch, change: { json: change.json.map((one) => substituteTree(one, by)) } }
}

function applyPatch(
  manifests: readonly Manifest[],
  patch: OverlayPatch,
  out: Rendering,
): Manifest[] {
  const { target, position } = patch
  const { issues } = out
  const name = targetText(target)
  const matched = manifests.filter((one) => matches(one, target))
  const [only] = matched
  if (only === undefined) {
    issues.push(overlayIssue("SPT-OVERLAY-005", { target: name }, position))
  } else if (matched.length > 1) {
    const places = matched.slice(0, 3).map((one) => positionText(one.position))
    const details = { target: name, count: matched.length, places: places.join(", ") }
    issues.push(overlayIssue("SPT-OVERLAY-006", details, position))
  } else {
    if ("remove" in patch.change) return manifests.filter((one) => one !== only)
    const after = patched(only, patch, out)
    return manifests.map((one) => (one === only ? after : one))
  }
  return [...manifests]
}

function matches({ object }: Manifest, { kind, name, namespace, group }: PatchTarget): boolean {
  const { metadata, apiVersion } = object
  return (
    object.kind === kind &&
    metadata.name === name &&
    (namespace === undefined || metadata.namespace === namespace) &&
    (group === undefined || parseApiVersion(apiVersion).group === group)
  )
}

const identity = [
  ["apiVersion"],
  ["kind"],
  ["metadata", "name"],
  ["metadata", "namespace"],
] as const

function patched(
  manifest: Manifest,
  { target, change, position }: OverlayPatch,
  { issues, limits, growth }: Rendering,
): Manifest {
  const before = placeTree(manifest.object as object as Json, manifest)
  const { nodesPerFile, objectBytes, depth } = limits
  const bounds = { values: nodesPerFile, bytes: objectBytes, depth }
  let after: Node = before
  try {
    if ("merge" in change) after = mergeTree(before, change.merge, bounds)
    else if ("json" in change) after = patchTree(before, change.json, bounds)
  } catch (error) {
    if (!(error instanceof PatchProblem)) throw error
    const details = { target: targetText(target), cause: error.message }
    issues.push(overlayIssue("SPT-OVERLAY-007", details, error.at))
    return manifest
  }
  for (const path of identity) {
    if (textAt(before, path) === textAt(after, path)) continue
    const details = { target: targetText(target), member: path.join(".") }
    issues.push(overlayIssue("SPT-OVERLAY-008", details, position))
    return manifest
  }
  growth.left -= Math.max(0, after.bytes - before.bytes)
  if (growth.left < 0) {
    const details = { target: targetText(target), limit: growth.limit }
    issues.push(overlayIssue("SPT-OVERLAY-012", details, position))
    return manifest
  }
  const value = treeValue(after)
  return checked(value, manifest, issues, (path) => locateIn(after, path))
}

function textAt(root: Node, path: readonly string[]): Json | undefined {
  let current: Node | undefined = root
  for (const step of path) {
    current = current !== undefined && "members" in current ? current.members.get(step) : undefined
  }
  if (current === undefined) return undefined
  return "scalar" in current ? current.scalar : null
}

function targetText({ kind, name, namespace, group }: PatchTarget): string {
  const place = namespace === undefined ? name : `${namespace}/${name}`
  return group === undefined || group === "" ? `${kind} ${place}` : `${kind}.${group} ${place}`
}
