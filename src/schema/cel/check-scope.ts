// What the parts of the checker hand to each other.

import type { CelNode } from "./cel-library.ts"
import type { Shape } from "./cel-shape.ts"

export interface Checked {
  readonly shape: Shape
  /** The most it can cost, counted as Kubernetes does. */
  readonly cost: number
}

/** Names in scope, the innermost first. */
export interface CheckScope {
  readonly name: string
  readonly shape: Shape
  readonly outer: CheckScope | undefined
}

export type Check = (node: CelNode, scope: CheckScope | undefined) => Checked

const unbounded: ReadonlySet<string> = new Set(["string", "bytes", "list", "map", "dyn"])

/** How many characters or items a value has at most. */
export const maxOf = (shape: Shape): number =>
  shape.max ?? (unbounded.has(shape.kind) ? Number.MAX_SAFE_INTEGER : 1)
