// Keeps the old content of what is adopted, outside of the directories that others read. A backup
// is never replaced: its name says what it holds.

import { sha256 } from "../../base/hash.ts"
import type { FilesAct } from "../../contract/world.ts"
import { errnoOf } from "./faults.ts"
import type { Seen } from "./look.ts"
import { labelOf, type Temporaries } from "./temporaries.ts"

const backupMax = 64 * 1_048_576

export interface BackupRequest {
  readonly files: FilesAct
  readonly directory: string
  readonly uid: string
  readonly path: string
  readonly seen: Seen
  readonly temporaries: Temporaries
}

/** Where the backup is; throws when it could not be made. */
export async function backUp(request: BackupRequest): Promise<string> {
  const { files, directory, uid, path, seen } = request
  await makeDirectory(files, directory)
  if (seen.link !== undefined) {
    const place = `${directory}/${uid}-${sha256(seen.link).slice(0, 12)}`
    await unlessThere(() => files.symlink(seen.link ?? "", place))
    await files.syncDirectory(directory)
    return place
  }
  const bytes = seen.bytes ?? (await files.read(path, backupMax))
  const place = `${directory}/${uid}-${sha256(bytes).slice(0, 12)}`
  const temporary = await files.writeTemporary(directory, bytes, 0o600, labelOf(uid))
  try {
    await unlessThere(() => files.link(temporary, place))
  } finally {
    await request.temporaries.discard(files, temporary)
  }
  await files.syncDirectory(directory)
  return place
}

async function makeDirectory(files: FilesAct, directory: string): Promise<void> {
  if ((await files.lstat(directory)) === undefined) {
    await unlessThere(() => files.mkdir(directory, 0o700))
  }
}

async function unlessThere(make: () => Promise<void>): Promise<void> {
  try {
    await make()
  } catch (error) {
    if (errnoOf(error) !== "EEXIST") throw error
  }
}
