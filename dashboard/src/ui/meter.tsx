// How much of something is used, as a bar and in numbers.

import type { Tone } from "./badge.tsx"

export interface MeterProps {
  readonly value: number
  readonly of: number
  readonly label: string
  readonly tone?: Tone
}

export function Meter({ value, of, label, tone = "busy" }: MeterProps) {
  const share = of <= 0 ? (value > 0 ? 1 : 0) : Math.min(1, value / of)
  return (
    <span class="meter">
      <span class="meter-track" aria-hidden="true">
        <span class={`meter-fill meter-${tone}`} style={{ width: `${share * 100}%` }} />
      </span>
      <span>{label}</span>
    </span>
  )
}
