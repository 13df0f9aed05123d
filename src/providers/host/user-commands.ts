// What the shadow tools are told for a user, as argument vectors. The tools lock the files, keep
// all four of them in step and know the distribution's rules; hashes go by stdin, since everyone
// can read arguments.

import type { CommandRequest } from "../../contract/commands.ts"
import { disabledDay, retiredDay, type UserSight } from "./user-facts.ts"
import type { UserSpec } from "./user-spec.ts"

/** Exit codes by which useradd, usermod, userdel and their kin say that they did nothing. */
export const refusals: ReadonlySet<number> = new Set([2, 3, 4, 6, 8, 9])

const within = (root: string) => (root === "" ? [] : ["-R", root])
const given = (option: string, value: string | number | undefined) =>
  value === undefined ? [] : [option, String(value)]

/** Unfinished, it can't be entered and counts as absent until `openUser`. */
export function addUser(spec: UserSpec, root: string, unfinished: boolean): CommandRequest {
  const { name, uid, group, groups, comment, home, shell } = spec
  const argv = [
    ...["useradd", ...within(root)],
    ...(group === undefined ? ["-U"] : ["-g", group]),
    ...(groups === undefined || groups.length === 0 ? [] : ["-G", groups.join(",")]),
    ...given("-u", uid),
    ...given("-c", comment),
    ...given("-d", home),
    ...given("-s", shell),
    spec.createHome ? "-m" : "-M",
    ...(spec.system ? ["-r"] : []),
    ...(unfinished ? ["-e", dayText(retiredDay)] : expiry(spec.enabled)),
    name,
  ]
  return { argv }
}

const expiry = (enabled: boolean) => (enabled ? [] : ["-e", dayText(disabledDay)])

/** What differs and can be said to usermod; undefined when nothing does. */
export function changeUser(
  spec: UserSpec,
  sight: UserSight,
  root: string,
): CommandRequest | undefined {
  const { entry } = sight
  const differs = <T>(wanted: T | undefined, found: T) =>
    wanted === undefined || wanted === found ? undefined : wanted
  const groups = spec.groups === undefined ? undefined : [...spec.groups].sort().join(",")
  const options = [
    ...given("-u", differs(spec.uid, entry.uid)),
    ...given("-g", differs(spec.group, sight.primary)),
    ...given("-G", differs(groups, sight.groups.join(","))),
    ...given("-c", differs(spec.comment, entry.comment)),
    ...given("-d", differs(spec.home, entry.home)),
    ...given("-s", differs(spec.shell, entry.shell)),
    ...(spec.enabled === sight.enabled ? [] : enabling(spec.enabled)),
  ]
  if (options.length === 0) return undefined
  return { argv: ["usermod", ...within(root), ...options, spec.name] }
}

const enabling = (enabled: boolean) =>
  enabled ? ["-U", "-e", ""] : ["-L", "-e", dayText(disabledDay)]

export const setPassword = (name: string, hash: string, root: string): CommandRequest => ({
  argv: ["chpasswd", ...within(root), "-e"],
  input: `${name}:${hash}\n`,
})

/** Whoever had the account before must not get in because somebody has its name now. */
export const forgetPassword = (name: string, root: string): CommandRequest => ({
  argv: ["usermod", ...within(root), "-p", "!", name],
})

/** The last step of a create in several steps. */
export const openUser = ({ name, enabled }: UserSpec, root: string): CommandRequest => ({
  argv: ["usermod", ...within(root), "-e", enabled ? "" : dayText(disabledDay), name],
})

export const retireUser = (name: string, root: string): CommandRequest => ({
  argv: ["usermod", ...within(root), "-L", "-e", dayText(retiredDay), name],
})

export const removeUser = (name: string, root: string): CommandRequest => ({
  argv: ["userdel", ...within(root), name],
})

const dayText = (day: number) => new Date(day * 86_400_000).toISOString().slice(0, 10)
