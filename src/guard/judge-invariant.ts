// Judges actions by one invariant: those after which it would not hold are denied, the others go.
// Destruction is judged without counting on anything that is still to be made, since that may fail.
// One that can't be evaluated counts as broken for destruction, and for nothing else. Pure.

import type { JsonObject } from "../base/json.ts"
import { protects } from "../base/protections.ts"
import type { Reason } from "../contract/verdict.ts"

export type Checked =
  | { readonly kind: "holds" }
  | {
      readonly kind: "broken"
      /** UIDs that fail an `all`: a few, or none when the expression has no such part. */
      readonly failing: readonly string[]
      /** What to show people. */
      readonly evidence: readonly string[]
    }
  | { readonly kind: "unknown"; readonly cause: string }

/** What an action makes of its target. */
export interface Prediction {
  readonly uid: string
  readonly kind: string
  readonly makes: boolean
  readonly destructive: boolean
  /** The facts afterwards; undefined when the target is gone. */
  readonly after: JsonObject | undefined
}

export interface InvariantCheck {
  readonly name: string
  readonly message?: string
  readonly kinds: readonly string[]
  /** How it would stand with these in place of what is observed. */
  check(changes: readonly Prediction[]): Checked
}

export interface InvariantFinding {
  /** An action that is safe only after another one of its round waits for that one. */
  readonly kind: "wait" | "deny"
  readonly reason: Reason
}

export interface InvariantFacts {
  /** By object UID. */
  readonly findings: ReadonlyMap<string, readonly InvariantFinding[]>
}

export type InvariantFindings = ReadonlyMap<string, InvariantFinding>

/** So many evaluations for one invariant in one round; what is undecided then is denied. */
const evaluationsMax = 64

export function judgeInvariant(
  invariant: InvariantCheck,
  actions: readonly Prediction[],
  underWay: readonly Prediction[],
): InvariantFindings {
  const findings = new Map<string, InvariantFinding>()
  const concerned = actions.filter((action) => concerns(invariant, action))
  if (concerned.length === 0) return findings
  const judge = new Judge(invariant)
  const unmaking = concerned.filter((action) => action.destructive)
  const making = concerned.filter((action) => !action.destructive)
  const begun = underWay.filter((action) => !action.makes)
  const denied = judge.refused(begun, unmaking, true)
  for (const action of denied) {
    const after = [...underWay, ...making, action]
    const later = making.some(({ makes }) => makes) || begun.length < underWay.length
    const waits = later && judge.accepts(after, true)
    findings.set(action.uid, waits ? waiting(invariant) : denial(invariant, judge.last))
  }
  const going = unmaking.filter((action) => !denied.has(action))
  for (const action of judge.refused([...underWay, ...going], making, false)) {
    findings.set(action.uid, denial(invariant, judge.last))
  }
  return findings
}

/** Why this set of deletes must not be marked; undefined when it may. */
export function judgeInvariantDeletes(
  invariant: InvariantCheck,
  deletes: readonly Prediction[],
  underWay: readonly Prediction[],
): Reason | undefined {
  const concerned = deletes.filter((action) => concerns(invariant, action))
  if (concerned.length === 0) return undefined
  const judge = new Judge(invariant)
  const begun = underWay.filter((action) => !action.makes)
  if (judge.accepts([...begun, ...concerned], true)) return undefined
  return denial(invariant, judge.last).reason
}

/** One without kinds is about signals: it guards every destruction of its loop. */
function concerns({ kinds }: InvariantCheck, { kind, destructive }: Prediction): boolean {
  return kinds.length === 0 ? destructive : kinds.includes(kind)
}

class Judge {
  readonly #invariant: InvariantCheck
  readonly #now: Checked
  #left = evaluationsMax
  last: Checked = { kind: "holds" }

  constructor(invariant: InvariantCheck) {
    this.#invariant = invariant
    this.#now = invariant.check([])
  }

  accepts(changes: readonly Prediction[], destructive: boolean): boolean {
    if (this.#left-- <= 0) {
      this.last = { kind: "unknown", cause: "too many actions of the round would have to be tried" }
      return false
    }
    const after = this.#invariant.check(changes)
    if (isAcceptable(after, this.#now, destructive)) return true
    this.last = after
    return false
  }

  /** The actions that can't join the others; found by halving, so that a good round costs one. */
  refused(
    before: readonly Prediction[],
    actions: readonly Prediction[],
    destructive: boolean,
  ): ReadonlySet<Prediction> {
    if (actions.length === 0 || this.accepts([...before, ...actions], destructive)) return new Set()
    if (actions.length === 1) return new Set(actions)
    const middle = actions.length >> 1
    const first = this.refused(before, actions.slice(0, middle), destructive)
    const kept = actions.slice(0, middle).filter((action) => !first.has(action))
    const second = this.refused([...before, ...kept], actions.slice(middle), destructive)
    return new Set([...first, ...second])
  }
}

function isAcceptable(after: Checked, now: Checked, destructive: boolean): boolean {
  switch (after.kind) {
    case "holds":
      return true
    case "unknown":
      return !destructive || !protects("unevaluable-invariant-blocks-destruction")
    case "broken":
      return (now.kind === "broken" && !isWorse(after, now, destructive)) || !armed()
  }
}

const armed = (): boolean => protects("invariant-denies")

type Broken = Extract<Checked, { kind: "broken" }>

/** Broken before and after. Where nobody can tell whether it gets worse, destruction waits. */
function isWorse(after: Broken, now: Broken, destructive: boolean): boolean {
  if (after.failing.length === 0 || now.failing.length === 0) return destructive
  return after.failing.some((uid) => !now.failing.includes(uid))
}

function denial({ name, message }: InvariantCheck, checked: Checked): InvariantFinding {
  const guard = "invariant"
  const what = message === undefined ? `invariant ${name}` : `invariant ${name} (${message})`
  if (checked.kind === "unknown") {
    const text = `${what} can't be evaluated, so nothing is destroyed: ${checked.cause}`
    const hint = `\`setpoint describe invariant ${name}\` says what is missing`
    const reason = { guard, code: "InvariantUnknown", message: text, hint }
    return { kind: "deny", reason }
  }
  const evidence = checked.kind === "broken" ? checked.evidence : []
  const where = evidence.length === 0 ? "" : `: ${evidence.join(", ")}`
  const hint = `change what is declared, or the invariant (\`setpoint describe invariant ${name}\`)`
  const text = `it would break ${what}${where}`
  return { kind: "deny", reason: { guard, code: "InvariantBroken", message: text, hint } }
}

function waiting({ name }: InvariantCheck): InvariantFinding {
  const message = `invariant ${name} holds only after other actions of this round are done`
  return { kind: "wait", reason: { guard: "invariant", code: "InvariantWaits", message } }
}
