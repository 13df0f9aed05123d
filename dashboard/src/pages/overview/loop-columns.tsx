// The columns of the table of loops.

import { Link, pathTo } from "../../app/router.tsx"
import type { Numbers } from "../../live/series.ts"
import type { LoopView, SourceView, StopView } from "../../live/status.ts"
import { Age, ageText } from "../../ui/age.tsx"
import { Badge } from "../../ui/badge.tsx"
import { Meter } from "../../ui/meter.tsx"
import { Spark } from "../../ui/spark.tsx"
import type { Column } from "../../ui/table.tsx"
import { visible } from "../../ui/visible.ts"
import { healthOf } from "./loop-health.ts"

export const loopPath = (id: string): string => pathTo("/loops/:loop", { loop: id })

export function loopColumns(
  standing: readonly StopView[],
  { loops }: Numbers,
): readonly Column<LoopView>[] {
  return [
    {
      ...{ id: "loop", title: "Loop", width: "17%" },
      cell: ({ id }) => (
        <Link to={loopPath(id)} title={id}>
          {id}
        </Link>
      ),
      sort: ({ id }) => id,
    },
    {
      ...{ id: "health", title: "Health", width: "10.6rem" },
      cell: (loop) => <HealthBadge loop={loop} stops={standing} />,
      sort: (loop) => healthOf(loop, standing).rank,
    },
    {
      ...{ id: "mode", title: "Mode", width: "5.8rem" },
      cell: ({ mode }) => mode,
      sort: ({ mode }) => mode,
    },
    {
      ...{ id: "objects", title: "As declared", width: "9.9rem" },
      cell: AsDeclared,
      sort: ({ converged, objects }) => converged - objects,
    },
    {
      ...{ id: "held", title: "Waits", width: "5.6rem" },
      cell: ({ plan }) =>
        plan === undefined ? null : (
          <Link to={pathTo("/plans/:name", { name: plan.name })}>
            {`${plan.actions.toLocaleString("en")} held`}
          </Link>
        ),
      sort: ({ plan }) => -(plan?.actions ?? 0),
    },
    {
      ...{ id: "drift", title: "Drift, 15 min", width: "7.4rem" },
      cell: ({ id }) => {
        const found = loops.get(id)
        if (found === undefined || found.driftCount === 0) return <span class="muted">none</span>
        return (
          <span class="spark-cell">
            <Spark values={found.drift} /> {found.driftCount.toLocaleString("en")}
          </span>
        )
      },
      sort: ({ id }) => -(loops.get(id)?.driftCount ?? 0),
    },
    {
      ...{ id: "oldest", title: "Oldest difference" },
      cell: Oldest,
      sort: ({ oldest }) => (oldest === undefined ? Number.MAX_VALUE : Date.parse(oldest.since)),
    },
    {
      ...{ id: "source", title: "Source", width: "8rem" },
      cell: ({ id, source }) => (
        <SourceCell source={source} seconds={loops.get(id)?.sourceSeconds} />
      ),
    },
  ]
}

export interface HealthProps {
  readonly loop: LoopView
  readonly stops: readonly StopView[]
}

export function HealthBadge({ loop, stops }: HealthProps) {
  const { tone, word, why } = healthOf(loop, stops)
  return (
    <Badge tone={tone} title={visible(why)}>
      {word}
    </Badge>
  )
}

function AsDeclared({ converged, objects }: LoopView) {
  if (objects === 0) return <span class="muted">no objects</span>
  const label = `${converged.toLocaleString("en")} of ${objects.toLocaleString("en")}`
  return (
    <Meter
      value={converged}
      of={objects}
      label={label}
      tone={converged === objects ? "good" : "warn"}
    />
  )
}

function Oldest({ oldest }: LoopView) {
  if (oldest === undefined) return null
  return (
    <span title={visible(`${oldest.object}: ${oldest.message}`)}>
      <Age time={oldest.since} />{" "}
      <Link to={pathTo("/objects/*key", { key: oldest.object })}>
        {visible(nameOf(oldest.object))}
      </Link>
    </span>
  )
}

/** "files/default/motd" of "files.host.setpoint.dev/default/motd". */
export function shortKey(key: string): string {
  const [resource = "", ...rest] = key.split("/")
  return [resource.split(".")[0], ...rest].join("/")
}

const nameOf = (key: string): string => key.split("/").at(-1) ?? key

export interface SourceProps {
  readonly source: SourceView | undefined
  readonly seconds: number | undefined
}

function SourceCell({ source, seconds }: SourceProps) {
  if (source === undefined) return <span class="muted">by API</span>
  const revision = source.revision ?? source.lastGoodRevision ?? ""
  return (
    <span title={`revision ${revision}, and how long ago it was last read well`}>
      <code>{shortRevision(revision) || source.state}</code>
      {seconds === undefined ? null : <span class="muted"> {ageText(seconds * 1000)}</span>}
    </span>
  )
}

/** Hashes are told apart by their first characters; other revisions are shown whole. */
export function shortRevision(revision: string): string {
  return revision.replaceAll(/\b([0-9a-f]{8})[0-9a-f]{8,}\b/g, "$1")
}
