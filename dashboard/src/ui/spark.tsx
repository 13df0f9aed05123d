// A line of small bars: when something happened, at a glance. What it says in words stands beside
// it; screen readers read that.

export interface SparkProps {
  readonly values: readonly number[]
  readonly bars?: number
}

const tall = 16

export function Spark({ values, bars = 30 }: SparkProps) {
  const per = Math.max(1, Math.ceil(values.length / bars))
  const sums = Array.from({ length: Math.ceil(values.length / per) }, (_, at) =>
    values.slice(at * per, (at + 1) * per).reduce((sum, one) => sum + one, 0),
  )
  const most = Math.max(1, ...sums)
  const path = sums
    .map((sum, at) => {
      const height = sum === 0 ? 0 : Math.max(2, (sum / most) * tall)
      return sum === 0 ? "" : `M${(bars - sums.length + at) * 2},${tall}v-${height.toFixed(1)}`
    })
    .join("")
  return (
    <svg
      class="spark"
      viewBox={`-1 0 ${bars * 2} ${tall}`}
      preserveAspectRatio="none"
      aria-hidden="true"
      focusable="false"
    >
      <path d={path} />
    </svg>
  )
}
