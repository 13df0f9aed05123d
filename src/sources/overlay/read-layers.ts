// Follows the chain of bases from the folder that a loop points at, and renders it. Whoever reads
// the folders (a disk, a commit) hands them over by one function; a folder without an overlay is
// given back as it is. Never looks outside of the root: the path of a base is judged before it is
// read.

import type { SourceIssue } from "../../contract/source.ts"
import { type ManifestLimits, manifestLimits } from "../manifests/limits.ts"
import type { ReadFile } from "../manifests/read-file.ts"
import { resolveBase } from "./base-path.ts"
import { overlayIssue } from "./faults.ts"
import { type Overlay, readOverlay } from "./read-overlay.ts"
import { type Layer, renderLayers } from "./render-layers.ts"

export interface FolderFile {
  /** Relative to the folder. */
  readonly name: string
  readonly read: ReadFile
}

export interface LayerFolders {
  /** The folder that the loop points at, relative to the root; "" where it is the root. */
  readonly top: string
  /** Whether bases may lie outside of `top`. */
  readonly hasRoot: boolean
  /** Every manifest file of a folder, in order; undefined when there is no such folder. */
  read(folder: string): Promise<readonly FolderFile[] | undefined>
  readonly limits?: ManifestLimits
}

export interface LayeredFiles {
  readonly files: readonly ReadFile[]
  /** Every folder that was read, the top first. */
  readonly folders: readonly string[]
}

/** Overlays above each other, the loop's own folder included. */
export const layersMax = 8

export async function readLayers(folders: LayerFolders): Promise<LayeredFiles> {
  const { limits = manifestLimits, hasRoot } = folders
  const layers: Layer[] = []
  const visited: string[] = []
  let next: { folder: string; by?: Overlay } = { folder: folders.top }
  for (;;) {
    const { folder, by } = next
    const files = (await folders.read(folder)) ?? []
    visited.push(folder)
    const found = files.find(({ read }) => read.overlay !== undefined)
    if (found === undefined && layers.length === 0) {
      return { files: files.map(({ read }) => read), folders: visited }
    }
    const layer = layerOf(folder, files)
    if ("issues" in layer) return { files: [refused(layer.issues)], folders: visited }
    if (files.length === 0 && by?.base !== undefined) {
      const hint = "correct the path; it is relative to the overlay's folder"
      const cause = "there is no such folder, or no manifest in it"
      return refuse(overlayBase(by, cause, hint), visited)
    }
    layers.push(layer)
    const { overlay } = layer
    if (overlay?.base === undefined) break
    const path = resolveBase(folder, overlay.base.text, hasRoot)
    if ("cause" in path) return refuse(overlayBase(overlay, path.cause, path.hint), visited)
    if (visited.includes(path.folder)) {
      const hint = "bases must not lead back to where they began"
      return refuse(overlayBase(overlay, "the chain of bases is a circle", hint), visited)
    }
    if (layers.length >= layersMax) {
      const { text, position } = overlay.base
      const details = { base: text, limit: layersMax }
      return refuse(overlayIssue("SPT-OVERLAY-004", details, position), visited)
    }
    next = { folder: path.folder, by: overlay }
  }
  return { files: [renderLayers(layers, limits)], folders: visited }
}

const refused = (issues: readonly SourceIssue[]): ReadFile => ({ manifests: [], issues })

const refuse = (issue: SourceIssue, folders: readonly string[]): LayeredFiles => ({
  files: [refused([issue])],
  folders,
})

function overlayBase({ base, position }: Overlay, cause: string, hint: string): SourceIssue {
  const details = { base: base?.text ?? "", cause, hint }
  return overlayIssue("SPT-OVERLAY-002", details, base?.position ?? position)
}

function layerOf(
  folder: string,
  files: readonly FolderFile[],
): Layer | { readonly issues: readonly SourceIssue[] } {
  const issues = files.flatMap(({ read }) => read.issues)
  let overlay: Overlay | undefined
  for (const { name, read } of files) {
    if (read.overlay === undefined) continue
    if (name.includes("/")) {
      const inner = [folder, name.slice(0, name.lastIndexOf("/"))].filter((one) => one !== "")
      const details = { folder: inner.join("/") }
      issues.push(overlayIssue("SPT-OVERLAY-003", details, read.overlay.locate([])))
      continue
    }
    const one = readOverlay(read.overlay)
    if ("issues" in one) issues.push(...one.issues)
    else overlay = one
  }
  if (issues.length > 0) return { issues }
  const manifests = files.flatMap(({ read }) => read.manifests)
  return overlay === undefined ? { manifests } : { manifests, overlay }
}
