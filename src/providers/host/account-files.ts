// The accounts of this host as facts. Files that are missing, that nobody may read, that end in the
// middle of a line or that have no root in them are doubt: an emptied file must never make every
// user or group look absent.

import { protects } from "../../base/protections.ts"
import { failureOf } from "../../contract/diagnosis.ts"
import { type Unknown, unknown } from "../../contract/observation.ts"
import type { Closeable, FilesRead } from "../../contract/world.ts"
import { type Accounts, readAccounts } from "./accounts.ts"
import { readSettled, stampOf } from "./read-settled.ts"

const bytesMax = 16 * 1024 * 1024
const names = ["passwd", "group", "shadow"] as const

export interface KnownAccounts extends Accounts {
  readonly kind: "accounts"
  /** Which reading of the files this is, for proofs. */
  readonly proof: string
}

const damaged = (path: string, how: string): Unknown =>
  unknown(`${path} ${how}: it is damaged, and nothing is concluded`)

/** Which of the files, by its place in `names`; every host has root in all of them. */
function fileWithoutRoot({ users, groups, shadows }: Accounts): number {
  const rooted = [users.get("root")?.uid === 0, groups.get("root")?.gid === 0, shadows.has("root")]
  return rooted.indexOf(false)
}

export class AccountFiles {
  /** The directory that stands for / ("" for the host itself). */
  readonly root: string
  #known: { readonly stamps: string; readonly accounts: KnownAccounts } | undefined

  constructor(root: string) {
    this.root = root
  }

  async read(files: FilesRead): Promise<KnownAccounts | Unknown> {
    const paths = names.map((name) => `${this.root}/etc/${name}`)
    try {
      const stamps: string[] = []
      for (const path of paths) {
        const stat = await files.lstat(path)
        stamps.push(stat === undefined ? "" : stampOf(stat))
      }
      if (this.#known?.stamps === stamps.join(" ")) return this.#known.accounts
      const texts: string[] = []
      const seen: string[] = []
      for (const path of paths) {
        const read = await readSettled(files, path, bytesMax)
        if (read === undefined) return unknown(`${path} is missing`)
        texts.push(Buffer.from(read.bytes).toString("utf8"))
        seen.push(read.stamp)
      }
      const cut = paths[texts.findIndex((text) => text !== "" && !text.endsWith("\n"))]
      if (cut !== undefined) return damaged(cut, "ends in the middle of a line")
      const [passwd = "", group = "", shadow = ""] = texts
      const accounts = readAccounts({ passwd, group, shadow })
      const rootless = paths[fileWithoutRoot(accounts)]
      if (rootless !== undefined && protects("passwd-without-root-is-doubt")) {
        return damaged(rootless, "has no root in it")
      }
      const proof = `${paths[0]} was read whole (${accounts.users.size} users)`
      const known: KnownAccounts = { kind: "accounts", ...accounts, proof }
      this.#known = { stamps: seen.join(" "), accounts: known }
      return known
    } catch (error) {
      const cause = error instanceof Error ? error.message : String(error)
      return unknown(cause, false, failureOf(error))
    }
  }

  /** The tools replace these files by renaming, so the directory is watched. */
  watch(files: FilesRead, changed: () => void): Closeable {
    const known: ReadonlySet<string> = new Set(names)
    return files.watch(`${this.root}/etc`, (name) => {
      if (name === undefined || known.has(name)) changed()
    })
  }
}
