// What accounts and cron files this host has, as specs. Passwords are never taken: a User without
// one leaves it as it is. What no object could declare is named with its reason.

import type { z } from "zod"
import type { JsonObject } from "../../base/json.ts"
import type { Discovery, Found, Importer, Skipped } from "../../contract/importer.ts"
import type { FilesRead } from "../../contract/world.ts"
import type { AccountFiles, KnownAccounts } from "./account-files.ts"
import type { PasswdEntry } from "./accounts.ts"
import { readKeys } from "./authorized-keys.ts"
import { readCron } from "./cron-text.ts"
import { hostFault } from "./faults.ts"
import { lookAtFile } from "./own-file.ts"
import { isRetired, sightOf } from "./user-facts.ts"

const firstPerson = 1000
const nobody = 65_534

const accountOptions = {
  accounts: {
    description: "people: uids and gids from 1000 on; all: those of the system, too",
    required: true,
  },
}

/** What an object of the kind accepts. */
type Shape = Pick<z.ZodType, "safeParse">

export function userImporter(accounts: AccountFiles, shape: Shape): Importer {
  return {
    options: accountOptions,
    async find({ accounts: which = "" }, { world: { files } }) {
      const known = await readAll(accounts, files, "User", which)
      const taking = new Taking(shape)
      for (const entry of sorted(known.users.values())) {
        if (!isWanted(entry.uid, which)) continue
        if (isRetired(known.shadows.get(entry.name))) {
          taking.skip(entry.name, "it is disabled since its object was deleted")
        } else await takeUser(taking, accounts, files, known, entry)
      }
      return taking
    },
  }
}

async function takeUser(
  taking: Taking,
  accounts: AccountFiles,
  files: FilesRead,
  known: KnownAccounts,
  entry: PasswdEntry,
): Promise<void> {
  const { primary, groups, enabled } = sightOf(known, entry, undefined)
  const keys = await readKeys(files, `${accounts.root}${entry.home}`, entry)
  if (keys.kind === "unknown") taking.skip(`the SSH keys of ${entry.name}`, keys.cause)
  taking.take(entry.name, {
    ...{ name: entry.name, uid: entry.uid, group: primary, groups, comment: entry.comment },
    ...{ home: entry.home, shell: entry.shell, enabled },
    ...(keys.kind === "keys" && keys.exists ? { authorizedKeys: keys.lines } : {}),
    ...(entry.uid < firstPerson ? { system: true } : {}),
  })
}

export function groupImporter(accounts: AccountFiles, shape: Shape): Importer {
  return {
    options: accountOptions,
    async find({ accounts: which = "" }, { world: { files } }) {
      const known = await readAll(accounts, files, "Group", which)
      const taking = new Taking(shape)
      for (const { name, gid } of sorted(known.groups.values())) {
        if (!isWanted(gid, which)) continue
        taking.take(name, { name, gid, ...(gid < firstPerson ? { system: true } : {}) })
      }
      return taking
    },
  }
}

export function cronImporter(directory: string, shape: Shape): Importer {
  return {
    options: {
      cron: { description: "name of a file in /etc/cron.d, or all", required: true },
    },
    async find({ cron: which = "" }, { world: { files } }) {
      const taking = new Taking(shape)
      const names = (await files.list(directory)).map(({ name }) => name).sort()
      if (which !== "all" && !names.includes(which)) {
        throw hostFault("SPT-HOST-001", { what: "CronFile", cause: `no ${which} in ${directory}` })
      }
      for (const name of names) {
        if ((which !== "all" && name !== which) || name.startsWith(".")) continue
        const seen = await lookAtFile(files, directory, name)
        if (seen.kind === "unknown") taking.skip(name, seen.cause)
        if (seen.kind !== "seen") continue
        const { mode, uid } = seen.stat
        const permissions = `uid ${uid}, mode ${mode.toString(8).padStart(4, "0")}`
        if (permissions !== "uid 0, mode 0644") {
          taking.skip(name, `it is not root's with mode 0644 (${permissions})`)
        } else taking.take(name, { name, ...readCron(seen.text) })
      }
      return taking
    },
  }
}

async function readAll(
  accounts: AccountFiles,
  files: FilesRead,
  what: string,
  which: string,
): Promise<KnownAccounts> {
  if (which !== "people" && which !== "all") {
    const cause = `accounts is "${which}", and not people or all`
    throw hostFault("SPT-HOST-001", { what, cause })
  }
  const known = await accounts.read(files)
  if (known.kind === "unknown") throw hostFault("SPT-HOST-001", { what, cause: known.cause })
  return known
}

function isWanted(id: number, which: string): boolean {
  return which === "all" || (id >= firstPerson && id !== nobody)
}

const sorted = <T extends { readonly name: string }>(entries: Iterable<T>): readonly T[] =>
  [...entries].sort((left, right) => (left.name < right.name ? -1 : 1))

class Taking implements Discovery {
  readonly found: Found[] = []
  readonly skipped: Skipped[] = []
  readonly #shape: Shape

  constructor(shape: Shape) {
    this.#shape = shape
  }

  skip(what: string, why: string): void {
    this.skipped.push({ what, why })
  }

  take(name: string, spec: JsonObject): void {
    const { error } = this.#shape.safeParse(spec)
    const [issue] = error?.issues ?? []
    if (issue === undefined) this.found.push({ name, spec })
    else this.skip(name, `no object can say this: ${issue.path.join(".")}: ${issue.message}`)
  }
}
