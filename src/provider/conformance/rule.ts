// A rule of the suite: a name, the sentence a provider is held to, and the examination itself.
// Every examination opens fresh systems, so that rules can't disturb each other.

import type { Bench } from "./bench.ts"
import { Violation } from "./bench.ts"
import type { ConformanceSubject, FaultMode } from "./subject.ts"
import type { PortCall } from "./world-tap.ts"

export interface Examination {
  readonly subject: ConformanceSubject
  /** Runs the task on a fresh system and closes it afterwards. */
  open<T>(task: (bench: Bench) => Promise<T>): Promise<T>
  has(mode: FaultMode): boolean
}

export interface RuleDefinition {
  readonly name: string
  /** What a provider must do, in one sentence. */
  readonly rule: string
  /** Why the rule has nothing to say about this subject. */
  notFor?(subject: ConformanceSubject): string | undefined
  examine(examination: Examination): Promise<void>
}

const pointsMax = 300

/** Runs a scenario for the first, second, ... port call until one is not reached any more. */
export async function atEveryCall(
  examination: Examination,
  scenario: (bench: Bench, point: number) => Promise<boolean>,
): Promise<void> {
  for (let point = 1; point <= pointsMax; point++) {
    if (!(await examination.open((bench) => scenario(bench, point)))) return
  }
  throw new Violation(`one call of the provider makes more than ${pointsMax} port calls`)
}

export const nameOf = (call: PortCall): string => `port call ${call.number} (${call.name})`
