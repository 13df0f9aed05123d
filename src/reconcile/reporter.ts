// Writes what a pass found into the object's status, when that changed anything, with the diagnosis
// of what does not converge; keeps count of what is not converged, why, since when and how often it
// was tried. Counts and times stay in memory: a status that changed with every attempt would never
// rest.

import { type Clock, toTimestamp } from "../base/clock.ts"
import { isArray, isObject, type Json } from "../base/json.ts"
import type { Action } from "../contract/action.ts"
import type { Diagnosis, DiagnosisClass } from "../contract/diagnosis.ts"
import type { ApiObject } from "../object/object.ts"
import { isOverdue, overdueReport } from "./deletion-deadline.ts"
import { diagnose, lastingAttempts, lastingMs, saysLasting } from "./diagnose.ts"
import type { StateLog } from "./state-log.ts"
import { type Report, type ReportState, sameStatus, statusOf } from "./status.ts"
import { UnconvergedBook } from "./unconverged-book.ts"

export interface Unconverged {
  readonly key: string
  readonly loop: string
  readonly state: ReportState
  readonly reason: string
  readonly message: string
  /** Wall time at which it stopped being converged. */
  readonly since: number
  readonly diagnosis?: Diagnosis
  /** Wall time since which the class is this one. */
  readonly classSince: number
  /** How often it was reported with this class. */
  readonly attempts: number
}

export interface Diagnosed {
  readonly key: string
  readonly loop: string
  readonly object: ApiObject
  readonly diagnosis: Diagnosis
  /** It has not passed by itself for long, or needs someone since its deadline is over. */
  readonly lasting: boolean
}

export type StatusWriter = (object: ApiObject, status: ApiObject["status"]) => Promise<void>

export interface ReporterOptions {
  /** How long a marked object of this loop may take. */
  deadlineMs?(loop: string): number
  /** The class of an object changed, or lasts for long now. */
  diagnosed?(told: Diagnosed): void
  /** Journals who leaves the declared state and comes back. */
  readonly states?: StateLog
}

interface Stored {
  readonly class: Json | undefined
  readonly lasting: boolean
  /** Wall time of the Ready condition. */
  readonly since: number
}

export class Reporter {
  readonly #clock: Clock
  readonly #write: StatusWriter
  readonly #options: ReporterOptions
  readonly book = new UnconvergedBook()
  /** What was told of each object, so that it is told once. */
  readonly #told = new Map<string, string>()

  constructor(clock: Clock, write: StatusWriter, options: ReporterOptions = {}) {
    this.#clock = clock
    this.#write = write
    this.#options = options
  }

  async report(key: string, loop: string, object: ApiObject, found: Report): Promise<void> {
    const now = this.#clock.now()
    const deadlineMs = this.#options.deadlineMs?.(loop) ?? Number.POSITIVE_INFINITY
    const overdue = found.state !== "ready" && isOverdue(object, deadlineMs, now)
    const report = overdue ? overdueReport(found) : found
    this.#options.states?.note(key, loop, object, report)
    const diagnosis = this.#diagnose(key, loop, object, { found, report, overdue })
    const status = statusOf(object, report, toTimestamp(now), diagnosis)
    if (!sameStatus(object.status, status)) await this.#write(object, status)
  }

  /** It is about to be brought back; what it was until then is not the declared state. */
  acting(key: string, loop: string, object: ApiObject, { cause }: Action): void {
    const reason = `${cause.kind.charAt(0).toUpperCase()}${cause.kind.slice(1)}`
    const report: Report = { state: "working", reason, message: cause.text }
    this.#options.states?.note(key, loop, object, report)
  }

  forget(key: string): void {
    this.#clear(key)
    this.#options.states?.gone(key)
  }

  #clear(key: string): void {
    this.book.delete(key)
    this.#told.delete(key)
  }

  /** Oldest first. */
  unconverged(loop?: string): Unconverged[] {
    const all = this.book.all()
    const chosen = loop === undefined ? all : all.filter((one) => one.loop === loop)
    return chosen.sort((left, right) => left.since - right.since)
  }

  stateOf(key: string): Unconverged | undefined {
    return this.book.get(key)
  }

  #diagnose(
    key: string,
    loop: string,
    object: ApiObject,
    { found, report, overdue }: { found: Report; report: Report; overdue: boolean },
  ): Diagnosis | undefined {
    if (report.state === "ready") {
      this.#clear(key)
      return undefined
    }
    const now = this.#clock.now()
    const known = this.book.get(key)
    const name = nameOf(object)
    const stored = storedDiagnosis(object)
    const first = diagnose(found, { name, overdue, lasting: false })
    const same = known !== undefined && known.diagnosis?.class === first?.class
    const before = known === undefined && stored.class === first?.class ? stored : undefined
    const classSince = same ? known.classSince : Math.min(now, before?.since ?? now)
    const attempts = (same ? known.attempts : 0) + 1
    const lasting =
      before?.lasting === true || now - classSince >= lastingMs || attempts > lastingAttempts
    const diagnosis = lasting ? diagnose(found, { name, overdue, lasting }) : first
    const { state, reason, message } = report
    const since = known?.since ?? Math.min(now, before?.since ?? now)
    const times = { since, classSince, attempts }
    const why = diagnosis === undefined ? {} : { diagnosis }
    this.book.set({ key, loop, state, reason, message, ...times, ...why })
    if (diagnosis !== undefined) this.#tell({ key, loop, object, diagnosis, lasting }, overdue)
    return diagnosis
  }

  #tell(told: Diagnosed, overdue: boolean): void {
    const { key, object, diagnosis } = told
    const lasting = saysLasting(diagnosis.evidence)
    const now = `${diagnosis.class} ${lasting} ${overdue}`
    const before = this.#told.get(key)
    if (before === now) return
    this.#told.set(key, now)
    const stored = storedDiagnosis(object)
    // An earlier run of this plane has told it.
    const sameAsStored = stored.class === diagnosis.class && stored.lasting === lasting
    if (before === undefined && sameAsStored && !overdue) return
    this.#options.diagnosed?.({ ...told, lasting: lasting || overdue })
  }
}

/** As a person types it. */
function nameOf({ kind, metadata }: ApiObject): string {
  const { namespace = "default", name } = metadata
  const where = namespace === "default" ? "" : ` -n ${namespace}`
  return `${kind.toLowerCase()} ${name}${where}`
}

function storedDiagnosis({ status }: ApiObject): Stored {
  const diagnosis = isObject(status?.diagnosis) ? status.diagnosis : {}
  const conditions = isArray(status?.conditions) ? status.conditions.filter(isObject) : []
  const ready = conditions.find((one) => one.type === "Ready")
  const since = Date.parse(String(ready?.lastTransitionTime ?? ""))
  return {
    class: diagnosis.class as DiagnosisClass | undefined,
    lasting: isArray(diagnosis.evidence) && saysLasting(diagnosis.evidence),
    since: Number.isNaN(since) ? Number.POSITIVE_INFINITY : since,
  }
}
