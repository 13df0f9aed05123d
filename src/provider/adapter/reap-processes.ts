// What a run left behind when its leader ended: in its session, as far as that is proven to be its
// own, or anywhere, with the place's name in the environment. Programs may write over their
// environment and may leave their session; who did both gets away.

import { statSync } from "node:fs"
import { basename } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import type { PlaceFacts, ProcessFacts, ProcessIdentity } from "../../contract/processes.ts"
import { allPids, bootId, environmentOf, isAlive, isEnded, processFacts } from "./proc-files.ts"
import { placeVariable, readEnd, runsIn } from "./process-place.ts"
import { type Sightings, sessionOf } from "./process-session.ts"
import { groupExists, sendTo } from "./send-signal.ts"

export const runVariable = "SETPOINT_RUN"
const goneLimitMs = 10_000

/** Resolves when what was killed is gone, or after a while. */
export async function reap(directory: string, run: number, sightings: Sightings): Promise<number> {
  const killed = [...killSessions(directory, run, sightings), ...killMarked(directory, run)]
  const until = performance.now() + goneLimitMs
  for (let delay = 1; killed.some(isAlive); delay = Math.min(50, delay * 2)) {
    if (performance.now() >= until) break
    await pause(delay)
  }
  return killed.length
}

/** Proven members of the group of a run whose leader has ended. */
export function stragglersOf(directory: string, place: PlaceFacts, sightings: Sightings): number {
  const { identity, alive, run } = place
  if (identity === undefined || alive || identity.bootId !== bootId()) return 0
  // Seldom there, and quickly asked; only then everything is read.
  if (identity.pid <= 0 || !groupExists(identity.pid)) return 0
  const members = membersOf(directory, run, identity, sightings)
  return members.filter(({ group }) => group === identity.pid).length
}

function membersOf(
  directory: string,
  run: number,
  identity: ProcessIdentity,
  sightings: Sightings,
): ProcessFacts[] {
  const livedUntil = Math.max(sightings.lastOf(identity), readEnd(directory, run) ?? 0)
  return sessionOf({ identity, livedUntil }, (pid) => isMarked(pid, directory, run))
}

function killSessions(directory: string, run: number, sightings: Sightings): ProcessFacts[] {
  return runsIn(directory).flatMap(({ run: one, identity }) => {
    if (one > run) return []
    const members = membersOf(directory, one, identity, sightings)
    // The group at once, so that nobody in it can begin another one in between.
    if (members.some(({ group }) => group === identity.pid)) sendTo(-identity.pid, "SIGKILL")
    return members.filter((member) => !isAlive(member) || sendTo(member.pid, "SIGKILL"))
  })
}

/** Found by what their environment says, so that those that left the session are found, too. */
function killMarked(directory: string, run: number): ProcessFacts[] {
  const shims = new Set(runsIn(directory).map(({ shim }) => shim.pid))
  return allPids().flatMap((pid) => {
    if (shims.has(pid) || pid === process.pid) return []
    const facts = isMarked(pid, directory, run) ? processFacts(pid) : undefined
    if (facts === undefined || isEnded(facts) || !isMarked(pid, directory, run)) return []
    return isAlive(facts) && sendTo(pid, "SIGKILL") ? [facts] : []
  })
}

function isMarked(pid: number, directory: string, run: number): boolean {
  const found = environmentOf(pid)
  const place = found?.get(placeVariable)
  if (place === undefined || Number(found?.get(runVariable) ?? 0) > run) return false
  return place === directory || isSamePlace(place, directory)
}

/** Also when the way to the data directory leads over another symbolic link now. */
function isSamePlace(left: string, right: string): boolean {
  if (basename(left) !== basename(right)) return false
  const [one, other] = [left, right].map((path) => statSync(path, { throwIfNoEntry: false }))
  return one !== undefined && one.ino === other?.ino && one.dev === other.dev
}
