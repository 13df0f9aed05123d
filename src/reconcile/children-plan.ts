// Which children of a composite go, and what that counts as. Interchangeable ones that are replaced
// count as changes while enough of their kind stay; a real shrink counts as deletes, which have a
// limit of their own. Pure.

import { protects } from "../base/protections.ts"
import { compositePrincipal } from "../contract/principal.ts"
import type { ApiObject } from "../object/object.ts"

export interface LivingChild {
  readonly key: string
  readonly kind: string
  /** Children of this kind are interchangeable. */
  readonly fungible: boolean
  readonly object: ApiObject
}

/**
 * A child is what the composite itself wrote for this parent. Whoever may change an object can name
 * any owner in it; that alone must not get it deleted as if it were a child.
 */
export function isChildOf({ metadata }: ApiObject, { kind, metadata: { uid } }: ApiObject) {
  const { ownerReferences = [], managedFields = [] } = metadata
  const owned = ownerReferences.some((one) => one.uid === uid && one.controller === true)
  if (!owned || !protects("children-are-written-by-their-composite")) return owned
  const { name } = compositePrincipal(kind)
  return managedFields.some(({ manager }) => manager === name)
}

export interface ChildrenPlan {
  /** Not wanted any more, and replaced by others of their kind. */
  readonly replaced: readonly LivingChild[]
  /** Not wanted any more, and missed. */
  readonly removed: readonly LivingChild[]
}

/** `living`: every child that is not marked for deletion, those just made included. */
export function planChildren(
  living: readonly LivingChild[],
  wanted: readonly { readonly key: string; readonly kind: string }[],
): ChildrenPlan {
  const keys = new Set(wanted.map(({ key }) => key))
  const unwanted = living.filter(({ key }) => !keys.has(key))
  const replaced = unwanted.filter((child) => isReplaced(child, living, wanted, keys))
  const missed = unwanted.filter((child) => !replaced.includes(child))
  return { replaced, removed: missed }
}

/**
 * Enough of them stay: as many as are wanted, at least one, and at least half of what was there. A
 * composer that suddenly wants one of a hundred is more likely wrong than meant.
 */
function isReplaced(
  { kind, fungible }: LivingChild,
  living: readonly LivingChild[],
  wanted: readonly { readonly key: string; readonly kind: string }[],
  keys: ReadonlySet<string>,
): boolean {
  if (!fungible) return false
  const all = living.filter((child) => child.kind === kind)
  const stay = all.filter(({ key }) => keys.has(key)).length
  const asked = wanted.filter((child) => child.kind === kind).length
  if (!protects("shrinking-counts-as-deleting")) return true
  return asked > 0 && stay >= asked && stay * 2 >= all.length
}
