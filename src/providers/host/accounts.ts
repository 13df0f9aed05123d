// The account files as values: /etc/passwd, /etc/group and /etc/shadow, line by line as libc reads
// them. Lines that are no accounts (comments, `+` of NIS, damaged ones) are nobody's.

export interface PasswdEntry {
  readonly name: string
  readonly uid: number
  readonly gid: number
  readonly comment: string
  readonly home: string
  readonly shell: string
}

export interface GroupEntry {
  readonly name: string
  readonly gid: number
  readonly members: readonly string[]
}

export interface ShadowEntry {
  /** The second field as it is: a hash, or `!` and the like. */
  readonly password: string
  /** Days since 1970; undefined when the account does not expire. */
  readonly expireDay: number | undefined
}

export interface Accounts {
  readonly users: ReadonlyMap<string, PasswdEntry>
  readonly groups: ReadonlyMap<string, GroupEntry>
  readonly groupsById: ReadonlyMap<number, GroupEntry>
  readonly shadows: ReadonlyMap<string, ShadowEntry>
  /** Names of the groups that list the user as a member. */
  readonly memberships: ReadonlyMap<string, readonly string[]>
}

const number = (text: string | undefined): number | undefined =>
  text !== undefined && /^\d{1,10}$/.test(text) ? Number(text) : undefined

/** The first line that names an account wins, as in libc. */
function lines<T>(text: string, read: (fields: readonly string[]) => T | undefined) {
  const found = new Map<string, T>()
  for (const line of text.split("\n")) {
    const fields = line.split(":")
    const [name = ""] = fields
    if (name === "" || /^[#+-]/.test(name) || found.has(name)) continue
    const entry = read(fields)
    if (entry !== undefined) found.set(name, entry)
  }
  return found
}

export function readAccounts(texts: {
  readonly passwd: string
  readonly group: string
  readonly shadow: string
}): Accounts {
  const users = lines<PasswdEntry>(texts.passwd, (fields) => {
    const [name = "", , uid, gid, comment = "", home = "", shell = ""] = fields
    const ids = { uid: number(uid), gid: number(gid) }
    if (ids.uid === undefined || ids.gid === undefined) return undefined
    return { name, uid: ids.uid, gid: ids.gid, comment, home, shell }
  })
  const groups = lines<GroupEntry>(texts.group, ([name = "", , id, members = ""]) => {
    const gid = number(id)
    if (gid === undefined) return undefined
    return { name, gid, members: members.split(",").filter((member) => member !== "") }
  })
  const shadows = lines<ShadowEntry>(texts.shadow, ([, password = "", , , , , , expire]) => {
    return { password, expireDay: number(expire) }
  })
  const groupsById = new Map<number, GroupEntry>()
  const memberships = new Map<string, string[]>()
  for (const group of groups.values()) {
    if (!groupsById.has(group.gid)) groupsById.set(group.gid, group)
    for (const member of new Set(group.members)) {
      const known = memberships.get(member)
      if (known === undefined) memberships.set(member, [group.name])
      else known.push(group.name)
    }
  }
  return { users, groups, groupsById, shadows, memberships }
}
