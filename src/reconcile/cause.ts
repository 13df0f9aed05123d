// Why an action exists, in a word for machines and a sentence for people.

import type { Cause, FieldChange, Verb } from "../contract/action.ts"
import { sourcePrincipal } from "../contract/principal.ts"
import type { TargetRecord } from "../contract/record.ts"
import { authorsSince } from "../object/authors.ts"
import {
  type ApiObject,
  controllerOf,
  loopLabel,
  sourceAnnotation,
  whyAnnotation,
} from "../object/object.ts"
import type { FoundReference } from "./desire.ts"
import type { RollbackCause } from "./loop-engine.ts"

const whyMax = 500

export interface CauseInput {
  readonly object: ApiObject
  readonly record: TargetRecord | undefined
  readonly sourceRevision: string | undefined
  /** Pinned specs are in force instead of the source's. */
  readonly rollback?: RollbackCause | undefined
  readonly references?: readonly FoundReference[]
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
  const flowed = flowedFrom(input, changes)
  if (flowed !== undefined) return { kind: "dependency", text: flowed, ...by, ...revision }
  const hand = by.principal === undefined ? "" : ` by ${by.principal}`
  const parent = controllerOf(object)
  const declarer = parent === undefined ? `API${hand}` : `${parent.kind} ${parent.name}`
  const declared = place === undefined ? `declared by ${declarer}` : `declared in ${place}`
  const why = object.metadata.annotations?.[whyAnnotation]
  const because = why === undefined ? "" : `: ${why.slice(0, whyMax)}`
  const also = drifted.length > 0 ? `, and someone changed ${drifted.join(", ")}` : ""
  const asked = by.principal === undefined && place !== undefined ? sourceOf(object) : by
  return { kind: "edit", text: `${declared}${because}${also}`, ...asked, ...revision }
}

/** Nobody changed the spec: what it takes from another object is another value now. */
function flowedFrom(
  { object, record, references = [] }: CauseInput,
  changes: readonly FieldChange[],
): string | undefined {
  const asked = changes.filter((change) => change.why !== "drift")
  const edited = record?.generation !== object.metadata.generation
  if (references.length === 0 || edited || asked.length === 0) return undefined
  const taken = asked.map(({ path }) => references.find(({ reference }) => path === reference.path))
  const [first] = taken
  if (first === undefined || taken.includes(undefined)) return undefined
  const { kind, name, field, path } = first.reference
  return `${path} is taken from ${field} of ${kind} ${name}, which changed`
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
