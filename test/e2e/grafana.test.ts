// The Grafana dashboard is one that Grafana can import: whole, without overlaps, and asking only
// for metrics that a plane has.

import { readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { catalog } from "../../src/telemetry/catalog.ts"
import { root } from "../docs/pages.ts"
import { namesIn } from "./prometheus/rule-file.ts"

interface Panel {
  readonly id: number
  readonly type: string
  readonly title: string
  readonly gridPos: {
    readonly x: number
    readonly y: number
    readonly w: number
    readonly h: number
  }
  readonly targets?: readonly { readonly expr: string; readonly datasource: { uid: string } }[]
}

interface Dashboard {
  readonly title: string
  readonly panels: readonly Panel[]
  readonly annotations: { readonly list: readonly { readonly expr: string }[] }
  readonly templating: {
    readonly list: readonly { readonly name: string; readonly query: unknown }[]
  }
}

const file = join(root, "deploy/grafana/setpoint.json")
const dashboard = JSON.parse(readFileSync(file, "utf8")) as Dashboard
const targets = dashboard.panels.flatMap(({ targets = [] }) => targets)

/** Names of labels and of Grafana's own variables are no metrics. */
const asked = (expression: string) =>
  namesIn(expression.replaceAll(/\$\w+/g, "x")).map((name) =>
    name.replace(/_(bucket|sum|count)$/, ""),
  )

describe("the Grafana dashboard", () => {
  it("asks only for metrics that a plane has", () => {
    const variables = dashboard.templating.list.map(({ query }) => JSON.stringify(query))
    const inVariables = variables.flatMap((text) => text.match(/(?<=label_values\()\w+/g) ?? [])
    const all = [
      ...targets.flatMap(({ expr }) => asked(expr)),
      ...dashboard.annotations.list.flatMap(({ expr }) => asked(expr)),
      ...inVariables,
    ]
    expect(all.length).toBeGreaterThan(40)
    expect(all.filter((name) => !Object.hasOwn(catalog, name))).toEqual([])
  })

  it("shows every metric of loops, or what it adds up to", () => {
    const shown = new Set(targets.flatMap(({ expr }) => asked(expr)))
    const hidden = Object.keys(catalog).filter((name) => !shown.has(name))
    // Said by others: totals, sizes that a remainder is of, and what is asked for on the spot.
    expect(hidden.sort()).toEqual([
      ...["nodejs_eventloop_lag_max_seconds", "process_start_time_seconds"],
      ...["setpoint_actions_planned_total", "setpoint_api_requests_in_flight"],
      ...["setpoint_backup_failing", "setpoint_backup_interval_seconds"],
      ...["setpoint_backup_size_bytes", "setpoint_build_info"],
      ...["setpoint_certificate_expiry_timestamp_seconds", "setpoint_changes_allowed"],
      ...["setpoint_deletes_allowed", "setpoint_disk_size_bytes", "setpoint_inventory_targets"],
      ...["setpoint_loop_interval_seconds", "setpoint_loop_stopped", "setpoint_loops"],
      ...["setpoint_plans_pending", "setpoint_round_verdicts", "setpoint_rounds_total"],
      ...["setpoint_secrets_unreadable", "setpoint_source_issues", "setpoint_source_objects"],
      ...["setpoint_stop_age_seconds", "setpoint_store_revision"],
    ])
  })

  it("lets people choose the data source, and has panels that do not overlap", () => {
    expect(dashboard.templating.list.map(({ name }) => name)).toEqual([
      ...["datasource", "instance", "loop"],
    ])
    for (const { datasource } of targets) expect(datasource.uid).toBe("$" + "{datasource}")
    expect(new Set(dashboard.panels.map(({ id }) => id)).size).toBe(dashboard.panels.length)
    const cells = dashboard.panels.flatMap(({ gridPos: { x, y, w, h } }) =>
      Array.from({ length: w * h }, (_, at) => `${x + (at % w)} ${y + Math.floor(at / w)}`),
    )
    expect(new Set(cells).size).toBe(cells.length)
    for (const { gridPos } of dashboard.panels)
      expect(gridPos.x + gridPos.w).toBeLessThanOrEqual(24)
  })
})
