// One chart of lines over time. Lines differ by colour and by dashes; the legend says the values in
// words; the same numbers stand in a table for those who can't see the picture. Nothing of it is
// drawn while it has no samples.

import { useId } from "preact/hooks"
import { dashes, Plot, pointedAt } from "./plot.tsx"
import { highestOf, lastOf, timeText, type Values, valueText } from "./series.ts"

export interface ChartLine {
  readonly label: string
  readonly values: Values
}

export interface ChartProps {
  readonly title: string
  /** What it shows, in a sentence. */
  readonly about: string
  readonly unit?: string
  readonly times: readonly number[]
  readonly lines: readonly ChartLine[]
  /** Steps instead of slopes: for counts of things that stand. */
  readonly steps?: boolean
}

const tableRows = 60

export function Chart(props: ChartProps) {
  const { title, about, unit, times, lines } = props
  const heading = useId()
  const at = pointedAt(times)
  return (
    <figure class="chart" aria-labelledby={heading}>
      <figcaption>
        <h3 id={heading}>{title}</h3>
        <p class="muted">{about}</p>
      </figcaption>
      {times.length === 0 ? (
        <p class="chart-none muted">The first sample comes within five seconds.</p>
      ) : (
        <Plot {...props} />
      )}
      <ul class="legend">
        {lines.map(({ label, values }, index) => {
          const shown = at === undefined ? lastOf(values) : values[at]
          return (
            <li key={label}>
              <svg class={`line-mark chart-${index + 1}`} viewBox="0 0 24 6" aria-hidden="true">
                <path d="M0 3h24" stroke-dasharray={dashes[index]?.join(" ")} />
              </svg>
              {label} <strong>{valueText(shown, unit)}</strong>
            </li>
          )
        })}
      </ul>
      <details>
        <summary>
          {`${title} as a table`}
          <span class="sr-only">{`: ${summaryText(props)}`}</span>
        </summary>
        <ValueTable {...props} />
      </details>
    </figure>
  )
}

function summaryText({ lines, unit }: ChartProps): string {
  return lines
    .map(({ label, values }) => {
      const [last, most] = [lastOf(values), highestOf(values)].map((one) => valueText(one, unit))
      return `${label} ${last} now, ${most} at most`
    })
    .join("; ")
}

function ValueTable({ title, times, lines, unit }: ChartProps) {
  const from = Math.max(0, times.length - tableRows)
  const rows = times.map((time, index) => ({ time, index })).slice(from)
  return (
    <section
      class="table-box chart-table"
      aria-label={`${title}, numbers`}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: whoever has no mouse scrolls it by keys
      tabIndex={0}
    >
      <table class="table">
        <thead>
          <tr>
            <th scope="col">Time</th>
            {lines.map(({ label }) => (
              <th scope="col" class="right" key={label}>
                {label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.toReversed().map(({ time, index }) => (
            <tr key={time}>
              <th scope="row">{timeText(time)}</th>
              {lines.map(({ label, values }) => (
                <td class="right" key={label}>
                  {valueText(values[index], unit)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}
