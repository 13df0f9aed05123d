// GET /setpoint/v1/series: the last fifteen minutes as columns of numbers, ready for a chart. Of
// all loops that the caller may see, or of one; `since` asks for what came after, `columns` for a
// few of them.

import type { ExtensionRoute } from "../api/extensions.ts"
import { planeFault } from "./faults.ts"
import { keptSeconds, loopColumns, planeColumns, stepSeconds } from "./loop-series.ts"
import type { Plane } from "./plane.ts"
import { loopAccess, type Sight } from "./route-access.ts"

export function seriesOf(plane: Plane, query: URLSearchParams, sight: Sight): object {
  const since = sinceOf(query.get("since"))
  const chosen = columnsOf(query.get("columns"))
  const one = query.get("loop")
  const ids = plane.loops.all().map(({ id }) => id)
  if (one !== null && !ids.includes(one)) throw planeFault("SPT-SERIES-001", { loop: one })
  const seen = (one === null ? ids : [one]).filter((id) => sight.loop(id))
  const { engine, ports } = plane
  const { series } = plane.telemetry
  return {
    now: ports.clock.now() / 1000,
    stepSeconds,
    keptSeconds,
    plane: series.ofPlane.since(since, chosen),
    // Their names are those of servers, and say where the targets of others are.
    breakers: sight.plane()
      ? [...engine.connections.states()].map(([connection, state]) => ({ connection, state }))
      : [],
    loops: seen.flatMap((loop) => {
      const ring = series.of(loop)
      return ring === undefined ? [] : [{ loop, ...ring.since(since, chosen) }]
    }),
  }
}

export const seriesAccess: NonNullable<ExtensionRoute["access"]> = (_params, query) => {
  const loop = query.get("loop")
  return loop === null ? [] : [loopAccess("get", loop)]
}

const notTime = "it is no number of seconds since 1970"

function sinceOf(text: string | null): number {
  if (text === null) return 0
  const seconds = Number(text)
  if (text.trim() !== "" && Number.isFinite(seconds) && seconds >= 0) return seconds
  throw planeFault("SPT-SERIES-002", { what: "since", value: text.slice(0, 100), why: notTime })
}

const known: ReadonlySet<string> = new Set([...loopColumns, ...planeColumns])

function columnsOf(text: string | null): ReadonlySet<string> | undefined {
  if (text === null) return undefined
  const names = text.slice(0, 2000).split(",")
  const strange = names.find((name) => !known.has(name))
  if (strange === undefined) return new Set(names)
  const why = "there is no such column"
  throw planeFault("SPT-SERIES-002", { what: "columns", value: strange.slice(0, 100), why })
}
