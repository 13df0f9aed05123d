// What the kernel says about processes: /proc, read at once and without waiting. A process that
// ends while it is read is one that is not there; anything else that goes wrong is thrown.

import { readdirSync, readFileSync } from "node:fs"
import type { ProcessFacts, ProcessIdentity } from "../../contract/processes.ts"
import { providerFault } from "../faults.ts"

let knownBootId: string | undefined

export function bootId(): string {
  knownBootId ??= readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim()
  return knownBootId
}

export function processFacts(pid: number): ProcessFacts | undefined {
  const text = readOf(pid, "stat")
  return text === undefined ? undefined : parseStat(text, bootId())
}

/** The name in parentheses may hold anything, also spaces and parentheses. */
export function parseStat(text: string, boot: string): ProcessFacts | undefined {
  const pid = Number.parseInt(text, 10)
  const [state, parent, group, session, ...rest] = text
    .slice(text.lastIndexOf(") ") + 2)
    .trimEnd()
    .split(" ")
  // State is the third field of the line, and the start time the 22nd.
  const startTime = rest[15]
  if (state === undefined || startTime === undefined || Number.isNaN(pid)) return undefined
  const numbers = { parent: Number(parent), group: Number(group), session: Number(session) }
  return { pid, startTime, bootId: boot, state, ...numbers }
}

/** Ended processes that nobody waited for count as gone. */
export function isAlive({ pid, startTime, bootId: boot }: ProcessIdentity): boolean {
  if (boot !== bootId()) return false
  const facts = processFacts(pid)
  return facts !== undefined && facts.startTime === startTime && !isEnded(facts)
}

export const isEnded = ({ state }: ProcessFacts): boolean => state === "Z" || state === "X"

/** The environment that a process began with; undefined when it is gone or not ours to read. */
export function environmentOf(pid: number): ReadonlyMap<string, string> | undefined {
  const text = readOf(pid, "environ")
  if (text === undefined || text === "") return undefined
  const found = new Map<string, string>()
  for (const entry of text.split("\0")) {
    const at = entry.indexOf("=")
    if (at > 0) found.set(entry.slice(0, at), entry.slice(at + 1))
  }
  return found
}

export function allPids(): number[] {
  return readdirSync("/proc").flatMap((name) => (/^\d+$/.test(name) ? [Number(name)] : []))
}

/** Processes of this group that have not ended. */
export function groupMembers(group: number): ProcessFacts[] {
  return allPids().flatMap((pid) => {
    const facts = processFacts(pid)
    return facts !== undefined && facts.group === group && !isEnded(facts) ? [facts] : []
  })
}

function readOf(pid: number, name: "stat" | "environ"): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/${name}`, "utf8")
  } catch (error) {
    const errno = Object(error).code
    if (errno === "ENOENT" || errno === "ESRCH") return undefined
    if (name === "environ" && (errno === "EACCES" || errno === "EPERM")) return undefined
    throw providerFault("SPT-PROV-030", { call: `read /proc/${pid}/${name}`, errno }, error)
  }
}
