// What stands before a program: the tools that give it another user and another priority, and the
// environment every program gets. Tools are found once, on the system's own path: a program's PATH
// is its own business.

import { accessSync, constants, readFileSync } from "node:fs"
import { userInfo } from "node:os"
import type { StartRequest } from "../../contract/processes.ts"
import { providerFault } from "../faults.ts"

const toolPath = ["/usr/bin", "/bin", "/usr/sbin", "/sbin", "/usr/local/bin"]
const systemPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
const tools = new Map<string, string>()

export function findTool(name: string): string {
  const known = tools.get(name)
  if (known !== undefined) return known
  const found = toolPath.map((directory) => `${directory}/${name}`).find(isExecutable)
  if (found === undefined) {
    const cause = `this host has no ${name} in ${toolPath.join(", ")}`
    throw providerFault("SPT-PROV-033", { program: name, cause })
  }
  tools.set(name, found)
  return found
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** What loaders, libc and shells act on in any program, so also in those before the change. */
const active = /^(LD_.*|GCONV_PATH|GLIBC_TUNABLES|LOCPATH|NLSPATH|MALLOC_.*|BASH_.*|ENV|IFS|PS4)$/

export function wrappers({ argv, env, user, limits }: StartRequest): string[] {
  const nice = limits?.nice
  const before = nice === undefined ? [] : [findTool("nice"), "-n", String(nice)]
  if (user === undefined) return before
  const account = findAccount(user)
  const program = argv[0] ?? ""
  if (account === undefined) {
    throw providerFault("SPT-PROV-034", { program, user, cause: "there is no such user here" })
  }
  const own = process.getuid?.() ?? -1
  if (own !== 0 && own === account.uid) return before
  if (own !== 0) {
    throw providerFault("SPT-PROV-034", { program, user, cause: "only root may change the user" })
  }
  const [early] = Object.keys(env).filter((name) => active.test(name))
  if (early !== undefined && account.uid !== 0) {
    const cause = `${early} would work before the user is changed; let \`env\` set it instead`
    throw providerFault("SPT-PROV-034", { program, user, cause })
  }
  const groups = account.name === undefined ? "--clear-groups" : "--init-groups"
  const ids = [`--reuid=${account.uid}`, `--regid=${account.gid}`, groups]
  return [...before, findTool("setpriv"), ...ids, "--"]
}

export function baseEnvironment(user: string | undefined): Record<string, string> {
  const account = user === undefined ? undefined : findAccount(user)
  const own = userInfo()
  const name = account === undefined ? own.username : (account.name ?? String(account.uid))
  const home = account === undefined ? own.homedir : (account.home ?? "/")
  return { PATH: systemPath, HOME: home, USER: name, LOGNAME: name }
}

interface Account {
  readonly uid: number
  readonly gid: number
  /** Missing for a number that no account has. */
  readonly name?: string
  readonly home?: string
}

function findAccount(user: string): Account | undefined {
  for (const line of readFileSync("/etc/passwd", "utf8").split("\n")) {
    const [name, , uid, gid, , home] = line.split(":")
    if (name === undefined || home === undefined || (name !== user && uid !== user)) continue
    return { uid: Number(uid), gid: Number(gid), name, home }
  }
  return /^\d{1,10}$/.test(user) ? { uid: Number(user), gid: Number(user) } : undefined
}
