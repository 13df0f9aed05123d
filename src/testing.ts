// What authors import as "setpoint/testing": the conformance suite for providers, independent of
// any test framework, and a real HTTP server with faults to try providers against.

import type { Clock } from "./base/clock.ts"
import { systemClock } from "./base/system.ts"
import {
  type ConformanceResult,
  type ConformanceRule,
  conformanceOf,
  examineAll,
} from "./provider/conformance/conformance.ts"
import type { ConformanceSubject } from "./provider/conformance/subject.ts"

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
export { worldWith } from "./provider/conformance/world-tap.ts"

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
