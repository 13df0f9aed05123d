// The gate of one act: what its handles ask before every changing call. It knows whose act it is
// from the beginning, so that nothing a provider does to the values it was given changes what is
// asked. A batch has one gate: its calls may begin only if each of its actions may.

import type { Fault } from "../base/faults.ts"
import { protects } from "../base/protections.ts"
import type { Action } from "../contract/action.ts"
import {
  resumeWords,
  type StopSubject,
  type StopSwitch,
  stoppedBy,
  stopSubject,
  stopText,
} from "../contract/stop.ts"
import { actuatorFault } from "./faults.ts"
import type { Gate } from "./guarded-world.ts"
import type { InFlight } from "./in-flight.ts"

export interface ActGatePorts {
  readonly stop: Pick<StopSwitch, "entries">
  readonly inFlight: InFlight
  closing(): boolean
  /** Wall clock. */
  now(): number
}

export class ActGate implements Gate {
  readonly #ports: ActGatePorts
  readonly #subjects: readonly (StopSubject & { readonly target: string })[]
  #revoked = false
  #begun = 0
  #refused = 0

  constructor(actions: readonly Action[], ports: ActGatePorts) {
    this.#ports = ports
    this.#subjects = actions.map((action) => ({ ...stopSubject(action), target: action.target }))
  }

  /** Without a refusal nobody knows: a provider may have other ways than these handles. */
  get untouched(): boolean {
    return this.#begun === 0 && this.#refused > 0
  }

  revoke(): void {
    this.#revoked = true
  }

  /** Why none of this may begin now. */
  stopped(): Fault | undefined {
    const entries = this.#ports.stop.entries()
    if (entries.length === 0) return undefined
    for (const subject of this.#subjects) {
      const entry = stoppedBy(entries, subject)
      if (entry === undefined) continue
      const told = { stop: stopText(entry), resume: resumeWords(entry) }
      return actuatorFault("SPT-ACT-001", { target: subject.target, ...told })
    }
    return undefined
  }

  enter(call: string): number {
    const sinceMs = this.#ports.now()
    const refusal = this.#refusal()
    if (refusal !== undefined) {
      this.#refused++
      throw refusal
    }
    this.#begun++
    const [first] = this.#subjects
    const more = this.#subjects.length > 1 ? ` and ${this.#subjects.length - 1} more` : ""
    const { loop = "", object = "", target = "" } = first ?? {}
    const listed = { loop, object: `${object}${more}`, target, call, sinceMs }
    return this.#ports.inFlight.begin(listed, this.#subjects)
  }

  leave(id: number, outcome: "done" | "failed"): void {
    // Anyone may have written the stop file meanwhile, without telling.
    if (this.stopped() !== undefined) this.#ports.inFlight.keep(id)
    this.#ports.inFlight.end(id, outcome)
  }

  #refusal(): Fault | undefined {
    if (this.#revoked && protects("handles-revoked")) {
      const target = this.#subjects[0]?.target ?? ""
      return actuatorFault(this.#ports.closing() ? "SPT-ACT-005" : "SPT-ACT-004", { target })
    }
    return protects("stop-checked-at-effect") ? this.stopped() : undefined
  }
}
