// The file ~/.ssh/authorized_keys. A user can put anything into their own home, links to other
// people's files too: so it is read only where it is what it should be, and written by programs
// that run as that user and can reach no more than the user can.

import type { CommandRequest } from "../../contract/commands.ts"
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

export async function readKeys(
  files: FilesRead,
  home: string,
  { name, uid }: PasswdEntry,
): Promise<Keys | Unknown> {
  const odd = (what: string) => unknown(`${what}; it is not touched`, true, { class: "Conflict" })
  for (const directory of [home, `${home}/.ssh`]) {
    const stat = await files.lstat(directory)
    if (stat === undefined) return none
    if (stat.type !== "directory") return odd(`${directory} is not a directory`)
    if (stat.uid !== uid && stat.uid !== 0) return odd(`${directory} is not ${name}'s`)
  }
  const path = keysPath(home)
  const stat = await files.lstat(path)
  if (stat === undefined) return none
  if (stat.type !== "file") return odd(`${path} is not a regular file`)
  if (stat.uid !== uid && stat.uid !== 0) return odd(`${path} is not ${name}'s`)
  const read = await readSettled(files, path, bytesMax)
  if (read === undefined) return none
  const lines = Buffer.from(read.bytes).toString("utf8").split("\n")
  const keys = lines.map((line) => line.trim()).filter((line) => !/^(#|$)/.test(line))
  return { kind: "keys", lines: [...new Set(keys)].sort(), exists: true }
}

const keysPath = (home: string) => `${home}/.ssh/authorized_keys`

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
export function keepKeys(user: PasswdEntry, home: string, how: "copy" | "move"): CommandRequest {
  const kept = `${keysPath(home)}.before-setpoint`
  const program = how === "copy" ? ["cp", "-pfT"] : ["mv", "-fT"]
  return { argv: as(user, [...program, keysPath(home), kept]) }
}
