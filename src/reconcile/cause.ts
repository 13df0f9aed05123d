// Why an action exists, in a word for machines and a sentence for people.

import type { Cause, FieldChange, Verb } from "../contract/action.ts"
import { sourcePrincipal } from "../contract/principal.ts"
import type { TargetRecord } from "../contract/record.ts"
import { authorsSince } from "../object/authors.ts"
import { type ApiObject, loopLabel, sourceAnnotation } from "../object/object.ts"
import type { RollbackCause } from "./loop-engine.ts"

export interface CauseInput {
  readonly object: ApiObject
  readonly record: TargetRecord | undefined
  readonly sourceRevision: string | undefined
  /** Pinned specs are in force instead of the source's. */
  readonly rollback?: RollbackCause | undefined
}

export function causeOf(input: CauseInput, verb: Verb, changes: readonly FieldChange[]): Cause {
  const { record, sourceRevision, object } = input
  const place = object.metadata.annotations?.[sourceAnnotation]
  const revision = sourceRevision === undefined ? {} : { sourceRevision }
  const by = authorsCause(object, record)
  if (verb === "adopt") {
    const fields = changes.map((change) => change.path).join(", ")
    return {
      kind: "adopt",
      text: `it exists, is not ours and differs in ${fields}`,
      ...by,
      ...revision,
    }
  }
  if (verb === "create" && record?.owned === true) {
    return { kind: "missing", text: "it was there and is gone", ...by, ...revision }
  }
  const drifted = changes.filter((change) => change.why === "drift").map((change) => change.path)
  if (drifted.length > 0 && drifted.length === changes.length) {
    return { kind: "drift", text: `someone changed ${drifted.join(", ")}`, ...by, ...revision }
  }
  const { rollback } = input
  if (rollback !== undefined && (rollback.uids?.has(object.metadata.uid ?? "") ?? true)) {
    const { principal, text } = rollback
    return { kind: "rollback", principal, text, ...revision }
  }
  const hand = by.principal === undefined ? "" : ` by ${by.principal}`
  const declared = place === undefined ? `declared by API${hand}` : `declared in ${place}`
  const also = drifted.length > 0 ? `, and someone changed ${drifted.join(", ")}` : ""
  const asked = by.principal === undefined && place !== undefined ? sourceOf(object) : by
  return { kind: "edit", text: `${declared}${also}`, ...asked, ...revision }
}

/** Who asked by API since it was last applied; the last one first of all. */
function authorsCause(
  object: ApiObject,
  record: TargetRecord | undefined,
): Pick<Cause, "principal" | "authors"> {
  const authors = authorsSince(object, record?.applied === undefined ? 0 : record.generation)
  const principal = authors.at(-1)
  if (principal === undefined) return {}
  return { principal, ...(authors.length > 1 ? { authors } : {}) }
}

function sourceOf({ metadata }: ApiObject): Pick<Cause, "principal"> {
  const loop = metadata.labels?.[loopLabel]
  return loop === undefined ? {} : { principal: sourcePrincipal(loop).name }
}
