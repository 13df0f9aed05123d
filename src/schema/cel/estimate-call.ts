// What one call can cost at most, and how large its answer can be, counted as Kubernetes does: a
// tenth of a unit for each character read, a unit for each item.

import type { Shape } from "./cel-shape.ts"

export interface CallEstimate {
  readonly cost: number
  readonly max?: number
}

const perCharacter = 0.1
const perPatternCharacter = 0.25
const sizeCap = Number.MAX_SAFE_INTEGER

const unbounded: ReadonlySet<string> = new Set(["string", "bytes", "list", "map", "dyn"])

const sizeOf = (shape: Shape | undefined): number => {
  if (shape === undefined) return 0
  if (shape.kind === "optional") return sizeOf(shape.of)
  return shape.max ?? (unbounded.has(shape.kind) ? sizeCap : 1)
}

const reading = (size: number): number => Math.ceil(size * perCharacter)

const itemOf = (shape: Shape | undefined): Shape | undefined =>
  shape?.kind === "list" ? shape.item : undefined

/** Reads its text once and answers with one no longer. */
const readers: ReadonlySet<string> = new Set(
  [
    ".lowerAscii .upperAscii .trim .charAt .substring .reverse .indexOf .lastIndexOf .format",
    "strings.quote bytes url isURL quantity isQuantity ip isIP cidr isCIDR semver isSemver",
  ].flatMap((line) => line.split(" ").map((name) => name)),
)

const comparisons: ReadonlySet<string> = new Set(["_==_", "_!=_", "_<_", "_<=_", "_>_", "_>=_"])

export function estimateCall(name: string, shapes: readonly Shape[]): CallEstimate {
  const [first, second] = shapes
  const [left, right] = [sizeOf(first), sizeOf(second)]
  if (comparisons.has(name)) return { cost: Math.max(1, reading(Math.min(left, right))) }
  if (first?.kind === "list" && name.startsWith(".")) return estimateList(name, shapes)
  switch (name) {
    case "_+_":
      if (first?.kind === "list") return { cost: 1, max: left + right }
      if (first?.kind === "int" || first?.kind === "double") return { cost: 1 }
      return { cost: Math.max(1, reading(left + right)), max: left + right }
    case "_[_]":
      return { cost: 1 }
    case "dyn":
      return { cost: 1, max: left }
    case "@in":
      return { cost: second?.kind === "map" ? 1 : right }
    case ".startsWith":
    case ".endsWith":
      return { cost: reading(right) }
    case ".contains":
      return { cost: reading(left) * reading(right) }
    case ".matches":
    case ".find":
    case ".findAll":
    case "matches":
      return { cost: reading(left + 1) * Math.ceil(right * perPatternCharacter), max: left }
    case ".split":
      return { cost: reading(left), max: left }
    case ".replace":
      return { cost: reading(left), max: left * Math.max(1, sizeOf(shapes[2])) }
    case "sets.contains":
    case "sets.equivalent":
    case "sets.intersects":
      return { cost: left * right }
    case ".validate":
      return { cost: reading(right) }
    default:
      return readers.has(name) ? { cost: Math.max(1, reading(left)), max: left } : { cost: 1 }
  }
}

function estimateList(name: string, [list, other]: readonly Shape[]): CallEstimate {
  const size = sizeOf(list)
  const item = itemOf(list)
  const one = item?.kind === "string" || item?.kind === "bytes" ? reading(sizeOf(item)) : 1
  switch (name) {
    case ".join": {
      const length = size * (sizeOf(item) + sizeOf(other))
      return { cost: reading(length), max: length }
    }
    case ".size":
    case ".first":
    case ".last":
      return { cost: 1 }
    case ".sort":
      return { cost: size * one * Math.ceil(Math.log2(size + 2)), max: size }
    case ".distinct":
      return { cost: size * size * one, max: size }
    case ".reverse":
    case ".slice":
      return { cost: size, max: size }
    default:
      return { cost: Math.max(1, size * one) }
  }
}
