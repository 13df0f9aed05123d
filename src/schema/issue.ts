// One thing that is wrong with a value, and where: in our own words, which never repeat the value
// since it may be a secret, and in those of Kubernetes for its clients.

import type { Json } from "../base/json.ts"
import { jsonText } from "../base/json-text.ts"

export type IssueCode =
  | "Required"
  | "Invalid"
  | "NotSupported"
  | "Forbidden"
  | "TooLong"
  | "TooMany"
  | "Duplicate"
  | "TypeInvalid"
  | "Unknown"

export type IssuePath = readonly (string | number)[]

/** What Kubernetes would say of it. */
export interface IssueDetail {
  /** When Kubernetes gives another reason. */
  readonly code?: IssueCode
  /** Shown; left out where the value may be a secret. */
  readonly value?: Json
  readonly says?: string
  /** As `says`, after the path: "spec.size in body should be less than 3". */
  readonly body?: string
}

export interface Issue {
  readonly code: IssueCode
  readonly path: IssuePath
  /** Reads on from the path: "must be of type string, not integer". Never holds the value. */
  readonly message: string
  readonly detail?: IssueDetail
}

/** A value with a thousand mistakes is not helped by the second hundred. */
export const issuesMax = 100

const plainName = /^[A-Za-z_$][\w$-]*$/

/** `spec.ports[0].name`, `metadata.labels["a.b/c"]`. */
export function issuePathText(path: IssuePath): string {
  let text = ""
  for (const part of path) {
    if (typeof part === "number") text += `[${part}]`
    else if (!plainName.test(part)) text += `[${JSON.stringify(part)}]`
    else text += text === "" ? part : `.${part}`
  }
  return text
}

export function issueText(issue: Issue): string {
  const path = issuePathText(issue.path)
  return path === "" ? issue.message : `${path}: ${issue.message}`
}

const kinds: Readonly<Record<IssueCode, string>> = {
  Required: "Required value",
  Invalid: "Invalid value",
  NotSupported: "Unsupported value",
  Forbidden: "Forbidden",
  TooLong: "Too long",
  TooMany: "Too many",
  Duplicate: "Duplicate value",
  TypeInvalid: "Invalid value",
  Unknown: "Invalid value",
}

const shownMax = 1000

/** The cause as Kubernetes words it: `Invalid value: "x": spec.name in body should match '^a'`. */
export function kubeText(issue: Issue): string {
  const { code, detail, message, path } = issue
  const kind = kinds[detail?.code ?? code]
  if (detail === undefined) return `${kind}: ${message}`
  const value = detail.value === undefined ? undefined : jsonText(detail.value)
  const shown = value === undefined ? "" : `: ${value.slice(0, shownMax)}`
  const body = detail.body && `${issuePathText(path)} in body ${detail.body}`
  const says = detail.says ?? body
  return `${kind}${shown}${says === undefined ? "" : `: ${says}`}`
}
