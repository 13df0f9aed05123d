// How an object stands, as a badge, and how many of a group stand how.

import { stops } from "../../live/status.ts"
import { Badge, Shape } from "../../ui/badge.tsx"
import { visible } from "../../ui/visible.ts"
import {
  type ObjectRow,
  type StandingWord,
  standingOf,
  standings,
  standingText,
  toneOf,
} from "./object-row.ts"

/** Somebody asked that it be left alone. */
export function PausedBadge({ object }: { readonly object: string }) {
  const stop = stops.value.find((one) => one.object === object)
  return stop === undefined ? null : (
    <Badge tone="calm" title={visible(stop.text)}>
      Paused
    </Badge>
  )
}

export interface StandingBadgeProps {
  readonly row: Pick<ObjectRow, "state" | "deleting" | "message">
}

export function StandingBadge({ row }: StandingBadgeProps) {
  const word = standingOf(row)
  return (
    <Badge tone={toneOf(word)} {...(row.message ? { title: visible(row.message) } : {})}>
      {standingText(word)}
    </Badge>
  )
}

/** The worst first; those that are well come last. */
export function StandingCounts({ counts }: { readonly counts: ReadonlyMap<StandingWord, number> }) {
  return (
    <span class="standing-counts">
      {standings.map((word) => {
        const count = counts.get(word) ?? 0
        return count === 0 ? null : (
          <span key={word} class="standing-count" title={standingText(word)}>
            <Shape tone={toneOf(word)} />
            {count}
            <span class="sr-only"> {standingText(word)}</span>
          </span>
        )
      })}
    </span>
  )
}
