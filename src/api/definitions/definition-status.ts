// What a definition's status says: whether its names are accepted, whether it is served, and in
// which versions its objects may be stored. A definition whose names are taken is stored and not
// served; one that is served stays so.

import { at, isArray, isObject, type Json, type JsonObject } from "../../base/json.ts"
import { type ConditionInput, findCondition, mergeConditions } from "../../object/conditions.ts"
import type { ApiObject, Condition } from "../../object/object.ts"
import { approvalOf, isProtectedGroup } from "./approval.ts"
import { objectsAt, textAt } from "./definition-parts.ts"

/** Names that other definitions of the group have. */
export interface TakenNames {
  /** Plurals, singulars and short names. */
  readonly resources: ReadonlySet<string>
  /** Kinds and list kinds. */
  readonly kinds: ReadonlySet<string>
}

export function definitionStatus(
  object: ApiObject,
  old: ApiObject | undefined,
  taken: TakenNames,
  time: string,
): JsonObject {
  const before = objectsAt(object.status as Json | undefined, "conditions").map(conditionOf)
  const conflict = nameConflict(object.spec?.names as Json | undefined, taken)
  const names: ConditionInput = {
    type: "NamesAccepted",
    status: conflict === undefined ? "True" : "False",
    reason: conflict?.reason ?? "NoConflicts",
    message: conflict?.message ?? "no conflicts found",
  }
  const now = [...approvalCondition(object), names, established(before, conflict === undefined)]
  const others = before.filter((one) => !now.some(({ type }) => type === one.type))
  const accepted = conflict === undefined ? at(object.spec ?? {}, "names") : acceptedBefore(old)
  return {
    conditions: [...others, ...mergeConditions(before, now, time)].map(plainCondition),
    acceptedNames: accepted,
    storedVersions: storedVersions(object),
  }
}

/** Conditions are JSON; only their type does not say so. */
const plainCondition = ({ type, status, reason, message, lastTransitionTime }: Condition) => ({
  type,
  status,
  reason,
  message,
  lastTransitionTime,
})

const conditionOf = (value: JsonObject): Condition => ({
  type: textAt(value, "type"),
  status: textAt(value, "status") as Condition["status"],
  reason: textAt(value, "reason"),
  message: textAt(value, "message"),
  lastTransitionTime: textAt(value, "lastTransitionTime"),
})

const acceptedBefore = (old: ApiObject | undefined): Json =>
  (old?.status?.acceptedNames as Json | undefined) ?? { plural: "", kind: "" }

function established(before: readonly Condition[], accepted: boolean): ConditionInput {
  if (accepted || findCondition(before, "Established")?.status === "True") {
    const message = "the initial names have been accepted"
    return { type: "Established", status: "True", reason: "InitialNamesAccepted", message }
  }
  const message = "not all names are accepted"
  return { type: "Established", status: "False", reason: "NotAccepted", message }
}

function nameConflict(
  names: Json | undefined,
  { resources, kinds }: TakenNames,
): { reason: string; message: string } | undefined {
  const short = isObject(names) && isArray(names.shortNames) ? names.shortNames.map(String) : []
  const claims: readonly (readonly [string, readonly string[], ReadonlySet<string>])[] = [
    ["ListKindConflict", [textAt(names, "listKind")], kinds],
    ["KindConflict", [textAt(names, "kind")], kinds],
    ["ShortNamesConflict", short, resources],
    ["SingularConflict", [textAt(names, "singular")], resources],
    ["PluralConflict", [textAt(names, "plural")], resources],
  ]
  for (const [reason, wanted, taken] of claims) {
    const lost = wanted.filter((name) => taken.has(name))
    if (lost.length === 0) continue
    return { reason, message: lost.map((name) => `"${name}" is already in use`).join(", ") }
  }
  return undefined
}

function approvalCondition(object: ApiObject): ConditionInput[] {
  if (!isProtectedGroup(textAt(object.spec as Json | undefined, "group"))) return []
  const { state, reason: message } = approvalOf(object)
  const type = "KubernetesAPIApprovalPolicyConformant"
  const reasons = {
    approved: "ApprovedAnnotation",
    bypassed: "UnapprovedAnnotation",
    missing: "MissingAnnotation",
    invalid: "InvalidAnnotation",
  }
  const status = state === "approved" ? "True" : "False"
  return [{ type, status, reason: reasons[state], message }]
}

function storedVersions(object: ApiObject): string[] {
  const before = object.status?.storedVersions
  const versions = objectsAt(object.spec as Json | undefined, "versions")
  const storage = versions.find((version) => version.storage === true)?.name
  const all = [...(isArray(before) ? before : []), storage]
  return [...new Set(all.filter((name) => typeof name === "string"))]
}
