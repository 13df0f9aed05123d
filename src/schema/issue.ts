// One thing that is wrong with a value, and where. Messages never repeat the value itself: it may
// be a secret.

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

export interface Issue {
  readonly code: IssueCode
  readonly path: IssuePath
  /** Reads on from the path: "must be of type string, not integer". */
  readonly message: string
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
