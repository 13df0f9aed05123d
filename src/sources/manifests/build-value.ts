// From a composed YAML document to a plain JSON value plus one offset per value. The offsets are
// kept flat, in the order in which the built value is walked, so that a path of a schema error can
// be mapped back to its place without keeping the syntax tree. Refuses what JSON can't hold.

import type { Pair, ParsedNode, Scalar } from "yaml"
import { forbiddenKeys, isArray, isObject, type Json } from "../../base/json.ts"
import { fromBigInt } from "../../base/json-text.ts"
import { yamlLibrary } from "../../base/yaml-library.ts"
import type { Position, SourceIssue } from "../../contract/source.ts"
import { sourceIssue } from "./issue.ts"
import type { ManifestLimits } from "./limits.ts"
import type { LineIndex } from "./line-index.ts"

export interface PlacedValue {
  readonly value: Json
  locate(path: readonly (string | number)[]): Position
}

type Node = ParsedNode | null
type Member = Pair<ParsedNode, ParsedNode | null>

/** Builds the documents of one file; the bound on values counts over all of them. */
export class ValueBuilder {
  readonly issues: SourceIssue[] = []
  readonly #file: string
  readonly #lines: LineIndex
  readonly #limits: ManifestLimits
  readonly #yaml = yamlLibrary()
  #offsets: number[] = []
  #nodes = 0
  #full = false

  constructor(file: string, lines: LineIndex, limits: ManifestLimits) {
    this.#file = file
    this.#lines = lines
    this.#limits = limits
  }

  build(root: ParsedNode): PlacedValue {
    this.#offsets = []
    const value = this.#node(root, root.range[0], 1)
    return placeValue(value, this.#offsets, () => this.#lines)
  }

  #issue(code: Parameters<typeof sourceIssue>[0], offset: number, details: object = {}): Json {
    const all = { file: this.#file, ...details }
    this.issues.push(sourceIssue(code, all, this.#lines.at(offset)))
    if (this.issues.length > this.#limits.issues) this.#full = true
    return null
  }

  #node(node: Node, offset: number, depth: number): Json {
    const { isMap, isScalar, isSeq } = this.#yaml
    this.#offsets.push(offset)
    this.#nodes++
    if (this.#full) return null
    if (this.#nodes > this.#limits.nodesPerFile) {
      this.#full = true
      return this.#issue("SPT-SOURCE-005", offset, { limit: this.#limits.nodesPerFile })
    }
    if (node === null) return null
    if (depth > this.#limits.depth && !isScalar(node)) {
      return this.#issue("SPT-SOURCE-004", offset, { limit: this.#limits.depth })
    }
    if (isMap(node)) return this.#map(node.items as Member[], depth)
    if (isSeq(node)) {
      const items = node.items as ParsedNode[]
      return items.map((item) => this.#node(item, item.range[0], depth + 1))
    }
    if (isScalar(node)) return this.#scalar(node, offset)
    return this.#issue("SPT-SOURCE-007", offset, { what: "an alias" })
  }

  #map(pairs: readonly Member[], depth: number): Json {
    const members = new Map<string, Member>()
    const value: Record<string, Json> = {}
    for (const pair of pairs) {
      if (this.#full) break
      const key = this.#key(pair, members)
      if (key === undefined) continue
      members.set(key, pair)
      value[key] = null
    }
    // In the order of the built value, which moves integer-like keys to the front.
    for (const key of Object.keys(value)) {
      const pair = members.get(key)
      const node = pair?.value ?? null
      const written = node !== null && node.range[0] < node.range[1]
      const offset = written ? node.range[0] : (pair?.key.range[0] ?? 0)
      value[key] = this.#node(node, offset, depth + 1)
    }
    return value
  }

  #key(pair: Member, members: ReadonlyMap<string, Member>): string | undefined {
    const offset = pair.key.range[0]
    if (!this.#yaml.isScalar(pair.key) || typeof pair.key.value !== "string") {
      this.#issue("SPT-SOURCE-014", offset)
      return undefined
    }
    const key = pair.key.value
    const empty = pair.key.range[0] === pair.key.range[1]
    const first = members.get(key)
    if (empty) this.#issue("SPT-SOURCE-014", offset)
    else if (first !== undefined) {
      const at = this.#lines.at(first.key.range[0])
      this.#issue("SPT-SOURCE-010", offset, { key, first: `${at.line}:${at.column}` })
    } else if (forbiddenKeys.has(key)) this.#issue("SPT-SOURCE-011", offset, { key })
    else if (key === "<<" && pair.key.type === "PLAIN") this.#issue("SPT-SOURCE-009", offset)
    else return key
    return undefined
  }

  #scalar(node: Scalar, offset: number): Json {
    const { value, source = "" } = node
    const plain = node.type === "PLAIN"
    if (typeof value === "string" || typeof value === "boolean" || value === null) return value
    if (typeof value !== "bigint" && typeof value !== "number") {
      return this.#issue("SPT-SOURCE-017", offset, { what: "no JSON value" })
    }
    if (plain && /^[-+]?0[0-9]/.test(source)) {
      return this.#issue("SPT-SOURCE-013", offset)
    }
    const kept = typeof value === "bigint" ? value >= int64Min && value <= uint64Max : isKept(value)
    if (!kept) return this.#issue("SPT-SOURCE-012", offset)
    return typeof value === "bigint" ? fromBigInt(value) : value
  }
}

const int64Min = -(2n ** 63n)
const uint64Max = 2n ** 64n - 1n

const isKept = (value: number): boolean =>
  Number.isFinite(value) && (!Number.isInteger(value) || Number.isSafeInteger(value))

/** Offsets are those of a depth-first walk; lines are asked for only when a place is. */
export function placeValue(
  value: Json,
  offsets: readonly number[],
  lines: () => LineIndex,
): PlacedValue {
  const kept = Uint32Array.from(offsets)
  return { value, locate: (path) => lines().at(kept[walkIndex(value, path)] ?? kept[0] ?? 0) }
}

/** The number of the value at a path when walked depth first; the deepest that exists. */
function walkIndex(root: Json, path: readonly (string | number)[]): number {
  let index = 0
  let current: Json | undefined = root
  for (const step of path) {
    const names: readonly (string | number)[] = isArray(current)
      ? current.map((_, at) => at)
      : isObject(current)
        ? Object.keys(current)
        : []
    const wanted = isArray(current) ? Number(step) : String(step)
    if (!names.includes(wanted)) return index
    index++
    for (const name of names) {
      if (name === wanted) break
      index += countValues(child(current, name))
    }
    current = child(current, wanted)
  }
  return index
}

function child(value: Json | undefined, name: string | number): Json | undefined {
  if (isArray(value)) return value[Number(name)]
  return isObject(value) ? value[String(name)] : undefined
}

function countValues(value: Json | undefined): number {
  if (isArray(value)) return value.reduce<number>((sum, item) => sum + countValues(item), 1)
  if (!isObject(value)) return 1
  return Object.values(value).reduce<number>((sum, item) => sum + countValues(item), 1)
}
