// A document seen through its schema: only declared members, under the names a rule writes, each
// as the type that the schema gives it. Nothing is copied until it is read.

import { MapView } from "./cel-map-view.ts"
import { CelOpaque, makeBytes, makeDuration, makeTimestamp } from "./cel-opaque.ts"
import { CelStop } from "./cel-run.ts"
import {
  fieldOf,
  type ListShape,
  type MapShape,
  type ObjectShape,
  type Shape,
} from "./cel-shape.ts"
import { parseDuration, parseTimestamp } from "./cel-time.ts"
import { type CelValue, type ListMark, lift, makeList } from "./cel-value.ts"

type Raw = Readonly<Record<string, unknown>>

class TypedMap extends MapView {
  readonly #raw: Raw
  readonly #shape: ObjectShape | MapShape

  constructor(raw: Raw, shape: ObjectShape | MapShape) {
    super()
    this.#raw = raw
    this.#shape = shape
  }

  get(key: CelValue): CelValue | undefined {
    if (typeof key !== "string") return undefined
    const shape = this.#shape
    const field = shape.kind === "object" ? fieldOf(shape, key) : { name: key, shape: shape.value }
    if (field === undefined || !Object.hasOwn(this.#raw, field.name)) return undefined
    const member = this.#raw[field.name]
    return member === undefined ? undefined : liftTyped(member, field.shape)
  }

  names(): string[] {
    const [raw, shape] = [this.#raw, this.#shape]
    if (shape.kind === "map") return Object.keys(raw).filter((name) => raw[name] !== undefined)
    const names: string[] = []
    for (const [escaped, { name }] of shape.fields) {
      if (Object.hasOwn(raw, name) && raw[name] !== undefined) names.push(escaped)
    }
    return names
  }
}

/** Lists are lifted once per document: rules that nest would do it for every item otherwise. */
const lifted = new WeakMap<readonly unknown[], readonly unknown[]>()

export function liftTyped(raw: unknown, shape: Shape): CelValue {
  if (raw === null || raw === undefined) return null
  switch (shape.kind) {
    case "int":
      return typeof raw === "number" && Number.isSafeInteger(raw) ? BigInt(raw) : lift(raw)
    case "double":
      return typeof raw === "bigint" ? Number(raw) : (raw as number)
    case "bytes":
      return typeof raw === "string" ? makeBytes(Buffer.from(raw, "base64")) : lift(raw)
    case "timestamp":
      return typeof raw === "string" ? makeTimestamp(timeOf(raw, parseTimestamp)) : lift(raw)
    case "duration":
      return typeof raw === "string" ? makeDuration(timeOf(raw, parseDuration)) : lift(raw)
    case "list":
      return Array.isArray(raw) ? liftList(raw, shape) : lift(raw)
    case "map":
    case "object":
      return isPlain(raw) ? new TypedMap(raw, shape) : lift(raw)
    default:
      return lift(raw)
  }
}

const isPlain = (raw: unknown): raw is Raw =>
  typeof raw === "object" && raw !== null && !(raw instanceof CelOpaque)

function timeOf(raw: string, parse: (text: string) => bigint | undefined): bigint {
  const nanos = parse(raw)
  if (nanos === undefined) throw new CelStop("the text is no time", 0)
  return nanos
}

function liftList(raw: readonly unknown[], shape: ListShape): readonly unknown[] {
  const before = lifted.get(raw)
  if (before !== undefined) return before
  const { listType, keys = [] } = shape
  const mark: ListMark | undefined = listType === undefined ? undefined : { listType, keys }
  const list = makeList(
    raw.map((item) => liftTyped(item, shape.item)),
    mark,
  )
  lifted.set(raw, list)
  return list
}
