// The last fifteen minutes in charts: of all loops together or of one, and of the plane itself.

import { place, setQuery } from "../../app/router.tsx"
import { PlaneCharts, SampleCharts } from "../../charts/loop-charts.tsx"
import { joinSamples } from "../../charts/series.ts"
import { useSeries } from "../../charts/use-series.ts"
import { Empty } from "../../ui/empty.tsx"
import { ErrorBox } from "../../ui/error-box.tsx"

export function ActivityPage() {
  const chosen = place.value.query.get("loop") ?? ""
  const { data, fault } = useSeries().value
  const loops = data?.loops ?? []
  const names = loops.map(({ loop }) => loop)
  const shown = chosen === "" ? loops : loops.filter(({ loop }) => loop === chosen)
  return (
    <>
      <div class="page-head">
        <h1>Activity</h1>
        <label class="activity-loop">
          <span>Loop </span>
          <select value={chosen} onChange={(event) => setQuery("loop", event.currentTarget.value)}>
            <option value="">all together</option>
            {(names.includes(chosen) || chosen === "" ? names : [...names, chosen]).map((name) => (
              <option key={name} value={name}>
                {name}
              </option>
            ))}
          </select>
        </label>
      </div>
      {fault === undefined ? null : <ErrorBox fault={fault} />}
      {data === undefined ? (
        fault === undefined && <Empty title="Asking ..." />
      ) : (
        <div class="charts">
          <SampleCharts samples={joinSamples(shown)} />
          <PlaneCharts view={data} />
        </div>
      )}
    </>
  )
}
