// What the status of a namespace that ends says: what is still in it, and who waits. Pure.

import type { JsonObject } from "../base/json.ts"
import { type ConditionInput, mergeConditions } from "../object/conditions.ts"
import type { ApiObject, Condition } from "../object/object.ts"

/** Stays until nothing is left in the namespace. */
export const contentFinalizer = "kubernetes"

export interface NamespaceContent {
  /** `things.test.dev`, sorted; loops and plans, which go last, are not among them. */
  readonly resources: readonly string[]
  /** Finalizers of objects in it. */
  readonly finalizers: readonly string[]
}

const good = (type: string, reason: string, message: string): ConditionInput => ({
  ...{ type, status: "False", reason, message },
})

const bad = (type: string, reason: string, message: string): ConditionInput => ({
  ...{ type, status: "True", reason, message },
})

export function endingStatus(
  object: ApiObject,
  { resources, finalizers }: NamespaceContent,
  time: string,
): ApiObject {
  const remaining =
    resources.length === 0
      ? good("NamespaceContentRemaining", "ContentRemoved", "All content successfully removed")
      : bad(
          "NamespaceContentRemaining",
          "SomeResourcesRemain",
          `Some resources are remaining: ${resources.join(", ")}`,
        )
  const waiting =
    finalizers.length === 0
      ? good(
          "NamespaceFinalizersRemaining",
          "ContentHasNoFinalizers",
          "All content-preserving finalizers finished",
        )
      : bad(
          "NamespaceFinalizersRemaining",
          "SomeFinalizersRemain",
          `Some content in the namespace has finalizers remaining: ${finalizers.join(", ")}`,
        )
  const next = [
    good(
      "NamespaceDeletionDiscoveryFailure",
      "ResourcesDiscovered",
      "All resources successfully discovered",
    ),
    good(
      "NamespaceDeletionGroupVersionParsingFailure",
      "ParsedGroupVersions",
      "All legacy kube types successfully parsed",
    ),
    good(
      "NamespaceDeletionContentFailure",
      "ContentDeleted",
      "All content successfully deleted, may be waiting on finalization",
    ),
    remaining,
    waiting,
  ]
  const before = object.status?.conditions
  const known = (Array.isArray(before) ? before : []) as readonly Condition[] &
    readonly JsonObject[]
  const conditions = mergeConditions(known, next, time)
  const status = { ...object.status, phase: "Terminating", conditions }
  return { ...object, status: status as JsonObject & typeof status }
}
