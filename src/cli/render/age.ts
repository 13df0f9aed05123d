// How long ago, in one or two units, as kubectl says it: 45s, 3m20s, 5h, 12d.

export function ageText(timestamp: string | undefined, nowMs: number): string {
  const then = timestamp === undefined ? Number.NaN : Date.parse(timestamp)
  if (Number.isNaN(then)) return "<unknown>"
  const seconds = Math.max(0, Math.floor((nowMs - then) / 1000))
  if (seconds < 120) return `${seconds}s`
  const minutes = Math.floor(seconds / 60)
  if (minutes < 10) return `${minutes}m${seconds % 60 === 0 ? "" : `${seconds % 60}s`}`
  if (minutes < 180) return `${minutes}m`
  const hours = Math.floor(minutes / 60)
  if (hours < 8) return `${hours}h${minutes % 60 === 0 ? "" : `${minutes % 60}m`}`
  return hours < 48 ? `${hours}h` : `${Math.floor(hours / 24)}d`
}
