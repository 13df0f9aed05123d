// The file ~/.ssh/authorized_keys. A user can put anything into their own home, links to other
// people's files too: so it is read only where it is what it should be, and written by programs
// that run as that user and can reach no more than the user can.

import type { CommandRequest } from "../../contract/commands.ts"
import { failureOf } from "../../contract/diagnosis.ts"
import { type Unknown, unknown } from "../../contract/observation.ts"
import type { FilesRead } from "../../contract/world.ts"
import type { PasswdEntry } from "./accounts.ts"
import { readSettled } from "./read-settled.ts"

const bytesMax = 1024 * 1024

export interface Keys {
  readonly kind: "keys"
  readonly lines: readonly string[]
  readonly exists: boolean
}

const none: Keys = { kind: "keys", lines: [], exists: false }

const keysPath = (home: string) => `${home}/.ssh/authorized_keys`

const odd = (what: string): Unknown =>
  unknown(`${what}; it is not touched`, true, { class: "Conflict" })

export async function readKeys(
  files: FilesRead,
  home: string,
  user: PasswdEntry,
): Promise<Keys | Unknown> {
  const way = await wayToKeys(files, home, user)
  if (way !== "open") return way === "none" ? none : way
  const path = keysPath(home)
  const stat = await files.lstat(path)
  if (stat === undefined) return none
  if (stat.type !== "file") return odd(`${path} is not a regular file`)
  if (stat.uid !== user.uid && stat.uid !== 0) return odd(`${path} is not ${user.name}'s`)
  const read = await readSettled(files, path, bytesMax)
  if (read === undefined) return none
  const lines = Buffer.from(read.bytes).toString("utf8").split("\n")
  const keys = lines.map((line) => line.trim()).filter((line) => !/^(#|$)/.test(line))
  return { kind: "keys", lines: [...new Set(keys)].sort(), exists: true }
}

/** Whether the directories above the keys are there, and are what they should be. */
async function wayToKeys(
  files: FilesRead,
  home: string,
  { name, uid }: PasswdEntry,
): Promise<"open" | "none" | Unknown> {
  for (const directory of [home, `${home}/.ssh`]) {
    const stat = await files.lstat(directory)
    if (stat === undefined) return "none"
    if (stat.type !== "directory") return odd(`${directory} is not a directory`)
    if (stat.uid !== uid && stat.uid !== 0) return odd(`${directory} is not ${name}'s`)
  }
  return "open"
}

/** sshd reads both of them unless its configuration says otherwise. */
const keyFiles = (home: string) => [keysPath(home), `${keysPath(home)}2`]

/** The files, whatever is in them, by which somebody could get in with old keys. */
export async function findKeyFiles(
  files: FilesRead,
  home: string,
  user: PasswdEntry,
): Promise<{ readonly kind: "files"; readonly paths: readonly string[] } | Unknown> {
  try {
    const way = await wayToKeys(files, home, user)
    if (way !== "open") return way === "none" ? { kind: "files", paths: [] } : way
    const paths: string[] = []
    for (const path of keyFiles(home)) {
      if ((await files.lstat(path)) !== undefined) paths.push(path)
    }
    return { kind: "files", paths }
  } catch (error) {
    const cause = error instanceof Error ? error.message : String(error)
    return unknown(cause, false, failureOf(error))
  }
}

const as = ({ uid, gid }: PasswdEntry, argv: readonly string[]): readonly string[] => [
  ...["setpriv", "--reuid", String(uid), "--regid", String(gid), "--clear-groups", "--"],
  ...argv,
]

/** In order; the last one puts the new file in place, whole. */
export function writeKeys(
  user: PasswdEntry,
  home: string,
  lines: readonly string[],
): readonly CommandRequest[] {
  const next = `${home}/.ssh/.setpoint-authorized_keys`
  return [
    { argv: as(user, ["mkdir", "-p", "-m", "0700", `${home}/.ssh`]) },
    {
      argv: as(user, ["dd", `of=${next}`, "status=none", "conv=fsync"]),
      input: lines.map((line) => `${line}\n`).join(""),
    },
    { argv: as(user, ["mv", "-fT", next, keysPath(home)]) },
  ]
}

/** What was there before stays beside it, where nothing reads it. */
export const copyKeys = (user: PasswdEntry, home: string): CommandRequest =>
  keep(user, ["cp", "-pfT"], keysPath(home))

export const moveKeysAway = (user: PasswdEntry, path: string): CommandRequest =>
  keep(user, ["mv", "-fT"], path)

const keep = (user: PasswdEntry, program: readonly string[], path: string): CommandRequest => ({
  argv: as(user, [...program, path, `${path}.before-setpoint`]),
})
