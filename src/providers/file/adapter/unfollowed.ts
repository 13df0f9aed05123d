// Reaches a name through the directories that its path says, and through no symlink. Each directory
// is opened below the one before it and held while the call is made: whoever may write in one of
// them can put a symlink there at any time, and must not lead the plane elsewhere by it.

import { closeSync, constants, lstatSync, openSync, statSync } from "node:fs"
import { resolve } from "node:path"

/** Where Linux shows what a process has opened; a way on from an open directory. */
export const heldFiles = "/proc/self/fd"

/** Linux only, and missing from node:fs: a handle on the file itself, without opening it. */
export const O_PATH = 0o10000000
const flags = O_PATH | constants.O_DIRECTORY | constants.O_NOFOLLOW

export interface Unfollowed {
  /** Whether directories can be held here. */
  readonly holds: boolean
  /** One synchronous call, with a path that leads to the same name. */
  reach<T>(path: string, call: (reached: string) => T): T
}

export function unfollowed(held: string): Unfollowed {
  const holds = process.platform === "linux" && isDirectory(held)
  return {
    holds,
    reach(path, call) {
      const names = resolve(path).split("/").slice(1)
      const last = names.pop() ?? ""
      if (!holds) {
        refuseLinks(names)
        return call(path)
      }
      const parent = openBelow(held, names)
      try {
        return call(`${held}/${parent}/${last}`)
      } finally {
        closeSync(parent)
      }
    },
  }
}

function openBelow(held: string, names: readonly string[]): number {
  let directory = openSync("/", flags)
  for (const name of names) {
    const above = directory
    try {
      directory = openSync(`${held}/${above}/${name}`, flags)
    } finally {
      closeSync(above)
    }
  }
  return directory
}

/** The second best: looked at in the same turn as the call, which leaves some microseconds. */
function refuseLinks(names: readonly string[]): void {
  let path = ""
  for (const name of names) {
    path = `${path}/${name}`
    if (lstatSync(path).isDirectory()) continue
    throw Object.assign(new Error(`${path} is not a directory`), { code: "ENOTDIR" })
  }
}

function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true
}
