// The shapes of what the plane says about one object, as far as the page uses them.

import type { ObjectRow } from "../objects/object-row.ts"

export type Judgement = "same" | "requested" | "drift" | "adopt" | "conflict" | "own"

export interface FieldRow {
  readonly path: string
  readonly why: Judgement
  readonly declared?: unknown
  readonly applied?: unknown
  readonly observed?: unknown
  readonly managers?: readonly string[]
  readonly from?: string
}

export interface ConditionView {
  readonly type: string
  readonly status: string
  readonly reason: string
  readonly message: string
  readonly lastTransitionTime: string
}

export interface RelationNode extends Partial<Omit<ObjectRow, "key">> {
  readonly key: string
  readonly kind?: string
}

export interface Relation {
  readonly from: string
  readonly to: string
  readonly kind: "owns" | "refers"
  readonly field?: string
}

export interface Relations {
  readonly nodes: readonly RelationNode[]
  readonly relations: readonly Relation[]
  readonly cut: boolean
}

export interface HeldView {
  readonly action: { readonly verb: string; readonly digest: string }
  readonly reasons: readonly { readonly code: string; readonly message: string }[]
}

export interface StateView {
  readonly state: string
  readonly reason: string
  readonly message: string
  readonly since: string
  readonly attempts?: number
  readonly diagnosis?: {
    readonly class: string
    readonly next?: string
    readonly evidence?: readonly string[]
  }
}

export interface MissingView {
  readonly kind: string
  readonly name: string
  readonly field: string
}

export interface ObjectView {
  readonly object: string
  readonly apiVersion: string
  readonly kind: string
  readonly name: string
  readonly namespace: string
  readonly uid: string
  readonly created?: string
  readonly generation: number
  readonly deleting: boolean
  readonly standing: string
  readonly loop: string
  readonly mode?: string
  readonly source?: string
  readonly undeclared?: string
  readonly parent?: string
  readonly composite?: boolean
  readonly wave?: number
  readonly target?: string
  readonly owned: boolean
  readonly claimedBy?: string
  readonly stopped?: string
  readonly breakGlass?: string
  readonly rollback?: { readonly text?: string } | null
  readonly observation?: { readonly kind: string; readonly cause?: string }
  readonly state?: StateView
  readonly conditions?: readonly ConditionView[]
  readonly missing: readonly MissingView[]
  readonly held: readonly HeldView[]
  readonly plan?: string
  readonly rejected: readonly { readonly verb: string; readonly principal: string }[]
  readonly changes: readonly { readonly path: string }[]
  readonly rows: readonly FieldRow[]
  readonly rowsCut: boolean
  readonly outputs?: Readonly<Record<string, unknown>>
  readonly log: boolean
  readonly relations: Relations
}
