// The alert rules as they are: they name what exists, link to what to do, and wait as long as they
// say (promtool). That they fire on real planes is shown by prometheus.test.ts.

import { spawnSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { parse } from "yaml"
import type { JsonObject } from "../../src/base/json.ts"
import { catalog } from "../../src/telemetry/catalog.ts"
import { anchorsOf, page, root } from "../docs/pages.ts"
import { requireTool } from "../tools.ts"
import { alertNames, namesIn, rules, rulesText } from "./prometheus/rule-file.ts"
import { factor, shortenRules } from "./prometheus/shortened-rules.ts"

describe("alert rules", () => {
  it("name only metrics that a plane has, or that other rules record", () => {
    const recorded = rules.flatMap(({ record }) => record ?? [])
    const unknown = rules
      .flatMap(({ expr }) => namesIn(expr))
      .filter((name) => {
        const base = name.replace(/_(bucket|sum|count)$/, "")
        return !(Object.hasOwn(catalog, name) || Object.hasOwn(catalog, base)) && name !== "up"
      })
    expect(unknown.filter((name) => !recorded.some((one) => one.includes(name)))).toEqual([])
  })

  it("link each to a section that says what to do", () => {
    const anchors = anchorsOf(page("docs/guides/monitoring.md"))
    const links = rules.flatMap(({ annotations }) => annotations?.runbook_url ?? [])
    expect(links).toEqual(
      alertNames.map((name) => `docs/guides/monitoring.md#${name.toLowerCase()}`),
    )
    for (const name of alertNames) expect(anchors).toContain(name.toLowerCase())
  })

  it("are shortened for the live test in their times and in nothing else", () => {
    const numbers = (text: string) => text.replaceAll(/\d+(\.\d+)?(ms|[smh])?/g, "N")
    expect(numbers(shortenRules(rulesText))).toBe(numbers(rulesText))
    const before = "        for: 5m\n  x[10m] > 30 * 60 and y < 14 * 86400\n"
    const [wait, range] = [`for: ${300_000 / factor}ms`, `x[${600_000 / factor}ms]`]
    const after = `        ${wait}\n  ${range} > 30 * ${60 / factor} and y < 14 * 86400\n`
    expect(shortenRules(before)).toBe(after)
  })
})

const promtool = requireTool("promtool")

describe.skipIf(promtool.missing)("alert rules (promtool)", () => {
  const check = (...args: string[]) => {
    const options = { cwd: join(root, "deploy/prometheus"), encoding: "utf8", timeout: 60_000 }
    return spawnSync("promtool", args, options as { encoding: "utf8" })
  }

  it("are valid, and wait as long as they say", () => {
    expect(check("check", "rules", "setpoint-rules.yaml").stdout).toContain("SUCCESS")
    const tested = check("test", "rules", "setpoint-rules.test.yaml")
    expect(tested.stderr + tested.stdout).toContain("SUCCESS")
    expect(tested.status).toBe(0)
  })

  it("have a test of their own each", () => {
    const text = readFileSync(join(root, "deploy/prometheus/setpoint-rules.test.yaml"), "utf8")
    const fires = (parse(text) as { tests: { alert_rule_test: JsonObject[] }[] }).tests
      .flatMap((one) => one.alert_rule_test)
      .filter((one) => Array.isArray(one.exp_alerts) && one.exp_alerts.length > 0)
    expect(new Set(fires.map((one) => one.alertname))).toEqual(new Set(alertNames))
  })
})
