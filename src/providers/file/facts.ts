// Facts in the shape of the spec: only what the spec manages, and the type. What is not the wanted
// thing comes out so that it differs; nothing is made up.

import type { Json, JsonObject } from "../../base/json.ts"
import type { FileStat, FilesRead } from "../../contract/world.ts"
import { accountText, type FileSpec, type FileWish } from "./file-spec.ts"
import type { Seen } from "./look.ts"

interface Owned {
  readonly owner?: string | undefined
  readonly group?: string | undefined
}

export function modeText(mode: number): string {
  return mode.toString(8).padStart(4, "0")
}

export function ownerFacts(
  files: FilesRead,
  stat: FileStat,
  spec: Owned,
  applied: JsonObject = {},
): JsonObject {
  const { owner, group } = spec
  const users = {
    id: (name: string) => files.userId(name),
    name: (id: number) => files.userName(id),
  }
  const groups = {
    id: (name: string) => files.groupId(name),
    name: (id: number) => files.groupName(id),
  }
  return {
    ...(owner === undefined
      ? {}
      : { owner: accountText(stat.uid, [owner, applied.owner ?? null], users) }),
    ...(group === undefined
      ? {}
      : { group: accountText(stat.gid, [group, applied.group ?? null], groups) }),
  }
}

export function fileFacts(
  files: FilesRead,
  seen: Seen,
  spec: FileSpec,
  wish: FileWish,
  applied?: JsonObject,
): JsonObject {
  const { path, root } = spec
  const place = { path, ...(root === undefined ? {} : { root }), type: seen.stat.type }
  if (seen.stat.type === "directory" || seen.stat.type === "other") return place
  const isLink = seen.stat.type === "symlink"
  // A symlink has no mode of its own: where one is wanted there is nothing to differ.
  const linkMode = wish.body.kind === "symlink" ? { mode: spec.mode } : {}
  return {
    ...place,
    ...bodyFacts(seen, spec, wish),
    ...(isLink ? linkMode : { mode: modeText(seen.stat.mode) }),
    ...ownerFacts(files, seen.stat, spec, applied),
  }
}

function bodyFacts(seen: Seen, spec: FileSpec, wish: FileWish): JsonObject {
  if (seen.link !== undefined) return { symlink: seen.link }
  if (seen.hash === undefined) return { size: seen.stat.size }
  if (wish.body.kind !== "symlink" && seen.hash === wish.body.hash) {
    // In the spec's own words: base64 has more than one spelling.
    const { content, contentBase64 } = spec
    return content === undefined ? { contentBase64: contentBase64 as Json } : { content }
  }
  // Where only a hash is known the content may be a secret.
  if (wish.body.kind === "recorded") return { size: seen.stat.size }
  const bytes = seen.bytes ?? new Uint8Array()
  const text = spec.contentBase64 === undefined ? decode(bytes) : undefined
  if (text !== undefined) return { content: text }
  return { contentBase64: Buffer.from(bytes).toString("base64") }
}

function decode(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return undefined
  }
}

/** The compare-and-swap handle of a file; without the device, whose number a reboot may change. */
export function fileToken(seen: Seen): string {
  const { inode, mtimeNs, ctimeNs, size, mode, uid, gid } = seen.stat
  const times = `${mtimeNs}.${ctimeNs}`
  return `${inode}.${times}.${size}.${modeText(mode)}.${uid}.${gid}.${seen.hash ?? seen.stat.type}`
}
