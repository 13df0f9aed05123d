// How a loop stands, in one word, from what the plane's status says about it. What needs a person
// comes before what passes by itself.

import type { LoopView, StopView } from "../../live/status.ts"
import type { Tone } from "../../ui/badge.tsx"

export interface Health {
  readonly tone: Tone
  readonly word: string
  readonly why: string
  /** Worst first. */
  readonly rank: number
}

export function stopsOf(loop: LoopView, stops: readonly StopView[]): readonly StopView[] {
  const everywhere = ({ loop: where, provider, object }: StopView) =>
    where === "*" && provider === undefined && object === undefined
  return stops.filter((stop) => stop.loop === loop.id || everywhere(stop))
}

export function healthOf(loop: LoopView, stops: readonly StopView[]): Health {
  const stop = stopsOf(loop, stops).find(({ scope }) => scope === "all")
  const health = needsPerson(loop) ?? onItsWay(loop)
  if (stop === undefined) return health
  return { tone: "bad", word: "Stopped", why: stop.text, rank: health.rank / 100 }
}

function needsPerson(loop: LoopView): Health | undefined {
  const source = loop.source?.state
  if (source === "invalid" || source === "unreadable") {
    const why = loop.source?.issues?.[0] ?? `the source is ${source}`
    const word = source === "invalid" ? "Source invalid" : "Source unreadable"
    return { tone: "bad", word, why, rank: 1 }
  }
  const broken = loop.invariants[0]
  if (broken !== undefined) {
    const why = `${broken.name}: ${broken.message ?? broken.state}`
    return { tone: "bad", word: "Invariant broken", why, rank: 2 }
  }
  if (loop.plan !== undefined) {
    const { actions, name } = loop.plan
    const why = `${counted(actions, "action")} in plan ${name} wait for a person`
    return { tone: "warn", word: "Held", why, rank: 3 }
  }
  const stuck = loop.states.stuck ?? 0
  if (stuck === 0) return undefined
  return { tone: "bad", word: "Stuck", why: loop.oldest?.message ?? "", rank: 4 }
}

function onItsWay(loop: LoopView): Health {
  const { doubts, oldest, states } = loop
  if (doubts.length > 0) return { tone: "warn", word: "In doubt", why: doubts[0] ?? "", rank: 5 }
  if ((states.denied ?? 0) > 0) {
    return { tone: "warn", word: "Denied", why: oldest?.message ?? "", rank: 6 }
  }
  if (oldest !== undefined) {
    const observed = loop.mode === "Observe"
    const word = observed ? "Differs" : (states.retrying ?? 0) > 0 ? "Retrying" : "Converging"
    return { tone: observed ? "warn" : "busy", word, why: oldest.message, rank: 7 }
  }
  if (loop.converged < loop.objects || loop.source?.state === "reading") {
    return { tone: "busy", word: "Converging", why: "not everything was compared yet", rank: 8 }
  }
  if (loop.objects === 0) return { tone: "calm", word: "Empty", why: "no objects", rank: 10 }
  return { tone: "good", word: "Converged", why: "everything is as declared", rank: 9 }
}

export const counted = (count: number, what: string): string =>
  `${count.toLocaleString("en")} ${what}${count === 1 ? "" : "s"}`
