// What `setpoint up PATH` is to keep: the folder's own manifests as one loop named after it, or the
// Loop objects at the top of it. Reads; a broken manifest is left to the source, which keeps the
// last good revision, but a Loop that can't be read stops the start, since it is applied only once.

import { readdirSync, readFileSync, statSync } from "node:fs"
import { basename, dirname, join, resolve } from "node:path"
import { isObject, type JsonObject } from "../../base/json.ts"
import { type Manifest, positionText } from "../../contract/source.ts"
import {
  type ApiObject,
  apiVersionOf,
  parseApiVersion,
  setpointGroup,
  setpointVersion,
} from "../../object/object.ts"
import { isIgnoredName, isManifestName } from "../../sources/directory/source-files.ts"
import { manifestLimits } from "../../sources/manifests/limits.ts"
import { readManifests } from "../../sources/manifests/read-manifests.ts"
import { cliFault } from "../faults.ts"
import { sourceRoot } from "./source-root.ts"

export interface UpFolder {
  /** Absolute. */
  readonly path: string
  /** Where bases of the folder's overlay may lie. */
  readonly root?: string
  /** Loop objects at the top, with absolute paths; empty when the folder itself is the loop. */
  readonly loops: readonly ApiObject[]
}

export function readUpFolder(given: string, namespace: string, rootGiven?: string): UpFolder {
  const path = resolve(given)
  requireFolder(path, given)
  const root = sourceRoot(path, rootGiven)
  const folder: UpFolder = { path, loops: [], ...(root === undefined ? {} : { root }) }
  const files = topFiles(path)
  if (!files.some(({ text }) => /\bLoop\b/.test(text))) return folder
  const read = readManifests(files, { namespace, allowLoops: true })
  if ("issues" in read) {
    const [issue] = read.issues
    // Broken, and nothing in it governs anything: the source says so and keeps what was good.
    if (!files.some(({ text }) => /\bkind\b["']?\s*:\s*["']?Loop\b/.test(text))) {
      return folder
    }
    const place = issue?.position === undefined ? given : positionText(issue.position)
    throw startFault(place, issue?.message ?? "it can't be read", issue?.hint ?? "")
  }
  const loops = read.manifests.filter(isLoop)
  const [other] = read.manifests.filter((manifest) => !isLoop(manifest))
  if (loops[0] !== undefined && other !== undefined) {
    const why = `a Loop can't lie in a folder of other manifests (${positionText(other.position)})`
    const hint = "put the manifests into a folder of their own and name it in spec.source.directory"
    throw startFault(positionText(loops[0].position), why, hint)
  }
  return { ...folder, loops: loops.map((loop) => placed(loop, path, namespace)) }
}

/** The loop that keeps the folder itself. */
export function folderLoop(
  name: string,
  namespace: string,
  { path, root }: Pick<UpFolder, "path" | "root">,
  mode: string,
): ApiObject {
  const directory = root === undefined ? { path } : { path, root }
  return {
    apiVersion: apiVersionOf(setpointGroup, setpointVersion),
    kind: "Loop",
    metadata: { name, namespace },
    spec: { mode, source: { directory } },
  }
}

/** A DNS label made of the folder's name; NAMESPACE.NAME has to fit a label's value. */
export function loopNameOf(path: string, namespace: string): string {
  const name = labelOf(basename(path), 62 - namespace.length)
  if (name !== "") return name
  const why = `its name "${basename(path)}" holds no letter or digit to name a loop by`
  throw cliFault("SPT-CLI-002", { what: path, why, hint: "name the loop with --name" })
}

export function labelOf(text: string, lengthMax: number): string {
  const plain = text
    .normalize("NFKD")
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
  return plain
    .slice(0, lengthMax + 1)
    .replaceAll(/^-+|-+$/g, "")
    .slice(0, lengthMax)
    .replace(/-+$/, "")
}

function requireFolder(path: string, given: string): void {
  const refuse = (why: string, hint: string) => cliFault("SPT-CLI-002", { what: given, why, hint })
  let folder: boolean
  try {
    folder = statSync(path).isDirectory()
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : String(error)
    const why = code === "ENOENT" ? "there is no such folder" : code
    throw refuse(why, "name a folder that holds manifests")
  }
  if (!folder) throw refuse("it is not a folder", `name its folder: ${dirname(given)}`)
}

/** Texts of the manifest files at the top; none when the folder can't be read just now. */
function topFiles(path: string): { path: string; text: string }[] {
  const files: { path: string; text: string }[] = []
  let bytes = 0
  try {
    for (const entry of readdirSync(path, { withFileTypes: true })) {
      if (!entry.isFile() || !isManifestName(entry.name) || isIgnoredName(entry.name)) continue
      const file = join(path, entry.name)
      const { size } = statSync(file)
      bytes += size
      if (size > manifestLimits.fileBytes || bytes > manifestLimits.sourceBytes) return []
      files.push({ path: `${basename(path)}/${entry.name}`, text: readFileSync(file, "utf8") })
    }
  } catch {
    return [] // The source meets the same trouble, keeps what was good, and says why.
  }
  return files
}

function isLoop({ object }: Manifest): boolean {
  return object.kind === "Loop" && parseApiVersion(object.apiVersion).group === setpointGroup
}

/** With the namespace filled in and its source's path made absolute. */
function placed(manifest: Manifest, path: string, namespace: string): ApiObject {
  const { object, position } = manifest
  const metadata = { ...object.metadata, namespace: object.metadata.namespace ?? namespace }
  const source = isObject(object.spec?.source) ? object.spec.source : undefined
  const directory = isObject(source?.directory) ? source.directory : undefined
  if (typeof directory?.path !== "string") return { ...object, metadata }
  const absolute = resolve(path, directory.path)
  if (`${path}/`.startsWith(absolute === "/" ? "/" : `${absolute}/`)) {
    const why = `Loop ${object.metadata.name} would lie inside its own source ${absolute}`
    throw startFault(positionText(position), why, "point spec.source.directory.path to a subfolder")
  }
  const { root } = directory
  const above = typeof root === "string" ? { root: resolve(path, root) } : {}
  const spec: JsonObject = {
    ...object.spec,
    source: { ...source, directory: { ...directory, path: absolute, ...above } },
  }
  return { ...object, metadata, spec }
}

function startFault(place: string, why: string, hint: string) {
  return cliFault("SPT-CLI-004", { place, why, hint })
}
