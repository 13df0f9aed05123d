// One loop: how it stands and why, its source and what is wrong with it, limits and what is left
// of them, windows, what happened last.

import type { PageProps } from "../../app/pages.ts"
import { Link, pathTo } from "../../app/router.tsx"
import { LoopCharts } from "../../charts/loop-charts.tsx"
import { ask } from "../../live/request.ts"
import { type LoopView, loops, planeStatus, stops } from "../../live/status.ts"
import { refreshViews } from "../../live/view.ts"
import { ActionButton, Button } from "../../ui/button.tsx"
import { CopyCommand } from "../../ui/copy-command.tsx"
import { Empty } from "../../ui/empty.tsx"
import { HealthBadge } from "../overview/loop-columns.tsx"
import { openStop } from "../stop/stop-dialog.tsx"
import { ActivityCard } from "./activity-card.tsx"
import { LimitsCard } from "./limits-card.tsx"
import { mayLoop, useLoopObject } from "./loop-object.ts"
import { SourceCard } from "./source-card.tsx"
import { StandingCard } from "./standing-card.tsx"
import { WindowsCard } from "./windows-card.tsx"

export function LoopPage({ params }: PageProps) {
  const id = params.loop ?? ""
  const { data } = planeStatus().value
  const loop = loops.value.find((one) => one.id === id)
  if (loop !== undefined) return <Loop loop={loop} />
  return (
    <>
      <h1>{id}</h1>
      {data === undefined ? null : (
        <Empty title="No such loop, or none that you may see.">
          <Link to="/">To the overview</Link>
        </Empty>
      )}
    </>
  )
}

function Loop({ loop }: { readonly loop: LoopView }) {
  const object = useLoopObject(loop.id)
  return (
    <>
      <div class="page-head">
        <h1>
          <span class="crumb">
            <Link to="/">Loops</Link> /
          </span>{" "}
          {loop.id}
        </h1>
        <HealthBadge loop={loop} stops={stops.value} />
        <span class="muted">{loop.mode}</span>
        <Link to={`/objects?loop=${encodeURIComponent(loop.id)}`}>Objects</Link>
        <Link to={`/journal?loop=${encodeURIComponent(loop.id)}`}>Journal</Link>
        <Link to={`/checkpoints?loop=${encodeURIComponent(loop.id)}`}>Checkpoints</Link>
        <LookButton loop={loop.id} />
        <Button onClick={() => openStop(loop.id)}>Stop this loop</Button>
      </div>
      <div class="cards">
        <StandingCard loop={loop} object={object} />
        <SourceCard loop={loop} />
        <LimitsCard loop={loop} object={object} />
        <WindowsCard object={object} />
      </div>
      <LoopCharts loop={loop.id} />
      <ActivityCard loop={loop.id} />
    </>
  )
}

function LookButton({ loop }: { readonly loop: string }) {
  const look = async () => {
    await ask(`/setpoint/v1/look?loop=${encodeURIComponent(loop)}`, { method: "POST", body: {} })
    await refreshViews()
  }
  return (
    <ActionButton
      label="Look now"
      title={`Look at ${loop} now?`}
      verb="Look"
      disabledWhy={mayLoop("look", loop)}
      onConfirm={look}
      explain={
        <>
          <p>Reads the source and every target again, without waiting for the interval.</p>
          <CopyCommand command={`setpoint look ${loop}`} />
        </>
      }
    />
  )
}

export const planPath = (name: string): string => pathTo("/plans/:name", { name })
