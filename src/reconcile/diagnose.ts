// The diagnosis of an object that does not converge: class, evidence, next step. Pure. Nothing in
// it changes from one attempt to the next, so that an unchanged diagnosis is an unchanged status;
// how often and since when is told by `explain`.

import type { Diagnosis, DiagnosisClass } from "../contract/diagnosis.ts"
import type { Reason } from "../contract/verdict.ts"
import { classifyFailure } from "./classify-failure.ts"
import type { Report } from "./status.ts"

export interface DiagnosisContext {
  /** As a person types it: `file motd`. */
  readonly name: string
  /** It is marked, and the time that its loop gives it is over. */
  readonly overdue: boolean
  /** The same class for long, or over many attempts. */
  readonly lasting: boolean
}

/** A class that may pass by itself is told as lasting after so long or so many attempts. */
export const lastingMs = 15 * 60_000
export const lastingAttempts = 10

const lastingText = "it did not pass by itself in 15 minutes or 10 attempts"

const factsMax = 5
const factLength = 240

/** Reasons of guards that say more than "not allowed now". */
const classOfReason: ReadonlyMap<string, DiagnosisClass> = new Map([
  ["Flapping", "Flap"],
  ["Conflict", "Conflict"],
  ["Adopt", "Conflict"],
  ["StaleObservation", "Transient"],
])

/** Reasons of reports that mean one thing whatever the failure was. */
const classOfReport: ReadonlyMap<string, DiagnosisClass> = new Map([
  ["TargetConflict", "Conflict"],
  ["CreateUncertain", "Unknown"],
  ["MissingReference", "Dependency"],
  ["ForeignFinalizer", "Dependency"],
  ["DeleteHeld", "Policy"],
  ["Stopped", "Policy"],
  ["Deleting", "Transient"],
])

interface Found {
  readonly class: DiagnosisClass
  readonly evidence: readonly string[]
}

/** Undefined when there is nothing to explain: as declared, or on the way. */
export function diagnose(report: Report, context: DiagnosisContext): Diagnosis | undefined {
  if (report.state === "ready" || (report.state === "working" && !context.overdue)) return undefined
  const found = find(report)
  const passing = found.class === "Transient" || found.class === "Unknown"
  const lasting = context.lasting && (passing || found.class === "Dependency")
  const evidence = [...found.evidence, ...(lasting ? [lastingText] : [])]
  return {
    class: found.class,
    evidence: evidence.slice(0, factsMax).map(bounded),
    next: nextStep(found.class, report, { ...context, lasting }),
  }
}

/** Whether a diagnosis that was stored before said so already. */
export function saysLasting(evidence: readonly unknown[]): boolean {
  return evidence.includes(lastingText)
}

function find(report: Report): Found {
  const { because = {}, reason } = report
  const message = because.fact ?? report.message
  const reasons = because.reasons ?? []
  if (reasons.length > 0) return fromReasons(reasons)
  const facts = [
    ...(because.waitsFor ?? []).map((one) => `no value yet: ${one}`),
    ...(because.owner === undefined ? [] : [`the target belongs to ${because.owner}`]),
    ...(because.finalizers ?? []).map((one) => `the finalizer ${one} is still on it`),
  ]
  const known = classOfReport.get(reason)
  if (known !== undefined) return { class: known, evidence: facts.length > 0 ? facts : [message] }
  const failure = because.failure ?? {}
  const classified = classifyFailure(failure, message)
  const code = failure.code === undefined ? [] : [`fault ${failure.code}`]
  const from = classified.from === "" ? [] : [classified.from]
  const all = [...facts, message, ...from, ...code]
  return { class: classified.class, evidence: [...new Set(all)] }
}

function fromReasons(reasons: readonly Reason[]): Found {
  const special = reasons.find(({ code }) => classOfReason.get(code) !== undefined)
  const told = reasons.map(({ guard, code, message }) => `guard ${guard} (${code}): ${message}`)
  const name = special === undefined ? "Policy" : (classOfReason.get(special.code) ?? "Policy")
  return { class: name, evidence: told }
}

function nextStep(name: DiagnosisClass, report: Report, context: DiagnosisContext): string {
  const step = plainStep(name, report, context)
  if (!context.overdue) return step
  const release = `\`setpoint release ${context.name} --orphan --reason TEXT\``
  return `${step}; or give the target up with ${release}, which leaves it as it is`
}

function plainStep(name: DiagnosisClass, report: Report, context: DiagnosisContext): string {
  const special = stepOfReason(report, context)
  if (special !== undefined) return special
  const read = report.reason === "Unknown" || report.reason === "NotObservable"
  switch (name) {
    case "Transient":
      return context.lasting
        ? "see whether the target system works; it is still tried again"
        : "nothing: it is tried again by itself"
    case "Permission":
      return `give the plane the right to ${read ? "read" : "change"} it; it goes on by itself`
    case "Quota":
      return "make room there or have the quota raised; it goes on by itself"
    case "Conflict":
      return "find who else changes it, and let one of them stop"
    case "Flap":
      return `find who else writes it, and let one stop: \`setpoint history ${context.name}\``
    case "Dependency":
      return "make what it needs; it goes on by itself"
    case "BadSpec":
      return "correct the declaration; it is not tried again before that"
    case "ProviderFault":
      return "this is a defect of the provider: report it to its author with the evidence"
    case "Policy":
      return policyStep(report)
    case "Unknown":
      return `look into the target system; \`setpoint explain ${context.name}\` tells the attempts`
  }
}

/** Where one sentence fits whatever the class. */
function stepOfReason(report: Report, { name }: DiagnosisContext): string | undefined {
  const { because = {}, reason } = report
  const hint = because.reasons?.find((one) => classOfReason.get(one.code) !== undefined)
  if (hint?.code === "Adopt") {
    return `\`setpoint adopt ${name}\` takes charge of it, or declare another target`
  }
  if (hint?.hint !== undefined) return hint.hint
  switch (reason) {
    case "TargetConflict":
      return "two objects describe one target: delete or change one of them"
    case "CreateUncertain":
      return "look in the target system, then delete the object or adopt what was made"
    case "ForeignFinalizer":
      return "let whoever set the finalizer finish, or take that finalizer off by hand"
    case "Stopped":
      return "`setpoint resume` with the scope of the stop; `setpoint status` shows the command"
    default:
      return undefined
  }
}

function policyStep({ state, plan, because = {} }: Report): string {
  const hint = because.reasons?.find((one) => one.hint !== undefined)?.hint
  if (plan !== undefined) {
    return `look with \`setpoint plans ${plan}\`, then \`setpoint approve ${plan}\` or reject it`
  }
  if (hint !== undefined) return hint
  if (state === "waiting") return "nothing: it goes on by itself when that is over"
  return "see the reason above; `setpoint plans` lists what waits for a person"
}

function bounded(fact: string): string {
  return fact.length <= factLength ? fact : `${fact.slice(0, factLength - 1)}…`
}
