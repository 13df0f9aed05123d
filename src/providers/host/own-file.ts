// One file in a directory of the host that is ours as a whole: looked at, made, replaced and
// removed. It gets its name only when it is complete; a create never replaces what somebody else
// put there, and a change or removal needs it to be what was observed.

import { sha256 } from "../../base/hash.ts"
import { failureOf } from "../../contract/diagnosis.ts"
import { type Absent, absent, type Unknown, unknown } from "../../contract/observation.ts"
import type { ActResult } from "../../contract/provider.ts"
import type { FileStat, FilesAct, FilesRead } from "../../contract/world.ts"
import { readSettled, stampOf } from "./read-settled.ts"
import { failed, raced } from "./results.ts"

const bytesMax = 1024 * 1024

export interface SeenFile {
  readonly kind: "seen"
  readonly stat: FileStat
  readonly text: string
  readonly token: string
}

export async function lookAtFile(
  files: FilesRead,
  directory: string,
  name: string,
): Promise<SeenFile | Absent | Unknown> {
  const path = `${directory}/${name}`
  try {
    const parent = await files.lstat(directory)
    if (parent?.type !== "directory") {
      const cause = `the directory ${directory} does not exist`
      return unknown(cause, true, { class: "Dependency" })
    }
    const stat = await files.lstat(path)
    if (stat === undefined) return absent(`ENOENT in the directory ${directory}`)
    if (stat.type !== "file") {
      return unknown(`${path} is not a regular file; it is not touched`, true, {
        class: "Conflict",
      })
    }
    const read = await readSettled(files, path, bytesMax)
    if (read === undefined) return unknown(`${path} came and went while it was read`)
    const text = Buffer.from(read.bytes).toString("utf8")
    const { mode, uid, gid } = read.stat
    const token = `${read.stat.inode}.${sha256(read.bytes)}.${mode.toString(8)}.${uid}.${gid}`
    return { kind: "seen", stat: read.stat, text, token }
  } catch (error) {
    const cause = error instanceof Error ? error.message : String(error)
    return unknown(cause, false, failureOf(error))
  }
}

export interface OwnFile {
  readonly directory: string
  readonly name: string
  readonly label: string
}

/** Nothing when it is done; otherwise why nothing was done. Whatever is not sure is thrown. */
export async function putFile(
  files: FilesAct,
  { directory, name, label }: OwnFile,
  content: { readonly text: string; readonly mode: number },
  seen: SeenFile | undefined,
  signal: AbortSignal,
): Promise<ActResult | undefined> {
  const path = `${directory}/${name}`
  await removeLeftovers(files, directory, label)
  const bytes = Buffer.from(content.text)
  const temporary = await files.writeTemporary(directory, bytes, content.mode, label)
  try {
    signal.throwIfAborted()
    if (seen === undefined) {
      await files.link(temporary, path)
      await files.unlink(temporary)
    } else {
      if (!isStill(files, path, seen.stat)) {
        await files.unlink(temporary)
        return raced("it changed since it was observed")
      }
      await files.rename(temporary, path)
    }
  } catch (error) {
    await files.unlink(temporary).catch(() => {}) // The next act removes what stays.
    if (failureOf(error).errno !== "EEXIST") throw error
    return raced(`${path} exists by now; it is not replaced`)
  }
  await files.syncDirectory(directory)
  return undefined
}

export async function removeFile(
  files: FilesAct,
  { directory, name, label }: OwnFile,
  seen: SeenFile,
  signal: AbortSignal,
): Promise<ActResult | undefined> {
  const path = `${directory}/${name}`
  await removeLeftovers(files, directory, label)
  signal.throwIfAborted()
  if (!isStill(files, path, seen.stat)) return raced("it changed since it was observed")
  await files.unlink(path)
  await files.syncDirectory(directory)
  return undefined
}

/** What a crash left of an earlier act for the same object. */
export async function removeLeftovers(
  files: FilesAct,
  directory: string,
  label: string,
): Promise<void> {
  for (const { name } of await files.list(directory)) {
    if (name.startsWith(`.setpoint-${label}-`)) await files.unlink(`${directory}/${name}`)
  }
}

/** The last check, with nothing between it and the call that follows. */
function isStill(files: FilesAct, path: string, stat: FileStat): boolean {
  const [now] = files.lstatMany([path])
  return now !== undefined && !(now instanceof Error) && stampOf(now) === stampOf(stat)
}

/** Why the act must not happen on what is seen now, or undefined. */
export function staleness(
  seen: SeenFile | Absent | Unknown,
  token: string | undefined,
): ActResult | undefined {
  if (seen.kind === "unknown") return failed(seen.cause, seen.stuck, seen.failure)
  if (seen.kind === "absent") return raced("it is gone since it was observed")
  return seen.token === token ? undefined : raced("it changed since it was observed")
}

/** Of the object's UID: tells whose a temporary file is. */
export const labelOf = (uid: string): string => sha256(uid).slice(0, 12)
