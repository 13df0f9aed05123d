// docs/reference/metrics.md, made from the table of all metrics.

import type { JourneyPart } from "../src/reconcile/journey-book.ts"
import { catalogParts } from "../src/telemetry/catalog.ts"
import { type CatalogEntry, defaultBuckets } from "../src/telemetry/metrics.ts"

export const metricsPath = "docs/reference/metrics.md"

const partTexts: Readonly<Record<JourneyPart, string>> = {
  queue: "for a worker",
  observe: "reading the target",
  round: "until it was judged and its turn came",
  hold: "for a person, a window, a wave",
  rate_limit: "for the limit of changes, or of its connection",
  provider: "acting",
  wait: "for a reference, a backoff, a stop",
}

const parts = Object.entries(partTexts).map(([part, text]) => `${part}: ${text}`)

const head = `# Metrics

Generated from the table in \`src/telemetry\` by \`npm run reference\`; do not edit.

\`GET /metrics\` gives them as Prometheus text. How to scrape, alert and chart them:
[monitoring](../guides/monitoring.md). Times are in seconds and sizes in bytes. A series of a loop
goes with its loop. Every label is bounded: what comes over the bound is counted together as
\`other\`.

| label | values |
| --- | --- |
| \`loop\` | NAMESPACE.NAME |
| \`verb\` | create, update, replace, delete, adopt, loosen |
| \`verdict\` | allow, wait, hold, deny |
| \`guard\` | as reasons of plans name them; none where all allowed |
| \`connection\` | PROVIDER\\|NAME, as in \`setpoint status\` |
| \`part\` | ${parts.join(" · ")} |
`

export async function metricsPage(): Promise<string> {
  const tables = Object.entries(catalogParts).flatMap(([title, metrics]) => [
    "",
    `## ${title}`,
    "",
    "| metric | type | labels | |",
    "| --- | --- | --- | --- |",
    ...Object.entries(metrics).map(([name, entry]) => row(name, entry)),
  ])
  return `${head}${tables.join("\n")}\n`
}

function row(name: string, { type, labels = [], help, buckets }: CatalogEntry): string {
  const shown = labels.map((label) => `\`${label}\``).join(", ")
  const bounds = type === "histogram" ? ` Buckets: ${(buckets ?? defaultBuckets).join(", ")}.` : ""
  return `| \`${name}\` | ${type} | ${shown} | ${help}${bounds} |`
}
