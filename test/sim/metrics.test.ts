// What a plane says of its work in numbers: before it acts, while it acts, and when a loop is gone.

import { describe, expect, it } from "vitest"
import type { Store } from "../../src/contract/store.ts"
import { ledgerKeys } from "../../src/ledger/keys.ts"
import { catalog } from "../../src/telemetry/catalog.ts"
import { ann, loops, names, Site, widget } from "./site.ts"

const loop = "default.site"

/** The value of one series; undefined when it is not exposed. */
function readSeries(text: string, series: string): number | undefined {
  const line = text.split("\n").find((one) => one.startsWith(`${series} `))
  return line === undefined ? undefined : Number(line.slice(series.length + 1))
}

const exposed = (site: Site) => site.sim.metrics.expose()
const seen = (site: Site, series: string) => readSeries(exposed(site), series)
const three = (color = "red") => names(3).map((name) => widget(name, { color }))

describe("metrics of a loop", () => {
  it("tell the difference and the verdicts before the first intent is written", async () => {
    const site = new Site()
    const told: (number | undefined)[][] = []
    site.sim.wrapStore = (store: Store): Store =>
      new Proxy(store, {
        get(target, name) {
          const member: unknown = Reflect.get(target, name, target)
          if (name !== "commit") return typeof member === "function" ? member.bind(target) : member
          return (...args: Parameters<Store["commit"]>) => {
            if (args[1].some(({ key }) => key.startsWith(ledgerKeys.intents))) {
              told.push([
                seen(site, `setpoint_round_actions{loop="${loop}",verb="create"}`),
                seen(site, `setpoint_round_verdicts{loop="${loop}",verdict="allow"}`),
                seen(site, `setpoint_actions_planned_total{loop="${loop}",verb="create"}`),
                seen(site, `setpoint_acts_total{loop="${loop}",verb="create",result="done"}`),
              ])
            }
            return target.commit(...args)
          }
        },
      })
    await site.sim.start()
    await site.makeLoop()
    await site.declare(three())
    expect(told[0]).toEqual([3, 3, 3, undefined])
    expect(seen(site, `setpoint_acts_total{loop="${loop}",verb="create",result="done"}`)).toBe(3)
  })

  it("count drift once, however long it is held", async () => {
    const site = await Site.open({ loop: { onDrift: "Hold" } })
    await site.declare(three())
    site.world.edit("w0", { color: "blue" })
    for (let look = 0; look < 4; look++) await site.look()
    expect(seen(site, `setpoint_drift_found_total{loop="${loop}"}`)).toBe(1)
    expect(seen(site, `setpoint_held_actions{loop="${loop}"}`)).toBe(1)
    expect(seen(site, `setpoint_plans_pending{loop="${loop}"}`)).toBe(1)
    expect(seen(site, `setpoint_objects_unconverged{loop="${loop}",state="held"}`)).toBe(1)
    expect(seen(site, `setpoint_objects_converged{loop="${loop}"}`)).toBe(2)
    expect(
      seen(site, `setpoint_verdicts_total{loop="${loop}",guard="drift",verdict="hold"}`),
    ).toBeGreaterThan(3)
    expect(seen(site, `setpoint_passes_total{loop="${loop}",result="converged"}`)).toBe(3)
    expect(seen(site, `setpoint_oldest_unconverged_age_seconds{loop="${loop}"}`)).toBeGreaterThan(5)
  })

  it("time convergence in parts that add up to the whole", async () => {
    const site = await Site.open()
    await site.declare(three())
    await site.declare(three("green"))
    const text = exposed(site)
    const count = readSeries(text, `setpoint_convergence_seconds_count{loop="${loop}"}`)
    const whole = readSeries(text, `setpoint_convergence_seconds_sum{loop="${loop}"}`)
    const parts = text.split("\n").flatMap((line) => {
      const found = /^setpoint_convergence_part_seconds_sum\{.*\} (.*)$/.exec(line)
      return found === null ? [] : [Number(found[1])]
    })
    expect(count).toBe(6)
    expect(whole).toBeGreaterThan(0)
    expect(parts.reduce((sum, part) => sum + part, 0)).toBeCloseTo(whole ?? 0, 6)
  })

  it("count held deletes as a difference of their own", async () => {
    const site = await Site.open()
    await site.declare(names(20).map((name) => widget(name)))
    await site.declare(names(5).map((name) => widget(name)))
    expect(seen(site, `setpoint_round_actions{loop="${loop}",verb="delete"}`)).toBe(15)
    expect(seen(site, `setpoint_round_verdicts{loop="${loop}",verdict="hold"}`)).toBe(15)
    expect(seen(site, `setpoint_deletes_remaining{loop="${loop}"}`)).toBe(2)
  })

  it("go with their loop", async () => {
    const site = await Site.open()
    await site.declare(three())
    await site.clock.advance(10_000)
    expect(exposed(site)).toContain(`loop="${loop}"`)
    expect(await site.run(site.as(ann).call("GET", "/setpoint/v1/series"))).toMatchObject({
      loops: expect.arrayContaining([expect.objectContaining({ loop })]),
    })
    await site.run(site.as(ann).delete({ ...loops, namespace: "default", name: "site" }))
    await site.clock.advance(20_000)
    expect(exposed(site)).not.toContain(`loop="${loop}"`)
    expect(await site.run(site.as(ann).call("GET", "/setpoint/v1/series"))).not.toMatchObject({
      loops: expect.arrayContaining([expect.objectContaining({ loop })]),
    })
  })

  it("are all in the catalogue", async () => {
    const site = await Site.open()
    const facts = site.sim.metrics.facts()
    expect(facts.filter(({ name }) => !Object.hasOwn(catalog, name))).toEqual([])
  })
})

describe("charts of a loop", () => {
  const series = async (site: Site, query = "") =>
    (await site.run(site.as(ann).call("GET", `/setpoint/v1/series${query}`))) as object as {
      stepSeconds: number
      plane: { times: number[]; columns: Record<string, (number | null)[]> }
      loops: { loop: string; times: number[]; columns: Record<string, (number | null)[]> }[]
    }

  it("say per step what happened, and how things stood at its end", async () => {
    const site = await Site.open()
    await site.declare(three(), 20_000)
    const [own] = (await series(site, `?loop=${loop}`)).loops
    const sum = (column: string) =>
      (own?.columns[column] ?? []).reduce<number>((all, value) => all + (value ?? 0), 0)
    expect([sum("creates"), sum("plannedCreates"), sum("allowed"), sum("journeys")]).toEqual([
      ...[3, 3, 3, 3],
    ])
    expect(own?.columns.converged?.at(-1)).toBe(3)
    expect(own?.columns.convergeSeconds?.at(-1)).toBeNull()
    expect(own?.columns.convergeSeconds?.some((value) => value !== null && value > 0)).toBe(true)
    for (const column of Object.values(own?.columns ?? {})) {
      expect(column).toHaveLength(own?.times.length ?? -1)
    }
  })

  it("keep fifteen minutes and no more, and give what came since", async () => {
    const site = await Site.open()
    await site.clock.advance(3_600_000)
    const all = await series(site)
    expect(all.plane.times).toHaveLength(180)
    const since = all.plane.times.at(-3) ?? 0
    const later = await series(site, `?since=${since}&columns=objects,queueDepth`)
    expect(later.plane.times).toHaveLength(2)
    expect(Object.keys(later.plane.columns)).toEqual(["queueDepth"])
    expect(Object.keys(later.loops[0]?.columns ?? {})).toEqual(["objects"])
  })

  it("refuse what they do not know", async () => {
    const site = await Site.open()
    const asked = (query: string) =>
      site.refused(site.as(ann).call("GET", `/setpoint/v1/series${query}`))
    expect(await asked("?loop=default.none")).toContain("there is no such loop")
    expect(await asked("?since=yesterday")).toContain("no number of seconds")
    expect(await asked("?columns=objects,__proto__")).toContain("no such column")
  })
})
