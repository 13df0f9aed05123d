// A whole source from its files: all manifests, or the issues why there are none. Checks what only
// shows over all files: duplicates, totals, and kinds that must not come from a source. Pure.

import { protects } from "../../base/protections.ts"
import { type Manifest, positionText, type SourceIssue } from "../../contract/source.ts"
import { parseApiVersion, setpointGroup } from "../../object/object.ts"
import { boundIssues, sourceIssue } from "./issue.ts"
import { type ManifestLimits, manifestLimits } from "./limits.ts"
import { type ManifestFile, type ReadFile, readFile } from "./read-file.ts"

export interface ManifestOptions {
  /** Where manifests without a namespace go: the loop's own. */
  readonly namespace?: string
  /** At the top of `setpoint up PATH` Loop objects are welcome; inside a source never. */
  readonly allowLoops?: boolean
  readonly limits?: ManifestLimits
}

export type ManifestResult =
  | { readonly manifests: readonly Manifest[] }
  | { readonly issues: readonly SourceIssue[] }

export function readManifests(
  files: readonly ManifestFile[],
  options: ManifestOptions = {},
): ManifestResult {
  const limits = options.limits ?? manifestLimits
  const bytes = files.reduce((sum, file) => sum + Buffer.byteLength(file.text), 0)
  if (bytes > limits.sourceBytes) {
    return { issues: [sourceIssue("SPT-SOURCE-002", { bytes, limit: limits.sourceBytes })] }
  }
  return joinFiles(
    files.map((file) => readFile(file, limits)),
    options,
  )
}

/** The checks over all files; given apart so that unchanged files need not be parsed again. */
export function joinFiles(files: readonly ReadFile[], options: ManifestOptions): ManifestResult {
  const limits = options.limits ?? manifestLimits
  const issues = protects("broken-file-fails-the-source") ? files.flatMap(issuesOf) : []
  for (const { overlay } of files) {
    if (overlay !== undefined) issues.push(sourceIssue("SPT-SOURCE-024", {}, overlay.locate([])))
  }
  const manifests = files.flatMap((file) => file.manifests)
  if (manifests.length > limits.documents) {
    issues.push(sourceIssue("SPT-SOURCE-003", { limit: limits.documents, what: "manifests" }))
  }
  const seen = new Map<string, Manifest>()
  for (const manifest of manifests) {
    const { group } = parseApiVersion(manifest.object.apiVersion)
    const governing = governingIssue(manifest, group, options.allowLoops === true)
    if (governing !== undefined) issues.push(governing)
    const { name, namespace = options.namespace ?? "default" } = manifest.object.metadata
    const kind = manifest.object.kind
    const identity = `${group}\n${kind}\n${namespace}\n${name}`
    const first = seen.get(identity)
    if (first === undefined || !protects("duplicates-are-refused")) seen.set(identity, manifest)
    else {
      const object = `${kind} ${namespace}/${name}`
      const details = {
        object,
        first: positionText(first.position),
        second: positionText(manifest.position),
      }
      issues.push(sourceIssue("SPT-SOURCE-019", details, manifest.position))
    }
  }
  return issues.length > 0 ? { issues: boundIssues(issues, limits.issues) } : { manifests }
}

const issuesOf = (file: ReadFile): readonly SourceIssue[] => file.issues

const governingKinds = new Set(["Loop", "Plan", "Plane"])

function governingIssue(
  manifest: Manifest,
  group: string,
  allowLoops: boolean,
): SourceIssue | undefined {
  const { kind, metadata } = manifest.object
  if (group !== setpointGroup || !governingKinds.has(kind)) return undefined
  if (kind === "Loop" && allowLoops) return undefined
  return sourceIssue("SPT-SOURCE-020", { kind, name: metadata.name }, manifest.position)
}
