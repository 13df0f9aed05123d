// Manifests as YAML, with a comment that says from which file each one comes, and one at each value
// that another file brought.

import type { Document, Node, Scalar } from "yaml"
import { isArray, isObject, type Json } from "../../base/json.ts"
import { type Manifest, type Position, positionText } from "../../contract/source.ts"

type Path = readonly (string | number)[]

/** The values that did not come from the manifest's own file, by path. */
export function renderedView(manifest: Manifest): object {
  const origins: Record<string, string> = {}
  const { object, position } = manifest
  for (const path of leavesOf(object as object as Json)) {
    const origin = manifest.locate(path)
    if (origin.file !== position.file) origins[pathText(path)] = positionText(origin)
  }
  return { origin: positionText(position), origins, object }
}

export async function renderedText(manifests: readonly Manifest[]): Promise<string> {
  const yaml = await import("yaml")
  const texts = manifests.map((manifest) => {
    const document = new yaml.Document(manifest.object as object, { aliasDuplicateObjects: false })
    document.commentBefore = ` ${positionText(manifest.position)}`
    for (const path of leavesOf(manifest.object as object as Json))
      comment(document, manifest, path)
    return document.toString({ lineWidth: 0 })
  })
  return texts.join("---\n")
}

function comment(document: Document<Node>, manifest: Manifest, path: Path): void {
  const origin = manifest.locate(path)
  if (origin.file === manifest.position.file) return
  const node = document.getIn(path, true) as Scalar | undefined
  // Below a block of text a comment would become part of it.
  const isText = typeof node?.value === "string" && node.value.includes("\n")
  if (node !== undefined && !isText) node.comment = ` ${placeText(origin)}`
}

const placeText = ({ file, line }: Position): string => `${file}:${line}`

function leavesOf(value: Json | undefined, path: Path = []): Path[] {
  if (isArray(value)) return value.flatMap((item, index) => leavesOf(item, [...path, index]))
  if (!isObject(value)) return [path]
  return Object.entries(value).flatMap(([name, member]) => leavesOf(member, [...path, name]))
}

function pathText(path: Path): string {
  const parts = path.map((step) => (typeof step === "number" ? `[${step}]` : `.${step}`))
  return parts.join("").replace(/^\./, "")
}
