// An action: one create, update, replace, delete or adopt of one target, and the digest that
// approvals are bound to. The digest covers what would be done and to what; never the writer
// epoch, so that it stands over restarts.

import { sha256 } from "../base/hash.ts"
import { canonicalJson, type Json } from "../base/json.ts"

/** `loosen` changes no target: it lets a looser limit, policy or protection into force. */
export type Verb = "create" | "update" | "replace" | "delete" | "adopt" | "loosen"

/** Why a field differs; the three-way judgement. */
export type FieldJudgement = "requested" | "drift" | "adopt" | "conflict"

export interface FieldChange {
  /** ".spec"-relative field path, for example `content` or `labels["a.b/c"]`. */
  readonly path: string
  readonly before?: Json
  readonly after?: Json
  readonly why: FieldJudgement
}

export type CauseKind =
  | "edit"
  | "drift"
  | "default"
  | "dependency"
  | "rollback"
  | "approval"
  | "prune"
  | "delete"
  | "adopt"
  | "missing"
  | "loosen"

export interface Cause {
  readonly kind: CauseKind
  /** Who asked for it, when somebody did. */
  readonly principal?: string
  /** Everyone who asked for a part of it, where they are several. */
  readonly authors?: readonly string[]
  /** The break-glass that let it happen: who opened it and why. */
  readonly breakGlass?: string
  readonly sourceRevision?: string
  /** One sentence for people. */
  readonly text: string
}

export interface Action {
  readonly verb: Verb
  readonly uid: string
  /** Text form of the object key. */
  readonly object: string
  /** The kind's name, for people ("File"). */
  readonly kind: string
  /** NAMESPACE.NAME of the loop. */
  readonly loop: string
  readonly generation: number
  /** Counts targets made for this object: a re-creation is a new incarnation. */
  readonly incarnation: number
  /** Text form of (provider, connection, identity). */
  readonly target: string
  readonly changes: readonly FieldChange[]
  /** The observed item's own token; missing when the target is absent. */
  readonly token?: string
  readonly cause: Cause
  /** How many things it destroys, by effect; missing: one for delete and replace, else none. */
  readonly destroys?: number
  readonly digest: string
}

export type ActionDraft = Omit<Action, "digest">

export function digestAction(draft: ActionDraft): string {
  const { verb, uid, generation, incarnation, target, changes, token } = draft
  const covered = changes.map(({ path, before, after }) => ({
    path,
    ...(before === undefined ? {} : { before }),
    ...(after === undefined ? {} : { after }),
  }))
  return sha256(
    canonicalJson({ verb, uid, generation, incarnation, target, changes: covered, token }),
  )
}

export function finishAction(draft: ActionDraft): Action {
  return { ...draft, digest: digestAction(draft) }
}

/** A plan's hash: the root over its actions' digests, in any order they came. */
export function hashPlan(digests: readonly string[]): string {
  return sha256([...digests].sort().join("\n"))
}

/** How many things are gone afterwards: budgets of deletes count these, whatever the verb is. */
export function destroysOf({ verb, destroys }: Pick<Action, "verb" | "destroys">): number {
  return destroys ?? (verb === "delete" || verb === "replace" ? 1 : 0)
}

export function isDestructive(action: Pick<Action, "verb" | "destroys">): boolean {
  return destroysOf(action) > 0
}
