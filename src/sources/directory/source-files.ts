// The port through which a directory source sees the disk: a part of the reading handle that
// providers have, so that the simulated disk serves both. Errors are faults with `details.errno`.

import type { FileStat, FilesRead } from "../../contract/world.ts"

export type SourceFiles = Pick<FilesRead, "lstat" | "lstatMany" | "list" | "read" | "watch">

/** Equal text means: nothing about the file changed that the disk can tell. */
export function statText(stat: FileStat): string {
  return `${identityText(stat)}:${stat.size}:${stat.mtimeNs}:${stat.ctimeNs}:${stat.mode}`
}

export function identityText(stat: FileStat): string {
  return `${stat.device}:${stat.inode}`
}

const manifestName = /\.(yaml|yml|json)$/i

export function isManifestName(name: string): boolean {
  return manifestName.test(name)
}

/** Hidden entries and what editors leave while they save. */
export function isIgnoredName(name: string): boolean {
  return name.startsWith(".") || name.startsWith("#") || name.startsWith("~") || name.endsWith("~")
}

/** How positions name the folder: its last part, so that they read the same everywhere. */
export function folderLabel(path: string): string {
  return path.split("/").findLast((part) => part !== "" && part !== ".") ?? "."
}
