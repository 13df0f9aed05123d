// One outage replayed: the same scenario twice in the real code. Armed it must be stopped; with the
// protections that stop it switched off together it must happen, or it would not be a replay.

import { expect, it } from "vitest"
import { disarm, type Protection } from "../../src/base/protections.ts"
import { names, Site, type SiteOptions, widget } from "../sim/site.ts"

/** True when the outage was stopped. */
export type Scenario = () => Promise<boolean>

export function replay(outage: string, stoppedBy: readonly Protection[], scenario: Scenario): void {
  it(`${outage}: stopped`, async () => {
    expect(await scenario()).toBe(true)
  })
  // Some are stopped by what is not there: no code takes away what it does not own.
  if (stoppedBy.length === 0) return
  it(`${outage}: happens without ${stoppedBy.join(", ")}`, async () => {
    const arms = stoppedBy.map((name) => disarm(name))
    try {
      expect(await scenario()).toBe(false)
    } finally {
      for (const arm of arms) arm()
    }
  })
}

export const many = (count: number, prefix = "w") =>
  names(count, prefix).map((name) => widget(name))

/** A plane that runs well. */
export async function running(count: number, options: SiteOptions = {}): Promise<Site> {
  const site = await Site.open(options)
  await site.declare(many(count), 8000)
  expect(site.there().length).toBe(count)
  return site
}

/** Limits as a careless person sets them: what is left must come from elsewhere. */
export const careless = {
  limits: { deletes: 1000, deletesPercent: 100, changes: 1000, shrinkPercent: 0 },
}
