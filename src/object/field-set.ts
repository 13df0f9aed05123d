// An immutable set of field paths, kept as a trie: each node says whether the path that leads to it
// is a member, and what lies below. FieldsV1 is its wire form. Operations return one of their
// operands when the result equals it, so that unchanged ownership stays the same reference.

import { isObject, type Json, type JsonObject } from "../base/json.ts"
import { objectFault } from "./faults.ts"
import {
  compareElementKeys,
  elementKey,
  type FieldPath,
  type PathElement,
  parseElementKey,
} from "./field-path.ts"

export interface Branch {
  readonly element: PathElement
  readonly set: FieldSet
}

type Branches = ReadonlyMap<string, Branch>

const depthMax = 128
const noBranches: Branches = new Map()

export class FieldSet {
  /** The path that leads to this node is a member itself. */
  readonly member: boolean
  /** What lies below, by FieldsV1 key. Never holds an empty set. */
  readonly branches: Branches

  private constructor(member: boolean, branches: Branches) {
    this.member = member
    this.branches = branches
  }

  static make(member: boolean, branches: Branches): FieldSet {
    if (branches.size > 0) return new FieldSet(member, branches)
    return member ? FieldSet.leaf : FieldSet.empty
  }

  static readonly empty = new FieldSet(false, noBranches)
  /** Just the path itself. */
  static readonly leaf = new FieldSet(true, noBranches)

  static of(...paths: readonly FieldPath[]): FieldSet {
    const builder = new FieldSetBuilder()
    for (const path of paths) builder.insert(path)
    return builder.build()
  }

  get isEmpty(): boolean {
    return !this.member && this.branches.size === 0
  }

  has(path: FieldPath): boolean {
    return this.at(path)?.member === true
  }

  /** The set below a path, or undefined when nothing is there. */
  at(path: FieldPath): FieldSet | undefined {
    let set: FieldSet | undefined = this
    for (const element of path) set = set?.branches.get(elementKey(element))?.set
    return set
  }

  below(key: string): FieldSet {
    return this.branches.get(key)?.set ?? FieldSet.empty
  }

  union(other: FieldSet): FieldSet {
    if (other === this || other.isEmpty) return this
    if (this.isEmpty) return other
    const branches = new Map(this.branches)
    let changed = other.member && !this.member
    for (const [key, theirs] of other.branches) {
      const ours = branches.get(key)
      const set = ours === undefined ? theirs.set : ours.set.union(theirs.set)
      if (set === ours?.set) continue
      branches.set(key, { element: theirs.element, set })
      changed = true
    }
    return changed ? FieldSet.make(this.member || other.member, branches) : this
  }

  /** Without the members of the other set; what lies below them stays. */
  difference(other: FieldSet): FieldSet {
    return this.#without(other, false)
  }

  /** Without the members of the other set and everything below them. */
  differenceDeep(other: FieldSet): FieldSet {
    return this.#without(other, true)
  }

  #without(other: FieldSet, deep: boolean): FieldSet {
    if (other.isEmpty || this.isEmpty) return this
    if (other.member && deep) return FieldSet.empty
    const branches = new Map(this.branches)
    let changed = this.member && other.member
    for (const [key, { element, set }] of this.branches) {
      const left = set.#without(other.below(key), deep)
      if (left === set) continue
      if (left.isEmpty) branches.delete(key)
      else branches.set(key, { element, set: left })
      changed = true
    }
    return changed ? FieldSet.make(this.member && !other.member, branches) : this
  }

  intersection(other: FieldSet): FieldSet {
    if (other === this || this.isEmpty) return this
    const branches = new Map<string, Branch>()
    let changed = this.member && !other.member
    for (const [key, { element, set }] of this.branches) {
      const both = set.intersection(other.below(key))
      if (both !== set) changed = true
      if (!both.isEmpty) branches.set(key, { element, set: both })
    }
    return changed ? FieldSet.make(this.member && other.member, branches) : this
  }

  equals(other: FieldSet): boolean {
    if (this === other) return true
    if (this.member !== other.member || this.branches.size !== other.branches.size) return false
    for (const [key, { set }] of this.branches) if (!set.equals(other.below(key))) return false
    return true
  }

  /** Every member, parents before what lies below them. */
  *paths(prefix: FieldPath = []): Generator<FieldPath> {
    if (this.member) yield prefix
    for (const { element, set } of this.#sorted()) yield* set.paths([...prefix, element])
  }

  /** The members that have no member below them. */
  *leaves(prefix: FieldPath = []): Generator<FieldPath> {
    if (this.member && this.branches.size === 0) yield prefix
    for (const { element, set } of this.#sorted()) yield* set.leaves([...prefix, element])
  }

  *#sorted(): Generator<Branch> {
    const keys = [...this.branches.keys()].sort(compareElementKeys)
    for (const key of keys) {
      const branch = this.branches.get(key)
      if (branch !== undefined) yield branch
    }
  }

  toFieldsV1(): JsonObject {
    const fields: Record<string, Json> = {}
    if (this.member && this.branches.size > 0) fields["."] = {}
    for (const { element, set } of this.#sorted()) fields[elementKey(element)] = set.toFieldsV1()
    return fields
  }

  /** Throws SPT-OBJECT-001 when it is not FieldsV1. */
  static fromFieldsV1(fields: JsonObject, depth = 0): FieldSet {
    if (depth > depthMax) {
      throw objectFault("SPT-OBJECT-001", { cause: `nested deeper than ${depthMax} levels` })
    }
    const branches = new Map<string, Branch>()
    let members = 0
    for (const key of Object.keys(fields)) {
      const below = fields[key]
      if (below === undefined) continue
      if (!isObject(below)) {
        throw objectFault("SPT-OBJECT-001", { cause: `"${key.slice(0, 80)}" holds no object` })
      }
      members++
      if (key === ".") continue
      const element = parseElementKey(key)
      branches.set(elementKey(element), { element, set: FieldSet.fromFieldsV1(below, depth + 1) })
    }
    // An empty object below the top means the path itself; "." says it where there is more.
    const member = depth > 0 && (members === 0 || Object.hasOwn(fields, "."))
    return FieldSet.make(member, branches)
  }
}

interface Draft {
  member: boolean
  readonly below: Map<string, { readonly element: PathElement; readonly draft: Draft }>
}

/** Collects paths one by one; a set made by unions would copy each level each time. */
export class FieldSetBuilder {
  readonly #root: Draft = { member: false, below: new Map() }

  insert(path: FieldPath): void {
    let draft = this.#root
    for (const element of path) {
      const key = elementKey(element)
      let next = draft.below.get(key)
      if (next === undefined) {
        next = { element, draft: { member: false, below: new Map() } }
        draft.below.set(key, next)
      }
      draft = next.draft
    }
    draft.member = true
  }

  build(): FieldSet {
    return finish(this.#root)
  }
}

function finish(draft: Draft): FieldSet {
  const branches = new Map<string, Branch>()
  for (const [key, { element, draft: below }] of draft.below) {
    branches.set(key, { element, set: finish(below) })
  }
  return FieldSet.make(draft.member, branches)
}
