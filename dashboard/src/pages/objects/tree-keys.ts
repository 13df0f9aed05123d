// What a key means in a tree, as people know it from every other one. Pure.

import type { TreeLine } from "./object-tree.ts"

export type TreeMove =
  | { readonly kind: "go"; readonly to: number }
  | { readonly kind: "toggle"; readonly open: boolean }
  | { readonly kind: "open" }

export function treeMove(
  key: string,
  lines: readonly TreeLine[],
  at: number,
  page: number,
): TreeMove | undefined {
  const go = (to: number): TreeMove => {
    return { kind: "go", to: Math.max(0, Math.min(lines.length - 1, to)) }
  }
  switch (key) {
    case "ArrowDown":
      return go(at + 1)
    case "ArrowUp":
      return go(at - 1)
    case "PageDown":
      return go(at + page)
    case "PageUp":
      return go(at - page)
    case "Home":
      return go(0)
    case "End":
      return go(lines.length - 1)
    case "ArrowRight":
      return inwards(lines, at)
    case "ArrowLeft":
      return outwards(lines, at)
    case "Enter":
      return { kind: "open" }
    default:
      return undefined
  }
}

function inwards(lines: readonly TreeLine[], at: number): TreeMove | undefined {
  const open = lines[at]?.open
  if (open === undefined) return undefined
  return open ? { kind: "go", to: at + 1 } : { kind: "toggle", open: true }
}

function outwards(lines: readonly TreeLine[], at: number): TreeMove | undefined {
  if (lines[at]?.open === true) return { kind: "toggle", open: false }
  const parent = parentOf(lines, at)
  return parent < 0 ? undefined : { kind: "go", to: parent }
}

/** The nearest line above that is one level up; -1 at the top. */
function parentOf(lines: readonly TreeLine[], at: number): number {
  const level = lines[at]?.level ?? 1
  for (let index = at - 1; index >= 0; index--) {
    if ((lines[index]?.level ?? 0) < level) return index
  }
  return -1
}
