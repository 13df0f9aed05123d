// A copy of alert rules for a test that can't wait for hours: every time in them divided by one
// factor, by the mechanical steps below, and nothing else changed. How long rules wait as they are
// is tested by promtool (deploy/prometheus/setpoint-rules.test.yaml).

export const factor = 300

const unitMs: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000 }

const shortened = (count: string, unit: string): string =>
  `${Math.round((Number(count) * (unitMs[unit] ?? 0)) / factor)}ms`

/** Steps: `for: 5m`; ranges as `[10m]`; times in expressions as `30 * 60`. Days stay days. */
export function shortenRules(text: string): string {
  return text
    .replaceAll(/^( +for: )(\d+)([smh])$/gm, (_, head, count, unit) => {
      return `${head}${shortened(count, unit)}`
    })
    .replaceAll(/\[(\d+)([smh])\]/g, (_, count, unit) => `[${shortened(count, unit)}]`)
    .replaceAll(/(?<= \d+ \* )60\b/g, (seconds) => String(Number(seconds) / factor))
}
