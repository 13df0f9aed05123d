// What is true of a user, in the shape of the spec. A user whom a delete has disabled counts as
// absent; the mark is an expiry on a day that nobody else would choose.

import { sha256 } from "../../base/hash.ts"
import { canonicalJson, type JsonObject } from "../../base/json.ts"
import type { Accounts, PasswdEntry, ShadowEntry } from "./accounts.ts"
import type { UserSpec } from "./user-spec.ts"

/** 1970-01-02: disabled by `enabled: false`. */
export const disabledDay = 1
/** 1970-01-03: disabled because its object was deleted. */
export const retiredDay = 2

export interface UserSight {
  readonly kind: "user"
  readonly entry: PasswdEntry
  readonly primary: string
  readonly groups: readonly string[]
  readonly enabled: boolean
  readonly passwordHash: string | undefined
  /** Only where the spec manages them. */
  readonly keys?: readonly string[]
}

export function isRetired(shadow: ShadowEntry | undefined): boolean {
  return shadow?.expireDay === retiredDay
}

export function sightOf(
  accounts: Accounts,
  entry: PasswdEntry,
  keys: readonly string[] | undefined,
): UserSight {
  const shadow = accounts.shadows.get(entry.name)
  const primary = accounts.groupsById.get(entry.gid)?.name ?? String(entry.gid)
  const groups = (accounts.memberships.get(entry.name) ?? []).filter((name) => name !== primary)
  const password = shadow?.password ?? ""
  const hash = password.replace(/^!+/, "")
  const hasHash = hash !== "" && hash !== "*"
  const expired = shadow?.expireDay !== undefined && shadow.expireDay <= retiredDay
  return {
    ...{ kind: "user", entry, primary, groups: [...groups].sort() },
    enabled: !expired && !(hasHash && password.startsWith("!")),
    passwordHash: hasHash ? hash : undefined,
    ...(keys === undefined ? {} : { keys }),
  }
}

export function userFacts(sight: UserSight, spec: UserSpec): JsonObject {
  const { entry, passwordHash, keys } = sight
  return {
    ...{ name: entry.name, uid: entry.uid, group: sight.primary, groups: sight.groups },
    ...{ comment: entry.comment, home: entry.home, shell: entry.shell, enabled: sight.enabled },
    // Not to be seen where nobody asked for it; and no password at all is a fact, too.
    ...(spec.passwordHash === undefined ? {} : { passwordHash: passwordHash ?? "" }),
    ...(keys === undefined ? {} : { authorizedKeys: keys }),
    // How it is to be made and unmade is no fact of the host.
    ...{ createHome: spec.createHome, system: spec.system, onDelete: spec.onDelete },
  }
}

/** Of everything that an update could overwrite. */
export function userToken(sight: UserSight): string {
  const { kind: _, passwordHash, ...rest } = sight
  const password = passwordHash ?? null
  return sha256(canonicalJson({ ...rest, entry: { ...rest.entry }, password } as JsonObject))
}
