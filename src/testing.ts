// What authors import as "setpoint/testing": the conformance suite and the scenario suite for
// providers, independent of any test framework, and a real HTTP server with faults to try against.

import type { Clock } from "./base/clock.ts"
import { systemClock, systemRandom } from "./base/system.ts"
import { openScenarioPlane } from "./plane/testing/scenario-plane.ts"
import { makeTemporaryPlace } from "./provider/adapter/temporary-place.ts"
import {
  type ConformanceResult,
  type ConformanceRule,
  conformanceOf,
  examineAll,
} from "./provider/conformance/conformance.ts"
import type { ConformanceSubject } from "./provider/conformance/subject.ts"
import type { ScenarioDriver } from "./provider/scenarios/driver.ts"
import { type PlayableScenario, scenariosFor } from "./provider/scenarios/scenarios.ts"
import type { StageParts } from "./provider/scenarios/stage.ts"

export { createHttp, type HttpOptions } from "./provider/adapter/http.ts"
export { type RestServer, startRestServer } from "./provider/adapter/rest-server.ts"
export { type RestSubjectInput, restSubject } from "./provider/adapter/rest-subject.ts"
export type { ConformanceResult, ConformanceRule } from "./provider/conformance/conformance.ts"
export {
  type ConformanceSetup,
  type ConformanceSubject,
  type FaultMode,
  faultModes,
  type Outside,
  type Samples,
} from "./provider/conformance/subject.ts"
export { worldWith } from "./provider/missing-handles.ts"
export type {
  ByHand,
  ScenarioDriver,
  ScenarioName,
  ScenarioPlace,
  ScenarioSystem,
  Trouble,
} from "./provider/scenarios/driver.ts"
export type { PlayableScenario } from "./provider/scenarios/scenarios.ts"
export {
  forgetful,
  type WrongProvider,
  wrongProviders,
} from "./provider/scenarios/wrong-providers.ts"

/** The rules for this provider; each `run` throws where the provider breaks it. */
export function providerConformance(
  subject: ConformanceSubject,
  clock: Clock = systemClock,
): readonly ConformanceRule[] {
  return conformanceOf(subject, clock)
}

export function runConformance(
  subject: ConformanceSubject,
  clock: Clock = systemClock,
): Promise<readonly ConformanceResult[]> {
  return examineAll(conformanceOf(subject, clock))
}

type Declare = (name: string, body: () => Promise<void>) => unknown

/** The functions that vitest, jest and node:test have in common. */
export interface TestFramework {
  describe(name: string, body: () => void): unknown
  readonly it: Declare & { readonly skip: Declare }
}

/** One test per rule, in the framework whose functions are given. */
export function describeConformance(
  subject: ConformanceSubject,
  { describe, it }: TestFramework,
): void {
  describe(`${subject.kind.kind} obeys the provider contract`, () => {
    for (const { name, rule, skipped, run } of providerConformance(subject)) {
      if (skipped === undefined) it(`${name}: ${rule}`, run)
      else it.skip(`${name}: ${skipped}`, run)
    }
  })
}

export type ScenarioOptions = Partial<
  Pick<StageParts, "targets" | "crashes" | "print" | "spoil" | "hurry">
>

/** The scenarios for this provider, each with a plane of its own over the driver's real system. */
export function providerScenarios(
  driver: ScenarioDriver,
  options: ScenarioOptions = {},
): readonly PlayableScenario[] {
  const extent = { targets: 1000, crashes: 20, hurry: 5 }
  const parts = { clock: systemClock, random: systemRandom, ...extent }
  return scenariosFor(
    { driver, openPlane: openScenarioPlane, ...parts, ...options },
    makeTemporaryPlace,
  )
}

/** One test per scenario, in the framework whose functions are given. */
export function describeScenarios(
  driver: ScenarioDriver,
  { describe, it }: TestFramework,
  options: ScenarioOptions = {},
): void {
  describe(`${driver.kind} against the real system`, () => {
    for (const { name, promise, skipped, play } of providerScenarios(driver, options)) {
      if (skipped === undefined) it(`${name}: ${promise}`, () => play())
      else it.skip(`${name}: ${skipped}`, async () => {})
    }
  })
}
