// What a loop may do by itself, and how much of that is left in its window.

import type { LoopView } from "../../live/status.ts"
import { Card, Facts } from "../../ui/card.tsx"
import { Meter } from "../../ui/meter.tsx"
import type { StandingProps } from "./standing-card.tsx"

export function LimitsCard({ loop, object }: StandingProps) {
  const spec = object?.spec
  const { approvals, limits } = spec ?? {}
  const window = limits?.window ?? ""
  return (
    <Card title="Limits" aside={<span class="muted">{window === "" ? "" : `per ${window}`}</span>}>
      <Facts
        facts={[
          { name: "Deletes", value: <Budget {...loop.deletes} /> },
          { name: "Changes", value: <Budget {...loop.changes} /> },
          {
            name: "Delete limit",
            value: `${limits?.deletes ?? "?"}, at most ${limits?.deletesPercent ?? "?"} %`,
          },
          { name: "Interval", value: spec?.interval ?? `${loop.intervalMs / 1000}s` },
          { name: "On drift", value: spec?.onDrift ?? "" },
          { name: "On conflict", value: spec?.onConflict ?? "" },
          { name: "On empty source", value: spec?.onEmpty ?? "" },
          { name: "Approvals", value: approvalText(approvals) },
        ]}
      />
    </Card>
  )
}

function approvalText(
  approvals: { required?: number; separateAuthor?: boolean; expiresAfter?: string } = {},
): string {
  const { required = 1, separateAuthor = false, expiresAfter } = approvals
  const who = separateAuthor ? `${required}, not by the author` : String(required)
  return expiresAfter === undefined ? who : `${who}; a plan expires after ${expiresAfter}`
}

function Budget({ used, allowed }: LoopView["deletes"]) {
  const left = Math.max(0, allowed - used)
  const tone = left === 0 ? "bad" : left <= allowed / 4 ? "warn" : "busy"
  const label = `${used} used, ${left} of ${allowed} left`
  return <Meter value={used} of={allowed} label={label} tone={tone} />
}
