// How a directory looks while its create is under way: empty, and with a mode that nobody gives to
// one. So a plane that dies before owner and mode are set knows its own work again. It has its name
// from the first moment, since only mkdir takes a name and never replaces what somebody else put
// there: rename would put it over an empty directory.

import type { FileStat, FilesRead } from "../../contract/world.ts"

/** Sticky, and closed but for its owner's eyes; no usual umask takes anything from it. */
export const unfinishedMode = 0o1400

/** Handed down by the directory above, whatever mkdir asks for. */
const inherited = 0o2000

export async function isUnfinished(
  files: FilesRead,
  path: string,
  { type, mode }: FileStat,
): Promise<boolean> {
  if (type !== "directory" || (mode & ~inherited) !== unfinishedMode) return false
  try {
    return (await files.list(path)).length === 0
  } catch {
    return false // What can't be looked into is nobody's until a person says so.
  }
}
