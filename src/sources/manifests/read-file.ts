// One file to its manifests, or to the issues that make it unusable; never to a part of them.
// Pure; the result is kept by the caller while the file does not change.

import type { Document, ParsedNode } from "yaml"
import { composeYaml } from "../../base/compose-yaml.ts"
import { isArray, isObject, type Json, type JsonObject } from "../../base/json.ts"
import { type ScanFinding, scanYaml } from "../../base/scan-yaml.ts"
import { refusedSyntax, yamlTrouble } from "../../base/yaml-trouble.ts"
import type { Manifest, Position, SourceIssue } from "../../contract/source.ts"
import { type ApiObject, setpointGroup } from "../../object/object.ts"
import { type PlacedValue, placeValue, ValueBuilder } from "./build-value.ts"
import { sourceIssue } from "./issue.ts"
import type { ManifestLimits } from "./limits.ts"
import { lineIndex } from "./line-index.ts"
import { readPlain } from "./read-plain.ts"

export interface ManifestFile {
  readonly path: string
  readonly text: string
}

export interface ReadFile {
  readonly manifests: readonly Manifest[]
  readonly issues: readonly SourceIssue[]
  /** What the file says about other manifests; such a file holds nothing else. */
  readonly overlay?: PlacedValue
}

interface Found {
  readonly manifests: Manifest[]
  readonly overlays: PlacedValue[]
  readonly issues: SourceIssue[]
}

type Path = readonly (string | number)[]

/** The one file of a folder that says how other manifests are changed. */
const overlayName = "overlay.yaml"

export function readFile(file: ManifestFile, limits: ManifestLimits): ReadFile {
  const bytes = Buffer.byteLength(file.text)
  if (bytes > limits.fileBytes) {
    const details = { file: file.path, bytes, limit: limits.fileBytes }
    return refuse(sourceIssue("SPT-SOURCE-001", details, { file: file.path, line: 1, column: 1 }))
  }
  return readPlainFile(file, limits) ?? readWholeYaml(file, limits)
}

/** Without the YAML library; undefined when the text is not plain or not right. */
function readPlainFile(file: ManifestFile, limits: ManifestLimits): ReadFile | undefined {
  const documents = readPlain(file.text, limits)
  if (documents === undefined) return undefined
  const lines = lineIndex(file.path, file.text)
  const found: Found = { manifests: [], overlays: [], issues: [] }
  for (const { value, offsets } of documents) {
    const placed = placeValue(value, offsets, () => lines)
    unfold(file.path, placed, [], found)
  }
  return found.issues.length > 0 ? undefined : foundIn(file.path, found)
}

/** Every text that YAML allows and we do; says what is wrong with the others. */
export function readWholeYaml(file: ManifestFile, limits: ManifestLimits): ReadFile {
  const lines = lineIndex(file.path, file.text)
  const scan = scanYaml(file.text, { ...limits, nodes: limits.nodesPerFile })
  if ("what" in scan) return refuse(findingIssue(file.path, scan, lines.at(scan.offset), limits))
  const builder = new ValueBuilder(file.path, lines, limits)
  const issues: SourceIssue[] = []
  const found: Found = { manifests: [], overlays: [], issues }
  for (const document of composeYaml(scan, {
    schema: "core",
    intAsBigInt: true,
    stringKeys: true,
  })) {
    for (const error of document.errors) {
      const details = { file: file.path, cause: yamlTrouble(error) }
      issues.push(sourceIssue("SPT-SOURCE-006", details, lines.at(error.pos[0])))
    }
    if (document.errors.length > 0 || isBlank(document)) continue
    const placed = builder.build(document.contents as ParsedNode)
    if (builder.issues.length > 0) continue
    unfold(file.path, placed, [], found)
  }
  const all = issues.concat(builder.issues)
  return all.length > 0 ? { manifests: [], issues: all } : foundIn(file.path, found)
}

/** Only `overlay.yaml` may hold an Overlay, and then it holds that one alone. */
function foundIn(file: string, { manifests, overlays }: Found): ReadFile {
  const [overlay] = overlays
  if (overlay === undefined) return { manifests, issues: [] }
  const name = file.slice(file.lastIndexOf("/") + 1)
  const alone = name === overlayName && overlays.length === 1 && manifests.length === 0
  if (alone) return { manifests: [], issues: [], overlay }
  return refuse(sourceIssue("SPT-SOURCE-023", { file }, overlay.locate([])))
}

function refuse(issue: SourceIssue): ReadFile {
  return { manifests: [], issues: [issue] }
}

function isBlank(document: Document.Parsed): boolean {
  const root: ParsedNode | null = document.contents
  return root === null || root.range[0] === root.range[1]
}

function findingIssue(
  file: string,
  finding: ScanFinding,
  position: Position,
  limits: ManifestLimits,
): SourceIssue {
  switch (finding.what) {
    case "control": {
      const code = finding.text.charCodeAt(0).toString(16).padStart(4, "0")
      return sourceIssue("SPT-SOURCE-016", { file, cause: `control character U+${code}` }, position)
    }
    case "depth":
      return sourceIssue("SPT-SOURCE-004", { file, limit: limits.depth }, position)
    case "nodes":
      return sourceIssue("SPT-SOURCE-005", { file, limit: limits.nodesPerFile }, position)
    case "stray": {
      const cause = "too many values without a separator between them"
      return sourceIssue("SPT-SOURCE-006", { file, cause }, position)
    }
    case "tag":
      return sourceIssue("SPT-SOURCE-008", { file }, position)
    case "directive":
      return sourceIssue("SPT-SOURCE-015", { file }, position)
    default:
      return sourceIssue("SPT-SOURCE-007", { file, what: refusedSyntax(finding.what) }, position)
  }
}

/** A manifest, or every manifest of a List; Lists may hold Lists as deep as the depth limit. */
function unfold(file: string, placed: PlacedValue, path: Path, found: Found): void {
  const { manifests, issues } = found
  const value = valueAt(placed.value, path)
  const position = placed.locate(path)
  if (!isObject(value)) {
    const what = isArray(value) ? "a sequence" : value === null ? "empty" : `a ${typeof value}`
    issues.push(sourceIssue("SPT-SOURCE-017", { file, what }, position))
  } else if (value.kind === "List") {
    const items = value.items
    if (isArray(items)) {
      for (let at = 0; at < items.length; at++) {
        unfold(file, placed, [...path, "items", at], found)
      }
    } else {
      const where = placed.locate([...path, "items"])
      issues.push(sourceIssue("SPT-SOURCE-021", { file, cause: "it has no items" }, where))
    }
  } else if (isOverlay(value)) {
    if (path.length === 0) found.overlays.push(placed)
    else issues.push(sourceIssue("SPT-SOURCE-023", { file }, position))
  } else {
    const problem = missing(value)
    if (isApiObject(value) && problem === undefined) {
      const locate = (inner: Path) => placed.locate([...path, ...inner])
      manifests.push({ object: value, position, locate })
    } else {
      const { at = [], ...details } = problem ?? {}
      issues.push(
        sourceIssue("SPT-SOURCE-018", { file, ...details }, placed.locate([...path, ...at])),
      )
    }
  }
}

function valueAt(value: Json, path: Path): Json | undefined {
  let current: Json | undefined = value
  for (const step of path) {
    if (isArray(current)) current = current[Number(step)]
    else current = isObject(current) ? current[String(step)] : undefined
  }
  return current
}

interface Problem {
  readonly at: Path
  readonly member: string
  readonly problem: string
}

function isOverlay({ apiVersion, kind }: JsonObject): boolean {
  return kind === "Overlay" && String(apiVersion).startsWith(`${setpointGroup}/`)
}

export function missing(value: JsonObject): Problem | undefined {
  for (const at of [["apiVersion"], ["kind"], ["metadata"], ["metadata", "name"]] as const) {
    const found = valueAt(value, at)
    const member = at.join(".")
    if (found === undefined || found === null || found === "") {
      return { at, member, problem: "is missing" }
    }
    const wrong = member === "metadata" ? !isObject(found) : typeof found !== "string"
    if (wrong) {
      return { at, member, problem: member === "metadata" ? "is no mapping" : "is no string" }
    }
  }
  const at = ["metadata", "namespace"] as const
  const namespace = valueAt(value, at)
  if (namespace !== undefined && (typeof namespace !== "string" || namespace === "")) {
    return { at, member: at.join("."), problem: "is no string" }
  }
  return undefined
}

export function isApiObject(value: JsonObject): value is JsonObject & ApiObject {
  return missing(value) === undefined
}
