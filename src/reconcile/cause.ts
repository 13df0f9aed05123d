// Why an action exists, in a word for machines and a sentence for people.

import type { Cause, FieldChange, Verb } from "../contract/action.ts"
import type { TargetRecord } from "../contract/record.ts"
import { type ApiObject, sourceAnnotation } from "../object/object.ts"

export interface CauseInput {
  readonly object: ApiObject
  readonly record: TargetRecord | undefined
  readonly sourceRevision: string | undefined
}

export function causeOf(input: CauseInput, verb: Verb, changes: readonly FieldChange[]): Cause {
  const { record, sourceRevision, object } = input
  const place = object.metadata.annotations?.[sourceAnnotation]
  const revision = sourceRevision === undefined ? {} : { sourceRevision }
  if (verb === "adopt") {
    const fields = changes.map((change) => change.path).join(", ")
    return { kind: "adopt", text: `it exists, is not ours and differs in ${fields}`, ...revision }
  }
  if (verb === "create" && record?.owned === true) {
    return { kind: "missing", text: "it was there and is gone", ...revision }
  }
  const drifted = changes.filter((change) => change.why === "drift").map((change) => change.path)
  if (drifted.length > 0 && drifted.length === changes.length) {
    return { kind: "drift", text: `someone changed ${drifted.join(", ")}`, ...revision }
  }
  const declared = place === undefined ? "declared by API" : `declared in ${place}`
  const also = drifted.length > 0 ? `, and someone changed ${drifted.join(", ")}` : ""
  return { kind: "edit", text: `${declared}${also}`, ...revision }
}
