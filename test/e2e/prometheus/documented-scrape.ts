// The scrape config of the guide with a plane's own address, token and authority in it, one for
// each plane, and with intervals for a test.

import { readFileSync } from "node:fs"
import { join } from "node:path"
import { parse, stringify } from "yaml"
import { blocksOf, page } from "../../docs/pages.ts"

export interface ScrapedPlane {
  /** "127.0.0.1:7443" */
  readonly target: string
  readonly tokenFile: string
  readonly authorityFile: string
}

const interval = "300ms"

export function documentedScrape(planes: readonly ScrapedPlane[], rulesFile: string): string {
  const block = blocksOf(page("docs/guides/monitoring.md")).find(
    ({ marker }) => marker === "prometheus.yml",
  )
  if (block === undefined) throw new Error("the guide shows no prometheus.yml")
  const config = parse(block.text)
  const [scrape] = config.scrape_configs
  return stringify({
    global: { ...config.global, scrape_interval: interval, evaluation_interval: interval },
    rule_files: [rulesFile],
    // One for each, as the guide says: every plane has an authority and tokens of its own.
    scrape_configs: planes.map(({ target, tokenFile, authorityFile }, index) => ({
      ...scrape,
      job_name: `${scrape.job_name}-${index}`,
      scrape_timeout: interval,
      authorization: { ...scrape.authorization, credentials_file: tokenFile },
      tls_config: { ...scrape.tls_config, ca_file: authorityFile },
      static_configs: [{ targets: [target], labels: { job: scrape.job_name } }],
    })),
  })
}

/** Where a plane's kubeconfig says that its API is. */
export function addressOf(dataDirectory: string): string {
  const config = parse(readFileSync(join(dataDirectory, "kubeconfig"), "utf8"))
  return new URL(config.clusters[0].cluster.server).host
}
