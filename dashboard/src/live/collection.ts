// A collection of objects as it stands, kept up to date: what came is gathered and shown at most
// once per frame, however many changes there are. Bounded: what is over the bound is counted, not
// kept.

import { type Signal, signal } from "@preact/signals"
import type { RequestFault } from "./fault.ts"

export interface Meta {
  readonly name: string
  readonly namespace?: string
  readonly uid?: string
  readonly resourceVersion?: string
  readonly generation?: number
  readonly creationTimestamp?: string
  readonly deletionTimestamp?: string
  readonly labels?: Readonly<Record<string, string>>
  readonly annotations?: Readonly<Record<string, string>>
  readonly ownerReferences?: readonly { kind: string; name: string; uid: string }[]
}

export interface KubeObject {
  readonly apiVersion?: string
  readonly kind?: string
  readonly metadata: Meta
  readonly spec?: Readonly<Record<string, unknown>>
  readonly status?: Readonly<Record<string, unknown>>
}

export interface CollectionState {
  /** "stale": what is shown was true once, and is being asked for again. */
  readonly phase: "loading" | "live" | "polled" | "stale"
  readonly fault?: RequestFault
  /** There are more than are kept. */
  readonly truncated: boolean
}

export const itemsMax = 50_000

export const keyOf = ({ metadata }: KubeObject): string =>
  `${metadata.namespace ?? ""}/${metadata.name}`

export class Collection {
  /** By "NAMESPACE/NAME"; read it after `version`. */
  readonly items = new Map<string, KubeObject>()
  /** Grows with every frame in which something changed. */
  readonly version: Signal<number> = signal(0)
  readonly state: Signal<CollectionState> = signal({ phase: "loading", truncated: false })
  readonly #pending = new Map<string, KubeObject | undefined>()
  #scheduled = false

  /** What is there now, in the order of its keys; counts as a look at it. */
  list(): KubeObject[] {
    void this.version.value
    return [...this.items.values()]
  }

  put(object: KubeObject): void {
    this.#pending.set(keyOf(object), object)
    this.#schedule()
  }

  remove(object: KubeObject): void {
    this.#pending.set(keyOf(object), undefined)
    this.#schedule()
  }

  /** A whole new list: what is not in it is gone. */
  replace(objects: readonly KubeObject[]): void {
    const seen = new Set(objects.map(keyOf))
    this.#pending.clear()
    for (const key of this.items.keys()) if (!seen.has(key)) this.#pending.set(key, undefined)
    for (const object of objects) this.#pending.set(keyOf(object), object)
    this.#flush()
  }

  tell(state: Partial<CollectionState> & Pick<CollectionState, "phase">): void {
    const { truncated } = this.state.peek()
    this.state.value = { truncated, ...state }
  }

  #schedule(): void {
    if (this.#scheduled) return
    this.#scheduled = true
    // A hidden page gets no frames, and would gather without end.
    if (document.hidden) setTimeout(() => this.#flush(), 250)
    else requestAnimationFrame(() => this.#flush())
  }

  #flush(): void {
    this.#scheduled = false
    if (this.#pending.size === 0) return
    let truncated = this.state.peek().truncated
    for (const [key, object] of this.#pending) {
      if (object === undefined) this.items.delete(key)
      else if (this.items.size < itemsMax || this.items.has(key)) this.items.set(key, object)
      else truncated = true
    }
    this.#pending.clear()
    if (truncated !== this.state.peek().truncated) {
      this.state.value = { ...this.state.peek(), truncated }
    }
    this.version.value = this.version.peek() + 1
  }
}
