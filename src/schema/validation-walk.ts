// One pass of validation over one value: where it is and what it has found. The path is a stack
// that is copied only when there is an issue, so that a valid value allocates nothing.

import { forbiddenKeys, isArray, isObject, type Json } from "../base/json.ts"
import { type Issue, type IssueCode, type IssueDetail, type IssuePath, issuesMax } from "./issue.ts"

export const valueDepthMax = 128

/** `old`: the value before, where an unchanged one is forgiven. */
export type Validator = (value: Json, walk: ValidationWalk, old?: Json) => void

export class ValidationWalk {
  readonly issues: Issue[] = []
  readonly path: (string | number)[] = []

  /** Above 0 inside a secret, whose values are never shown. */
  hidden = 0

  report(code: IssueCode, message: string, detail?: IssueDetail): void {
    if (this.full) return
    const path = [...this.path]
    this.issues.push(
      detail ? { code, path, message, detail: this.#safe(detail) } : { code, path, message },
    )
  }

  #safe(detail: IssueDetail): IssueDetail {
    if (this.hidden === 0 || detail.value === undefined) return detail
    const { value: _, ...rest } = detail
    return rest
  }

  /** At a place below this one. */
  reportBelow(path: IssuePath, code: IssueCode, message: string, detail: IssueDetail): void {
    this.path.push(...path)
    this.report(code, message, detail)
    this.path.length -= path.length
  }

  enter(member: string | number, look: () => void): void {
    this.path.push(member)
    if (!this.full) look()
    this.path.pop()
  }

  get full(): boolean {
    return this.issues.length >= issuesMax
  }

  reportAt(member: string | number, code: IssueCode, message: string, detail?: IssueDetail): void {
    this.path.push(member)
    this.report(code, message, detail)
    this.path.pop()
  }

  /** Validates a member or item. */
  down(member: string | number, value: Json, validator: Validator, old?: Json): void {
    this.path.push(member)
    if (this.path.length > valueDepthMax) {
      this.report("Invalid", `is nested deeper than ${valueDepthMax} levels`)
    } else if (!this.full) validator(value, this, old)
    this.path.pop()
  }

  /** Whether the value passes, without keeping the issues. */
  passes(value: Json, validator: Validator): boolean {
    const before = this.issues.length
    const trial = before === 0 ? this : new ValidationWalk()
    validator(value, trial)
    const passed = trial === this ? this.issues.length === before : trial.issues.length === 0
    if (trial === this) this.issues.length = before
    return passed
  }
}

export function typeName(value: Json): string {
  if (value === null) return "null"
  if (isArray(value)) return "array"
  if (typeof value === "number") return Number.isInteger(value) ? "integer" : "number"
  return typeof value === "bigint" ? "integer" : typeof value
}

const digitsKept = 2 ** 53
const digitsWritten = 2 ** 64

/** Where no schema speaks: only depth, dangerous names and numbers that lost digits are judged. */
export const validateUntyped: Validator = (value, walk) => {
  if (typeof value === "number") {
    const lost = Number.isInteger(value) && Math.abs(value) >= digitsKept
    if (!Number.isFinite(value) || (lost && Math.abs(value) <= digitsWritten)) {
      walk.report("Invalid", "is a number beyond 2^53, which can't be kept exactly")
    }
  } else if (isArray(value)) {
    for (let index = 0; index < value.length; index++) {
      walk.down(index, value[index] ?? null, validateUntyped)
    }
  } else if (isObject(value)) {
    for (const name of Object.keys(value)) {
      const member = value[name]
      if (forbiddenKeys.has(name)) walk.reportAt(name, "Forbidden", "can't be a member's name")
      else if (member !== undefined) walk.down(name, member, validateUntyped)
    }
  }
}
