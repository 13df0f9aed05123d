// Where the boxes of a small picture of ties go: what comes first stands left, so owners left of
// what they own, and what gives values left of what takes them. Circles are cut where they close.
// Pure.

import type { Relation, RelationNode, Relations } from "./object-view.ts"

export interface PlacedNode {
  readonly node: RelationNode
  readonly x: number
  readonly y: number
}

export interface PlacedEdge {
  readonly relation: Relation
  readonly path: string
}

export interface Layout {
  readonly nodes: readonly PlacedNode[]
  readonly edges: readonly PlacedEdge[]
  readonly width: number
  readonly height: number
}

export const box = { width: 190, height: 44 } as const
const gap = { x: 84, y: 16 } as const
const margin = 8

/** From what comes first to what comes after it. */
const ends = ({ kind, from, to }: Relation) =>
  (kind === "owns" ? [from, to] : [to, from]) as [string, string]

export function layOut({ nodes, relations }: Relations): Layout {
  const layers = layersOf(nodes, relations)
  const tallest = Math.max(1, ...layers.map((layer) => layer.length))
  const places = new Map<string, PlacedNode>()
  for (const [column, layer] of layers.entries()) {
    const spare = ((tallest - layer.length) * (box.height + gap.y)) / 2
    for (const [row, node] of layer.entries()) {
      const x = margin + column * (box.width + gap.x)
      const y = margin + spare + row * (box.height + gap.y)
      places.set(node.key, { node, x, y })
    }
  }
  const edges = relations.flatMap((relation) => {
    const [first, then] = ends(relation).map((key) => places.get(key))
    if (first === undefined || then === undefined) return []
    return [{ relation, path: curve(first, then) }]
  })
  return {
    nodes: [...places.values()],
    edges,
    width: 2 * margin + layers.length * (box.width + gap.x) - gap.x,
    height: 2 * margin + tallest * (box.height + gap.y) - gap.y,
  }
}

function curve(first: PlacedNode, then: PlacedNode): string {
  const [x1, y1] = [first.x + box.width, first.y + box.height / 2]
  const [x2, y2] = [then.x, then.y + box.height / 2]
  const bend = Math.max(30, Math.abs(x2 - x1) / 2)
  return `M${x1} ${y1}C${x1 + bend} ${y1} ${x2 - bend} ${y2} ${x2 - 6} ${y2}`
}

/** As far right as the longest way to it. */
function layersOf(nodes: readonly RelationNode[], relations: readonly Relation[]) {
  const before = new Map<string, string[]>()
  for (const relation of relations) {
    const [first, then] = ends(relation)
    before.set(then, [...(before.get(then) ?? []), first])
  }
  const depths = new Map<string, number>()
  const open = new Set<string>()
  const depthOf = (key: string): number => {
    const known = depths.get(key)
    if (known !== undefined || open.has(key)) return known ?? 0
    open.add(key)
    const depth = Math.max(-1, ...(before.get(key) ?? []).map(depthOf)) + 1
    open.delete(key)
    depths.set(key, depth)
    return depth
  }
  const layers: RelationNode[][] = []
  for (const node of [...nodes].sort((one, other) => (one.key < other.key ? -1 : 1))) {
    const depth = depthOf(node.key)
    layers[depth] = [...(layers[depth] ?? []), node]
  }
  return [...layers].map((layer) => layer ?? [])
}
