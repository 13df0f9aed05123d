// The suite that every provider runs: one list of rules, whatever the test framework. A rule that
// can't hold for a medium is skipped by name and with a reason, never silently.

import type { Clock } from "../../base/clock.ts"
import { isFault } from "../../base/faults.ts"
import { providerFault } from "../faults.ts"
import { Bench } from "./bench.ts"
import type { Examination, RuleDefinition } from "./rule.ts"
import {
  checkedAtEffect,
  crashAnywhere,
  lostReplyMakesNoSecond,
  resultsAreTrue,
  staleTokenRefused,
} from "./rules-acting.ts"
import {
  actsAreIdempotent,
  batchAnswersEach,
  createThenEqual,
  deleteThenAbsent,
  foreignUntouched,
  observeChangesNothing,
  updateConverges,
} from "./rules-calm.ts"
import { absentIsNotUnknown, partialIsNotComplete, readsEndOnAbort } from "./rules-doubt.ts"
import {
  definitionIsStructural,
  fingerprintsNotice,
  identityIsDerived,
  tokenTracksValue,
} from "./rules-shape.ts"
import { type ConformanceSubject, faultModes } from "./subject.ts"

export const conformanceRules: readonly RuleDefinition[] = [
  definitionIsStructural,
  identityIsDerived,
  observeChangesNothing,
  createThenEqual,
  updateConverges,
  deleteThenAbsent,
  actsAreIdempotent,
  foreignUntouched,
  tokenTracksValue,
  staleTokenRefused,
  checkedAtEffect,
  absentIsNotUnknown,
  partialIsNotComplete,
  readsEndOnAbort,
  resultsAreTrue,
  lostReplyMakesNoSecond,
  crashAnywhere,
  fingerprintsNotice,
  batchAnswersEach,
]

export interface ConformanceRule {
  readonly name: string
  readonly rule: string
  /** Why this rule is not examined for this subject. */
  readonly skipped?: string
  /** Ends normally when the provider obeys; throws SPT-PROV-010 otherwise. */
  run(): Promise<void>
}

export interface ConformanceResult {
  readonly rule: string
  readonly passed: boolean
  readonly skipped?: string
  readonly error?: Error
}

export function conformanceOf(
  subject: ConformanceSubject,
  clock: Clock,
): readonly ConformanceRule[] {
  const names = new Set(conformanceRules.map((rule) => rule.name))
  for (const name of Object.keys(subject.skip ?? {})) {
    if (names.has(name)) continue
    const details = { kind: subject.kind.kind, rule: name, cause: "there is no rule of that name" }
    throw providerFault("SPT-PROV-010", details)
  }
  const examination: Examination = {
    subject,
    has: (mode) => (subject.modes ?? faultModes).includes(mode),
    async open(task) {
      const setup = await subject.setup()
      try {
        return await task(new Bench(subject, setup, clock))
      } finally {
        await setup.close()
      }
    },
  }
  return conformanceRules.map((definition) => ruleFor(definition, examination))
}

function ruleFor(definition: RuleDefinition, examination: Examination): ConformanceRule {
  const { name, rule } = definition
  const { subject } = examination
  const skipped = subject.skip?.[name] ?? definition.notFor?.(subject)
  const run = async () => {
    if (skipped !== undefined) return
    try {
      await definition.examine(examination)
    } catch (error) {
      const cause = error instanceof Error ? error.message : String(error)
      throw providerFault("SPT-PROV-010", { kind: subject.kind.kind, rule: name, cause }, error)
    }
  }
  return skipped === undefined ? { name, rule, run } : { name, rule, run, skipped }
}

/** Examines every rule, one after the other, and says how each went. */
export async function examineAll(
  rules: readonly ConformanceRule[],
): Promise<readonly ConformanceResult[]> {
  const results: ConformanceResult[] = []
  for (const { name, run, skipped } of rules) {
    const base = skipped === undefined ? { rule: name } : { rule: name, skipped }
    try {
      await run()
      results.push({ ...base, passed: true })
    } catch (error) {
      results.push({
        ...base,
        passed: false,
        error: isFault(error) ? error : new Error(String(error)),
      })
    }
  }
  return results
}
