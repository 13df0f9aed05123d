// The charts of one loop, of several as one, and of the plane: what its rounds want to do, what was
// done, how long it took, what is left of its budgets, and how the plane keeps up.

import { Badge } from "../ui/badge.tsx"
import { visible } from "../ui/visible.ts"
import { Chart, type ChartLine } from "./chart.tsx"
import { type Samples, type SeriesView, scaled, type Values } from "./series.ts"
import { useSeries } from "./use-series.ts"

const perMinute = 12

/** Live, of one loop; for its page. */
export function LoopCharts({ loop }: { readonly loop: string }) {
  const { data } = useSeries(loop).value
  const samples = data?.loops.find((one) => one.loop === loop)
  if (samples === undefined) return null
  return (
    <div class="charts">
      <SampleCharts samples={samples} />
    </div>
  )
}

export function SampleCharts({ samples }: { readonly samples: Samples }) {
  const { times } = samples
  const lines = (wanted: Readonly<Record<string, string>>, by = 1): readonly ChartLine[] =>
    Object.entries(wanted).map(([column, label]) => ({
      label,
      values: scaled(valuesOf(samples, column), by),
    }))
  return (
    <>
      <Chart
        title="Diff sets"
        about="What rounds wanted to do, in each five seconds."
        times={times}
        lines={lines({
          plannedCreates: "creates",
          plannedUpdates: "updates",
          plannedReplaces: "replaces",
          plannedDeletes: "deletes",
          held: "held",
          denied: "denied",
        })}
      />
      <Chart
        title="Actions"
        about="What was done, per minute."
        unit="/min"
        times={times}
        lines={lines(
          {
            creates: "creates",
            updates: "updates",
            replaces: "replaces",
            deletes: "deletes",
            failures: "failures",
          },
          perMinute,
        )}
      />
      <Chart
        title="Time to converge"
        about="From the change to the receipt, of what converged in each five seconds."
        unit="s"
        times={times}
        lines={lines({ convergeSeconds: "mean", convergeSecondsMax: "longest" })}
      />
      <Chart
        title="Not converged"
        about="Objects that are not as declared, held actions, and drift that was found."
        steps
        times={times}
        lines={lines({ unconverged: "not converged", heldActions: "held", drift: "drift found" })}
      />
      <Chart
        title="Budget left"
        about="How many deletes and changes the limits still allow in the window."
        steps
        times={times}
        lines={lines({ deletesRemaining: "deletes", changesRemaining: "changes" })}
      />
    </>
  )
}

export function PlaneCharts({ view }: { readonly view: SeriesView }) {
  const { plane, breakers } = view
  const lines = (wanted: Readonly<Record<string, string>>): readonly ChartLine[] =>
    Object.entries(wanted).map(([column, label]) => ({ label, values: valuesOf(plane, column) }))
  const troubled = breakers.filter(({ state }) => state !== "closed")
  return (
    <>
      <Chart
        title="Queue"
        about="Objects that wait for a pass, and passes and acts that run."
        steps
        times={plane.times}
        lines={lines({
          queueDepth: "waiting",
          queueDelayed: "later",
          passesRunning: "passes",
          actsInFlight: "acts",
        })}
      />
      <div>
        <Chart
          title="Breakers"
          about="Connections that are not used for now because they failed."
          steps
          times={plane.times}
          lines={lines({ breakersOpen: "open", breakersHalfOpen: "half open" })}
        />
        <ul class="breakers">
          {troubled.map(({ connection, state }) => (
            <li key={connection}>
              <Badge tone={state === "open" ? "bad" : "warn"}>{state}</Badge> {visible(connection)}
            </li>
          ))}
        </ul>
      </div>
    </>
  )
}

const valuesOf = ({ times, columns }: Samples, name: string): Values =>
  columns[name] ?? times.map(() => null)
