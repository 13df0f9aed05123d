// The suite that every provider plays against its real system. A scenario that a medium can't have
// is skipped by name and with a reason, never silently.

import { isFault } from "../../base/faults.ts"
import { providerFault } from "../faults.ts"
import { type ScenarioName, scenarioNames } from "./driver.ts"
import type { Scenario } from "./scenario.ts"
import { adopt, create, drift, foreign, importing, remove } from "./scenarios-calm.ts"
import {
  credentials,
  observerLies,
  partialAnswer,
  serverStopped,
  sourceEmptied,
} from "./scenarios-doubt.ts"
import { manyTargets } from "./scenarios-many.ts"
import { planeKilled, stale } from "./scenarios-race.ts"
import { Stage, type StageParts } from "./stage.ts"

const byName: Readonly<Record<ScenarioName, Scenario>> = {
  create,
  drift,
  delete: remove,
  adopt,
  import: importing,
  foreign,
  stale,
  credentials,
  "server-stopped": serverStopped,
  "partial-answer": partialAnswer,
  "plane-killed": planeKilled,
  "source-emptied": sourceEmptied,
  "observer-lies": observerLies,
  "many-targets": manyTargets,
}

/** A fresh, empty directory and how to remove it. */
export type MakePlace = () => { readonly directory: string; remove(): void }

export interface PlayableScenario {
  readonly name: ScenarioName
  readonly promise: string
  readonly skipped?: string
  /** Throws SPT-PROV-020 where the promise is broken. */
  play(): Promise<void>
}

export function scenariosFor(parts: StageParts, place: MakePlace): readonly PlayableScenario[] {
  const { driver } = parts
  const unknown = Object.keys(driver.skip ?? {}).filter((name) => !Object.hasOwn(byName, name))
  if (unknown.length > 0) throw broken(driver.kind, unknown.join(", "), "there is no such scenario")
  return scenarioNames.map((name) => {
    const scenario = byName[name]
    const { promise } = scenario
    const skipped = driver.skip?.[name]
    const play = () => playOn(scenario, parts, place)
    return { name, promise, play, ...(skipped === undefined ? {} : { skipped }) }
  })
}

async function playOn(scenario: Scenario, parts: StageParts, place: MakePlace) {
  const { clock, random, driver } = parts
  const { directory, remove: clear } = place()
  try {
    const system = await driver.open({ directory, clock, random })
    const stage = new Stage(parts, system, scenario.hurry)
    try {
      await stage.open(scenario.loop)
      const nothing = await scenario.play(stage)
      if (nothing !== undefined) parts.print?.(`${driver.kind} ${scenario.name}: ${nothing}`)
    } finally {
      await stage.close()
      await system.close?.()
    }
  } catch (error) {
    if (isFault(error) && error.code === "SPT-PROV-020") throw error
    const cause = error instanceof Error ? error.message : String(error)
    throw broken(driver.kind, scenario.name, cause, error)
  } finally {
    clear()
  }
}

function broken(kind: string, scenario: string, cause: string, error?: unknown) {
  return providerFault("SPT-PROV-020", { kind, scenario, cause }, error)
}
