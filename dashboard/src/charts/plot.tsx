// The drawing of a chart: lines, a grid, ticks, and a mark where somebody points. The colours are
// those of the style sheet, so that it follows the theme by itself.

import { signal } from "@preact/signals"
import { useMemo } from "preact/hooks"
import type { ChartProps } from "./chart.tsx"
import {
  high,
  linePath,
  nearest,
  type Tick,
  timeRange,
  timeTicks,
  valueRange,
  valueTicks,
  wide,
} from "./plot-scale.ts"
import { valueText } from "./series.ts"

export const dashes: readonly (readonly number[])[] = [
  ...[[], [6, 4], [2, 3], [9, 3, 2, 3], [4, 2], [1, 4]],
]

/** Seconds since 1970 at which somebody points, in all charts at once. */
const pointed = signal<number | undefined>(undefined)

/** Which of these samples is pointed at. */
export function pointedAt(times: readonly number[]): number | undefined {
  return pointed.value === undefined ? undefined : nearest(times, pointed.value)
}

export function Plot({ times, lines, steps }: ChartProps) {
  const drawn = useMemo(() => {
    const x = timeRange(times)
    const y = valueRange(lines.map(({ values }) => values))
    const paths = lines.map(({ values }) => linePath(times, values, { x, y }, steps))
    return { x, paths, across: timeTicks(x), up: valueTicks(y) }
  }, [times, lines, steps])
  const { x, paths, across, up } = drawn
  const point = (event: PointerEvent) => {
    const box = (event.currentTarget as Element).getBoundingClientRect()
    pointed.value = x.low + ((event.clientX - box.left) / box.width) * (x.high - x.low)
  }
  const leave = () => {
    pointed.value = undefined
  }
  const at = pointedAt(times)
  const marked = at === undefined ? undefined : (times[at] ?? x.low)
  return (
    <div class="plot" aria-hidden="true">
      <div class="plot-area" onPointerMove={point} onPointerLeave={leave}>
        <svg viewBox={`0 0 ${wide} ${high}`} preserveAspectRatio="none" aria-hidden="true">
          <path class="plot-grid" d={gridPath(across, up)} />
          {marked === undefined ? null : (
            <path
              class="plot-cursor"
              d={`M${((marked - x.low) / (x.high - x.low)) * wide} 0V${high}`}
            />
          )}
          {paths.map((path, index) => (
            <path
              key={lines[index]?.label}
              class={`plot-line chart-${index + 1}${times.length === 1 ? " plot-dot" : ""}`}
              d={path}
              stroke-dasharray={dashes[index]?.join(" ")}
            />
          ))}
        </svg>
        {up.map(({ value, at: part }) => (
          <span class="plot-value" key={value} style={{ bottom: `${part * 100}%` }}>
            {valueText(value)}
          </span>
        ))}
        {across.map(({ value, at: part }) => (
          <span class="plot-time" key={value} style={{ left: `${part * 100}%` }}>
            {clockText(value)}
          </span>
        ))}
      </div>
    </div>
  )
}

function gridPath(across: readonly Tick[], up: readonly Tick[]): string {
  const lines = up.map(({ at }) => `M0 ${high - at * high}H${wide}`)
  return [...lines, ...across.map(({ at }) => `M${at * wide} 0V${high}`)].join("")
}

/** "14:05", and seconds where ticks are closer than minutes. */
function clockText(seconds: number): string {
  const time = new Date(seconds * 1000)
  const [hours, minutes, rest] = [time.getHours(), time.getMinutes(), time.getSeconds()].map(
    (one) => String(one).padStart(2, "0"),
  )
  return rest === "00" ? `${hours}:${minutes}` : `:${rest}`
}
