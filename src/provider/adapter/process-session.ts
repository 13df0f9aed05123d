// Which processes are of a run, also when its leader is gone. A session is inherited, and a pid is
// given to nobody as long as it names one. So who was born into the leader's session while the
// leader lived is of that run; and as long as one of those is there, so is everybody in it.
// Nothing else is proof: a number that came round again may name somebody else's session.

import { readFileSync } from "node:fs"
import type { ProcessFacts, ProcessIdentity } from "../../contract/processes.ts"
import { allPids, bootId, isAlive, isEnded, processFacts } from "./proc-files.ts"

/** Clock ticks since boot, as in the start times of processes. */
export function ticksNow(): number {
  return ticksOf(readFileSync("/proc/uptime", "utf8")) ?? 0
}

/** From what /proc/uptime says: seconds with two digits behind the point, and a tick is 10 ms. */
export function ticksOf(uptime: string): number | undefined {
  const [, seconds, hundredths] = /^(\d{1,12})\.(\d\d)\s/.exec(uptime) ?? []
  return seconds === undefined ? undefined : Number(seconds) * 100 + Number(hundredths)
}

/** When leaders were last seen alive, by this plane. By pid, so there are never too many. */
export class Sightings {
  readonly #last = new Map<number, { readonly startTime: string; readonly at: number }>()

  /** Whether it is alive; and if so, that is remembered. */
  isAlive(identity: ProcessIdentity): boolean {
    const at = ticksNow() // Before the look: it was alive then, too.
    const alive = isAlive(identity)
    if (alive) this.#last.set(identity.pid, { startTime: identity.startTime, at })
    return alive
  }

  lastOf({ pid, startTime }: ProcessIdentity): number {
    const found = this.#last.get(pid)
    return found?.startTime === startTime ? found.at : 0
  }
}

export interface Leader {
  readonly identity: ProcessIdentity
  /** It certainly lived until then. */
  readonly livedUntil: number
}

/** All but the leader; nobody when it can't be proven that they are its own. */
export function sessionOf(
  { identity, livedUntil }: Leader,
  isMarked: (pid: number) => boolean,
): ProcessFacts[] {
  const { pid: leader, startTime, bootId: boot } = identity
  if (boot !== bootId() || leader <= 0) return []
  const found = allPids().flatMap((pid): ProcessFacts[] => {
    const facts = pid === leader ? undefined : processFacts(pid)
    return facts === undefined || facts.session !== leader || isEnded(facts) ? [] : [facts]
  })
  const proof = found.find((one) => {
    const born = Number(one.startTime)
    return (born >= Number(startTime) && born <= livedUntil) || isMarked(one.pid)
  })
  // Still there after all were read: so each of them was in this very session.
  return proof !== undefined && isAlive(proof) ? found : []
}
