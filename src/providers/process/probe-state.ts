// What the probes of one run have said so far, and what follows from it: the kubelet's rules. The
// startup probe comes first and alone; liveness asks for a restart, readiness only says whether the
// process can serve. Pure: every answer makes a new state.

import { protects } from "../../base/protections.ts"
import type { Probes } from "./process-spec.ts"

export type ProbeName = keyof Probes

export interface ProbeState {
  readonly started: boolean
  readonly ready: boolean
  readonly hung?: string
  /** Equal answers in a row, by probe: above zero yes, below zero no. */
  readonly rows: Readonly<Partial<Record<ProbeName, number>>>
  /** What the last no of the readiness probe was. */
  readonly last?: string
}

/** The part that others see. */
export type Health = Pick<ProbeState, "started" | "ready" | "hung" | "last">

/** What is remembered over a restart of the plane. */
export interface Verdict {
  readonly started: boolean
  readonly ready: boolean
}

export function firstState(probes: Probes, known: Verdict | undefined): ProbeState {
  const started = probes.startup === undefined || known?.started === true
  const ready = started && (probes.readiness === undefined || known?.ready === true)
  return { started, ready, rows: {} }
}

/** The probes to be asked now. */
export function askedNow({ started, hung }: ProbeState, probes: Probes): readonly ProbeName[] {
  if (hung !== undefined) return []
  const names: readonly ProbeName[] = started ? ["liveness", "readiness"] : ["startup"]
  return names.filter((name) => probes[name] !== undefined)
}

export type Answer =
  | { readonly yes: true }
  | { readonly yes: false; readonly why: string; readonly unasked?: true }

/** Nobody was asked, for want of something on our side: it says nothing about the process. */
export const unasked = (why: string): Answer => ({ yes: false, why, unasked: true })

export function afterAnswer(
  state: ProbeState,
  probes: Probes,
  name: ProbeName,
  answer: Answer,
): ProbeState {
  const probe = probes[name]
  if (probe === undefined || state.hung !== undefined) return state
  if (!answer.yes && answer.unasked === true && protects("unasked-is-no-answer")) return state
  const before = state.rows[name] ?? 0
  const row = answer.yes ? Math.max(before, 0) + 1 : Math.min(before, 0) - 1
  const next = { ...state, rows: { ...state.rows, [name]: row } }
  const failed = -row >= probe.failureThreshold
  if (name === "readiness") return afterReadiness(next, probes, row, failed, answer)
  if (failed && !answer.yes) {
    return { ...next, ready: false, hung: `its ${name} probe failed: ${answer.why}` }
  }
  if (name === "startup" && answer.yes) {
    return { ...next, started: true, ready: probes.readiness === undefined }
  }
  return next
}

function afterReadiness(
  state: ProbeState,
  probes: Probes,
  row: number,
  failed: boolean,
  answer: Answer,
): ProbeState {
  const threshold = probes.readiness?.successThreshold ?? 1
  const { last: _, ...rest } = state
  if (answer.yes) return row >= threshold ? { ...rest, ready: true } : state
  return { ...rest, ready: state.ready && !failed, last: answer.why }
}
