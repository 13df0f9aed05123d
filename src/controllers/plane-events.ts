// What becomes an event: drift that was corrected, acts that failed, plans held and decided,
// sources that went bad or good, stop and resume. A round over many objects is one event about
// its loop.

import type { ActReport } from "../actuator/actuator.ts"
import type { Json } from "../base/json.ts"
import type { Action, Verb } from "../contract/action.ts"
import { parseLoopId } from "../contract/loop.ts"
import { type StopScope, stopPlace } from "../contract/stop.ts"
import type { PlanDocument } from "../ledger/plan-ledger.ts"
import {
  apiVersionOf,
  parseKeyText,
  type ResourceRef,
  setpointGroup,
  setpointVersion,
} from "../object/object.ts"
import type { EventNote, EventSubject } from "./event-recorder.ts"
import { planSummary } from "./plan-object.ts"
import { issueText, type SourceState } from "./source-state.ts"

export interface PlaneEventsPorts {
  readonly recorder: { note(note: EventNote): void }
  /** The resource of a kind with a provider, by an object's key. */
  resourceOf(key: string): ResourceRef | undefined
  /** An object with a target, by its key. */
  kindOf?(key: string): { readonly name: string; readonly uid: string } | undefined
}

interface RoundActs {
  readonly done: Record<Verb, number>
  readonly drift: Action[]
  drifts: number
  readonly failures: ActReport[]
  failed: number
}

/** More than so many objects of one loop at once are told as one event about the loop. */
const toldOneByOne = 5

export class PlaneEvents {
  readonly #ports: PlaneEventsPorts
  readonly #acts = new Map<string, RoundActs>()
  readonly #sources = new Map<string, SourceState["kind"]>()

  constructor(ports: PlaneEventsPorts) {
    this.#ports = ports
  }

  /** `last`: nothing else of this loop is under way. */
  acted(report: ActReport, last: boolean): void {
    const { action, result } = report
    const acts = this.#acts.get(action.loop) ?? newActs()
    this.#acts.set(action.loop, acts)
    if (result === "failed" || result === "unknown") {
      acts.failed++
      if (acts.failures.length <= toldOneByOne) acts.failures.push(report)
    } else if (result === "done" && isDrift(action)) {
      acts.drifts++
      if (acts.drift.length <= toldOneByOne) acts.drift.push(action)
    } else if (result === "done") acts.done[action.verb]++
    if (!last) return
    this.#acts.delete(action.loop)
    this.#tell(action.loop, acts)
  }

  #tell(loop: string, { done, drift, drifts, failures, failed }: RoundActs): void {
    const counts = Object.entries(done).filter(([, count]) => count > 0)
    const about = loopSubject(loop)
    if (counts.length > 0) {
      const message = counts.map(([verb, count]) => `${count} ${pastOf[verb as Verb]}`).join(", ")
      this.#ports.recorder.note({ type: "Normal", reason: "Applied", message, about })
    }
    if (drifts > toldOneByOne) {
      const message = `corrected drift of ${drifts} objects: ${namesOf(drift)} and others`
      this.#ports.recorder.note({ type: "Normal", reason: "DriftCorrected", message, about })
    } else for (const action of drift) this.#tellDrift(action)
    if (failed > toldOneByOne) {
      const names = namesOf(failures.map(({ action }) => action))
      const message = `${failed} acts did not succeed: ${names} and others`
      this.#ports.recorder.note({ type: "Warning", reason: "ActFailed", message, about })
    } else for (const report of failures) this.#tellFailure(report)
  }

  #tellDrift(action: Action): void {
    const fields = action.changes.map((change) => change.path).join(", ")
    const what = action.verb === "create" ? "made again" : `corrected ${fields}`
    const message = `${what}: ${action.cause.text}`
    const [about, { loop }] = [this.#subject(action), action]
    this.#ports.recorder.note({ type: "Normal", reason: "DriftCorrected", message, about, loop })
  }

  #tellFailure({ action, fault, result }: ActReport): void {
    const message = `${action.verb} of ${action.target}: ${fault?.message ?? result}`
    const [about, { loop }] = [this.#subject(action), action]
    this.#ports.recorder.note({ type: "Warning", reason: "ActFailed", message, about, loop })
  }

  /** `before`: the phase that the plan's object showed until now. */
  plan(plan: PlanDocument, before: Json | undefined): void {
    const reason = planReasons[plan.phase]
    if (reason === undefined || plan.phase === before) return
    const type = plan.phase === "Pending" ? "Warning" : "Normal"
    const why = plan.phase === "Pending" ? plan.held[0]?.reasons[0]?.message : plan.note
    const message = `plan ${plan.name}: ${planSummary(plan.held)}${why ? `; ${why}` : ""}`
    this.#ports.recorder.note({ type, reason, message, about: loopSubject(plan.loop) })
  }

  /** Only a state that differs from the one before it is told; a first good one is no news. */
  source(loop: string, state: SourceState): void {
    const before = this.#sources.get(loop)
    this.#sources.set(loop, state.kind)
    if (state.kind === "reading") return
    const about = loopSubject(loop)
    if (state.kind === "good") {
      if (before !== "invalid" && before !== "unreadable") return
      const message = `the source is good again: ${state.objects} objects`
      this.#ports.recorder.note({ type: "Normal", reason: "SourceRecovered", message, about })
      return
    }
    const reason = state.kind === "invalid" ? "SourceInvalid" : "SourceUnreadable"
    const issue = state.issues[0] === undefined ? "" : `: ${issueText(state.issues[0])}`
    const message = `the source is ${state.kind}, the last good revision stays${issue}`
    this.#ports.recorder.note({ type: "Warning", reason, message, about })
  }

  backup(message: string, good: boolean): void {
    const [type, reason] = good
      ? (["Normal", "BackupRecovered"] as const)
      : (["Warning", "BackupFailed"] as const)
    this.#ports.recorder.note({ type, reason, message, about: planeSubject })
  }

  rollback(loop: string, message: string, ended: boolean): void {
    const reason = ended ? "RollbackEnded" : "RolledBack"
    const type = ended ? "Normal" : "Warning"
    this.#ports.recorder.note({ type, reason, message, about: loopSubject(loop) })
  }

  stopped(entry: StopScope & { reason?: string; until?: string }, by: string, resumed: boolean) {
    const what = entry.scope === "all" ? "all acting" : "deletes"
    const until = entry.until === undefined || resumed ? "" : ` until ${entry.until}`
    const why = entry.reason === undefined ? "" : `: ${entry.reason}`
    const done = resumed ? "resumed" : "stopped"
    const message = `${what} ${done} ${stopPlace(entry)} by ${by}${until}${why}`
    const type = resumed ? "Normal" : "Warning"
    const about = this.#stopSubject(entry)
    this.#ports.recorder.note({ type, reason: resumed ? "Resumed" : "Stopped", message, about })
  }

  breakGlass(loop: string, type: EventNote["type"], reason: string, message: string): void {
    this.#ports.recorder.note({ type, reason, message, about: loopSubject(loop) })
  }

  #stopSubject({ loop, object }: StopScope): EventSubject {
    const kind = object === undefined ? undefined : this.#ports.kindOf?.(object)
    if (object !== undefined && kind !== undefined) {
      return this.#subject({ object, kind: kind.name, uid: kind.uid })
    }
    return loop === "*" ? planeSubject : loopSubject(loop)
  }

  #subject({ object, kind, uid }: Pick<Action, "object" | "kind" | "uid">): EventSubject {
    const { namespace, name } = parseKeyText(object)
    const resource = this.#ports.resourceOf(object)
    const version = resource === undefined ? "" : apiVersionOf(resource.group, resource.version)
    return { apiVersion: version, kind, namespace, name, uid }
  }
}

const planReasons: Readonly<Record<string, string>> = {
  Pending: "PlanHeld",
  Approved: "PlanPartlyApproved",
  Executing: "PlanApproved",
  Done: "PlanDone",
  Rejected: "PlanRejected",
  Stale: "PlanStale",
  Expired: "PlanExpired",
}

const pastOf: Readonly<Record<Verb, string>> = {
  create: "created",
  update: "updated",
  replace: "replaced",
  delete: "deleted",
  adopt: "adopted",
  loosen: "loosened",
}

const isDrift = ({ cause }: Action): boolean => cause.kind === "drift" || cause.kind === "missing"

const newActs = (): RoundActs => ({
  done: { create: 0, update: 0, replace: 0, delete: 0, adopt: 0, loosen: 0 },
  drift: [],
  drifts: 0,
  failures: [],
  failed: 0,
})

function namesOf(actions: readonly Action[]): string {
  const names = actions
    .slice(0, 3)
    .map(({ kind, object }) => `${kind} ${parseKeyText(object).name}`)
  return names.join(", ")
}

const apiVersion = apiVersionOf(setpointGroup, setpointVersion)
const planeSubject: EventSubject = { apiVersion, kind: "Plane", namespace: "", name: "local" }

function loopSubject(id: string): EventSubject {
  return { apiVersion, kind: "Loop", ...parseLoopId(id) }
}
