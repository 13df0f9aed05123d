// One honest look at a path: what is there, proof that nothing is, or why that can't be told. It
// never follows or opens anything but a regular file, and it reads content only when it has to.

import { sha256 } from "../../base/hash.ts"
import { failureOf } from "../../contract/diagnosis.ts"
import { type Absent, absent, type Unknown, unknown } from "../../contract/observation.ts"
import type { FileStat, FilesRead } from "../../contract/world.ts"
import { untilAborted } from "../../provider/until-aborted.ts"
import { directoryOf, findGround, type Place } from "./bounds.ts"
import { type HostMemory, statText } from "./host-memory.ts"

export const contentMax = 1_048_576

export interface Seen {
  readonly kind: "seen"
  readonly stat: FileStat
  /** Of the content or of the link; missing for other types and for what is too large to read. */
  readonly hash?: string
  /** Missing also when the hash was known and was the wanted one. */
  readonly bytes?: Uint8Array
  readonly link?: string
}

export type Sight = Seen | Absent | Unknown

export interface LookOptions {
  /** Content with this hash need not be read again when lstat says that nothing changed. */
  readonly wanted?: string
  /** We have put something there before: a vanished parent is then no proof of absence. */
  readonly applied: boolean
  /** False when only the type and stat matter. */
  readonly content?: boolean
  readonly signal: AbortSignal
}

const attemptsMax = 3

export async function look(
  files: FilesRead,
  place: Place,
  memory: HostMemory,
  options: LookOptions,
): Promise<Sight> {
  try {
    return await untilAborted(options.signal, () => lookOnce(files, place, memory, options))
  } catch (error) {
    return unknown(error instanceof Error ? error.message : String(error), false, failureOf(error))
  }
}

async function lookOnce(
  files: FilesRead,
  place: Place,
  memory: HostMemory,
  options: LookOptions,
): Promise<Sight> {
  const ground = await findGround(files, place, memory.bounds)
  if (ground.kind === "blocked") return unknown(ground.cause, ground.stuck, ground.failure)
  if (ground.kind === "missing") return lostGround(ground.at, options.applied)
  const directory = directoryOf(place.path)
  const stat = await files.lstat(place.path)
  if (stat === undefined) return proveAbsence(files, place, memory, ground.parent, options.applied)
  memory.keepDevice(directory, ground.parent.device)
  if (stat.type === "symlink") {
    const link = await files.readlink(place.path)
    return { kind: "seen", stat, link, hash: sha256(link) }
  }
  const readable = options.content !== false && stat.type === "file" && stat.size <= contentMax
  if (!readable) return { kind: "seen", stat }
  return readSettled(files, place.path, stat, memory, options.wanted)
}

function lostGround(at: string, applied: boolean): Unknown {
  const failure = { class: "Dependency" } as const
  if (!applied) {
    return unknown(`the directory ${at} does not exist; declare a Directory`, true, failure)
  }
  const cause = `the directory ${at} is gone; it may be unmounted, so nothing is concluded`
  return unknown(cause, false, failure)
}

async function proveAbsence(
  files: FilesRead,
  place: Place,
  memory: HostMemory,
  before: FileStat,
  applied: boolean,
): Promise<Sight> {
  const directory = directoryOf(place.path)
  const ground = await findGround(files, place, memory.bounds)
  const after = ground.kind === "ground" ? ground.parent : undefined
  if (after?.inode !== before.inode || after.device !== before.device) {
    return unknown(`the directory ${directory} was replaced while it was read`)
  }
  const lastDevice = memory.deviceOf(directory)
  if (applied && lastDevice !== undefined && lastDevice !== after.device) {
    const cause = `${directory} is on another file system than before (unmounted?)`
    return unknown(`${cause}; mount it again, or restart the plane when this is intended`)
  }
  memory.keepDevice(directory, after.device)
  const where = `directory ${directory} (device ${after.device}, inode ${after.inode})`
  return absent(`ENOENT in the searchable ${where}, the same before and after`)
}

/** Content belongs to a stat only when the stat was the same before and after reading. */
async function readSettled(
  files: FilesRead,
  path: string,
  first: FileStat,
  memory: HostMemory,
  wanted: string | undefined,
): Promise<Sight> {
  const known = memory.hashOf(path, first)
  if (known !== undefined && known === wanted) return { kind: "seen", stat: first, hash: known }
  let before = first
  for (let attempt = 0; attempt < attemptsMax; attempt++) {
    const bytes = await files.read(path, contentMax)
    const after = await files.lstat(path)
    if (after === undefined || after.type !== "file" || after.size > contentMax) break
    if (statText(after) === statText(before) && bytes.length === after.size) {
      const hash = sha256(bytes)
      memory.keepHash(path, after, hash)
      return { kind: "seen", stat: after, hash, bytes }
    }
    before = after
  }
  return unknown(`${path} keeps changing while it is read`)
}
