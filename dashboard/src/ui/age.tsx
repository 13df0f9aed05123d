// How long ago something was, growing by itself; the exact time as its title.

import { now } from "../live/clock.ts"

export function Age({ time }: { readonly time: string | number | undefined }) {
  const at = typeof time === "number" ? time : Date.parse(time ?? "")
  if (Number.isNaN(at)) return <span class="muted">unknown</span>
  const exact = new Date(at).toISOString()
  return (
    <time dateTime={exact} title={exact}>
      {ageText(now.value - at)}
    </time>
  )
}

/** "42s", "12m", "3h 10m", "5d". */
export function ageText(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000))
  if (seconds < 120) return `${seconds}s`
  const minutes = Math.floor(seconds / 60)
  if (minutes < 120) return `${minutes}m`
  const hours = Math.floor(minutes / 60)
  if (hours < 48) return hours < 10 ? `${hours}h ${minutes % 60}m` : `${hours}h`
  return `${Math.floor(hours / 24)}d`
}
