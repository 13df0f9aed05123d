// The three lanes of the queue and the order between them. A higher lane goes first, but a lane
// that was passed over too often in a row gets its turn, so that a busy lane starves none.

import { type Linked, LinkedList } from "./linked-list.ts"

/** high = an edge or a person, normal, low = the level trigger's resync. */
export type Priority = "high" | "normal" | "low"

const rank: Readonly<Record<Priority, number>> = { high: 0, normal: 1, low: 2 }

/** How often a lane with work may be passed over in a row before it is served. */
export const passesMax: Readonly<Record<Priority, number>> = { high: 2, normal: 8, low: 16 }

export function isHigher(left: Priority, right: Priority): boolean {
  return rank[left] < rank[right]
}

interface Lane<N extends Linked<N>> {
  readonly priority: Priority
  readonly nodes: LinkedList<N>
  passes: number
}

export class Lanes<N extends Linked<N>> {
  readonly #lanes: readonly Lane<N>[] = (["high", "normal", "low"] as const).map((priority) => ({
    priority,
    nodes: new LinkedList<N>(),
    passes: 0,
  }))

  append(node: N, priority: Priority): void {
    this.#lanes[rank[priority]]?.nodes.append(node)
  }

  remove(node: N, priority: Priority): void {
    this.#lanes[rank[priority]]?.nodes.remove(node)
  }

  takeNext(): N | undefined {
    const lane = this.#nextLane()
    const node = lane?.nodes.first
    if (lane === undefined || node === undefined) return undefined
    lane.nodes.remove(node)
    for (const other of this.#lanes) {
      if (other === lane || other.nodes.length === 0) other.passes = 0
      else other.passes++
    }
    return node
  }

  clear(): void {
    for (const lane of this.#lanes) {
      lane.nodes.clear()
      lane.passes = 0
    }
  }

  #nextLane(): Lane<N> | undefined {
    let next: Lane<N> | undefined
    for (const lane of this.#lanes) {
      if (lane.nodes.length === 0) continue
      if (lane.passes >= passesMax[lane.priority]) return lane
      next ??= lane
    }
    return next
  }
}
