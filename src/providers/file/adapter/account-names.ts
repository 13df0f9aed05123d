// Names of local users and groups, from the two files in /etc. Parsed again only when a file
// changed. Network directories (LDAP, SSSD) are not asked: their accounts go by number.

import { readFileSync, statSync } from "node:fs"

interface Accounts {
  readonly stamp: string
  readonly idByName: ReadonlyMap<string, number>
  readonly nameById: ReadonlyMap<number, string>
}

const none: Accounts = { stamp: "", idByName: new Map(), nameById: new Map() }

export class AccountNames {
  readonly #path: string
  #known: Accounts = none

  constructor(path: string) {
    this.#path = path
  }

  id(name: string): number | undefined {
    return this.#current().idByName.get(name)
  }

  name(id: number): string | undefined {
    return this.#current().nameById.get(id)
  }

  #current(): Accounts {
    const stat = statSync(this.#path, { throwIfNoEntry: false, bigint: true })
    if (stat === undefined) return none
    const stamp = `${stat.ino}:${stat.mtimeNs}:${stat.size}`
    if (stamp !== this.#known.stamp) {
      this.#known = { stamp, ...parseAccounts(readFileSync(this.#path, "utf8")) }
    }
    return this.#known
  }
}

/** `name:password:id:...` per line; the first line that names an account wins, as in libc. */
export function parseAccounts(text: string): Omit<Accounts, "stamp"> {
  const idByName = new Map<string, number>()
  const nameById = new Map<number, string>()
  for (const line of text.split("\n")) {
    const [name = "", , id = ""] = line.split(":")
    if (name === "" || name.startsWith("#") || !/^\d{1,10}$/.test(id)) continue
    const number = Number(id)
    if (!idByName.has(name)) idByName.set(name, number)
    if (!nameById.has(number)) nameById.set(number, name)
  }
  return { idByName, nameById }
}
