// "90s", "5m30s", "3h", "12d", "2y15d": ages as Kubernetes prints them, precise where it matters.

const minute = 60
const hour = 60 * minute
const day = 24 * hour
const year = 365 * day

export function humanDuration(milliseconds: number): string {
  const seconds = Math.floor(milliseconds / 1000)
  if (seconds < -1) return "<invalid>"
  if (seconds < 0) return "0s"
  if (seconds < 2 * minute) return `${seconds}s`
  if (seconds < 10 * minute) return both(seconds, minute, "m", 1, "s")
  if (seconds < 3 * hour) return `${Math.floor(seconds / minute)}m`
  if (seconds < 8 * hour) return both(seconds, hour, "h", minute, "m")
  if (seconds < 2 * day) return `${Math.floor(seconds / hour)}h`
  if (seconds < 8 * day) return both(seconds, day, "d", hour, "h")
  if (seconds < 2 * year) return `${Math.floor(seconds / day)}d`
  if (seconds < 8 * year) return both(seconds, year, "y", day, "d")
  return `${Math.floor(seconds / year)}y`
}

function both(seconds: number, large: number, mark: string, small: number, rest: string): string {
  const left = Math.floor((seconds % large) / small)
  const whole = `${Math.floor(seconds / large)}${mark}`
  return left === 0 ? whole : `${whole}${left}${rest}`
}
