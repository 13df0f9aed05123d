// What concurrent clients did to a server and what they saw, as plain values: the only input of the
// checkers. Times are of one clock; revisions are resourceVersions.

/** What a write leaves behind. `data.w` names the operation that wrote it. */
export interface Stored {
  readonly revision: number
  readonly uid: string
  readonly data: Readonly<Record<string, string>>
  readonly team?: string
  /** UID of the object that it goes with. */
  readonly owner?: string
}

/** "collection/namespace/name" */
export type Key = string

export type Change =
  | {
      readonly kind: "create"
      readonly data: Stored["data"]
      readonly team?: string
      readonly owner?: string
    }
  | {
      readonly kind: "put"
      readonly against: number
      readonly data: Stored["data"]
      readonly team?: string
      readonly owner?: string
    }
  | { readonly kind: "merge"; readonly data: Stored["data"]; readonly team?: string }
  | { readonly kind: "json"; readonly test: string; readonly data: Stored["data"] }
  | { readonly kind: "apply"; readonly data: Stored["data"] }
  /** A patch that changes nothing. */
  | { readonly kind: "touch" }
  | { readonly kind: "delete"; readonly against?: number; readonly uid?: string }

interface Asked {
  /** Also the value of `data.w` that a write leaves. */
  readonly id: string
  readonly invoked: number
  /** Infinity while nothing is known. */
  readonly responded: number
  /** Undefined: nobody knows whether it happened. */
  readonly status?: number
}

export interface Write extends Asked {
  readonly what: "write"
  readonly key: Key
  readonly change: Change
  /** Of an acknowledged write that is no delete. */
  readonly result?: Stored
  /** Of an acknowledged delete. */
  readonly deleted?: string
}

export interface Read extends Asked {
  readonly what: "read"
  readonly key: Key
  readonly result?: Stored
}

export interface Selection {
  readonly collection: string
  readonly namespace?: string
  readonly name?: string
  readonly team?: { readonly is: boolean; readonly value: string }
}

export interface List extends Asked {
  readonly what: "list"
  readonly selection: Selection
  /** The exact revision that was asked for. */
  readonly exact?: number
  /** That of every page. */
  readonly revisions: readonly number[]
  readonly items: readonly (readonly [Key, Stored])[]
}

/** A deletecollection. */
export interface Clear extends Asked {
  readonly what: "clear"
  readonly selection: Selection
  /** As they last were, with the revision of their end. */
  readonly gone: readonly (readonly [Key, Stored])[]
  /** Of all that the answer names, in its order. */
  readonly revisions: readonly number[]
}

export type Operation = Write | Read | List | Clear

export interface Seen {
  readonly type: "ADDED" | "MODIFIED" | "DELETED" | "BOOKMARK" | "INITIAL-END" | "ERROR"
  readonly at: number
  readonly revision: number
  readonly key: Key
  readonly stored?: Stored
}

export interface Watch {
  readonly name: string
  readonly selection: Selection
  /** The revision after which it began, or how it got the state it began with. */
  readonly start: number | "state" | "state with an end mark"
  readonly invoked: number
  readonly seen: readonly Seen[]
  /** Its connection ended and nobody went on: it may lack what came last. */
  readonly cut: boolean
}

export interface History {
  readonly operations: readonly Operation[]
  readonly watches: readonly Watch[]
}

export const isSelected = (selection: Selection, key: Key, stored: Stored | undefined): boolean => {
  const [collection, namespace, name] = key.split("/")
  if (stored === undefined || collection !== selection.collection) return false
  if (selection.namespace !== undefined && selection.namespace !== namespace) return false
  if (selection.name !== undefined && selection.name !== name) return false
  const { team } = selection
  return team === undefined || (stored.team === team.value) === team.is
}

export const isSame = (a: Stored | undefined, b: Stored | undefined): boolean => {
  if (a === undefined || b === undefined) return a === b
  return a.revision === b.revision && a.uid === b.uid && isSameContent(a, b)
}

export const isSameContent = (
  a: Pick<Stored, "data" | "team" | "owner">,
  b: Pick<Stored, "data" | "team" | "owner">,
): boolean => {
  const keys = Object.keys(a.data)
  if (a.team !== b.team || a.owner !== b.owner) return false
  if (keys.length !== Object.keys(b.data).length) return false
  return keys.every((key) => a.data[key] === b.data[key])
}

export const describeStored = (stored: Stored | undefined): string =>
  stored === undefined
    ? "nothing"
    : `${JSON.stringify(stored.data)} of ${stored.team ?? "no team"} at ${stored.revision}`
