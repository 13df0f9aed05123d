// Every field of one object with its three sides: what is declared, what we last applied, what is
// there; how they were judged, who set it and where its value comes from. Secrets are left out,
// long values are said by their hash, and there are only so many.

import { compactValue, isHashedValue } from "../base/hash.ts"
import { equalJson, isArray, isObject, type Json, type JsonObject } from "../base/json.ts"
import { jsonText } from "../base/json-text.ts"
import type { FieldChange, FieldJudgement } from "../contract/action.ts"
import type { TargetRecord } from "../contract/record.ts"
import { elementKey, type FieldPath, pathText } from "../object/field-path.ts"
import type { ApiObject } from "../object/object.ts"
import type { FoundReference } from "../reconcile/desire.ts"
import type { KindRuntime } from "../reconcile/kind-runtime.ts"
import { hideSecrets, hideUnhidden, type SecretHasher } from "../reconcile/secrets.ts"
import type { SchemaNode } from "../schema/schema-node.ts"
import { noParts, type Parts, partsOf } from "../schema/typed-value.ts"

const rowsMax = 500
const plainMax = 65_536
const textMax = 1_048_576

export interface FieldRow {
  readonly path: string
  /** `own`: the target has it by itself, and nobody declares it. */
  readonly why: FieldJudgement | "same" | "own"
  readonly declared?: Json
  readonly applied?: Json
  readonly observed?: Json
  /** Who set it in the spec. */
  readonly managers?: readonly string[]
  /** The object and field that its value is taken from. */
  readonly from?: string
}

export interface FieldsInput {
  readonly object: ApiObject
  readonly kind: KindRuntime
  readonly desired: JsonObject
  readonly record: TargetRecord | undefined
  /** Undefined when the target is absent, or nobody knows. */
  readonly observed: JsonObject | undefined
  readonly changes: readonly FieldChange[]
  readonly references: readonly FoundReference[]
  readonly hasher: SecretHasher
}

interface Walk {
  readonly rows: FieldRow[]
  readonly changes: ReadonlyMap<string, FieldChange>
  readonly from: ReadonlyMap<string, string>
  readonly managers: readonly (readonly [string, JsonObject])[]
  room: number
}

type Side = Json | undefined

export function fieldRows(input: FieldsInput): { rows: readonly FieldRow[]; cut: boolean } {
  const { kind, record, hasher } = input
  const { provider, node } = kind
  const prepare = (value: JsonObject): JsonObject =>
    hideSecrets(provider.normalize?.(value) ?? value, provider.secretPaths, hasher)
  const walk: Walk = {
    rows: [],
    changes: new Map(input.changes.map((change) => [change.path, change])),
    from: new Map(input.references.flatMap(({ reference }) => fromText(reference))),
    managers: managersOf(input.object),
    room: textMax,
  }
  const applied = record?.applied && hideUnhidden(record.applied, provider.secretPaths, hasher)
  const observed = input.observed && prepare(input.observed)
  visit(walk, node, [], prepare(input.desired), applied, observed)
  const rows = walk.rows.slice(0, rowsMax)
  return { rows, cut: walk.rows.length > rows.length }
}

function visit(
  walk: Walk,
  node: SchemaNode,
  path: FieldPath,
  declared: Side,
  applied: Side,
  observed: Side,
): void {
  if (walk.rows.length > rowsMax) return
  const text = pathText(path)
  const sides = [declared, applied, observed]
  const present = sides.filter((side) => side !== undefined)
  const parts = present.map((side) => partsOf(node, side))
  const divides = parts.every((one) => one !== undefined && one.size > 0)
  if (walk.changes.has(text) || (path.length > 0 && !divides)) {
    if (present.length > 0) walk.rows.push(rowOf(walk, path, declared, applied, observed))
    return
  }
  const [wanted, former, found] = sides.map((side) => partsOf(node, side) ?? noParts)
  for (const part of union([wanted, former, found])) {
    const key = elementKey(part.element)
    const below = [...path, part.element]
    const partOf = (side: Parts | undefined) => side?.get(key)?.value
    visit(walk, part.node, below, partOf(wanted), partOf(former), partOf(found))
  }
}

function union(sides: readonly (Parts | undefined)[]) {
  const all = new Map(sides.flatMap((side) => [...(side ?? noParts)]))
  return all.values()
}

function rowOf(walk: Walk, path: FieldPath, declared: Side, applied: Side, observed: Side) {
  const text = pathText(path)
  const change = walk.changes.get(text)
  const own = declared === undefined && applied === undefined
  const managers = walk.managers.flatMap(([name, set]) => (sets(set, path) ? [name] : []))
  const from = walk.from.get(text)
  const row: FieldRow = {
    path: text,
    why: change?.why ?? (own ? "own" : "same"),
    ...side(walk, "declared", declared),
    ...side(walk, "applied", applied),
    ...side(walk, "observed", observed),
    ...(managers.length === 0 ? {} : { managers: [...new Set(managers)] }),
    ...(from === undefined ? {} : { from }),
  }
  return row
}

function side(walk: Walk, name: "declared" | "applied" | "observed", value: Side): JsonObject {
  if (value === undefined) return {}
  const shown = shownValue(value)
  const size = jsonText(shown).length
  if (size > walk.room) return { [name]: compactValue(textOf(shown)) ?? null }
  walk.room -= size
  return { [name]: shown }
}

/** What is very long is shown by its hash. */
function shownValue(value: Json): Json {
  const plain = withoutHidden(value)
  const text = textOf(plain)
  return text.length > plainMax ? (compactValue(text) ?? null) : plain
}

/** A secret is not shown, not even by its hash. */
function withoutHidden(value: Json): Json {
  if (isHashedValue(value)) {
    return value.$hash.startsWith("hmac:") ? { $secret: true } : { ...value }
  }
  if (isArray(value)) return value.map(withoutHidden)
  if (!isObject(value)) return value
  const members = Object.entries(value).map(([name, member]) => [
    name,
    withoutHidden(member ?? null),
  ])
  return Object.fromEntries(members)
}

const textOf = (value: Json): string => (typeof value === "string" ? value : jsonText(value))

function fromText({ kind, name, field, path }: FoundReference["reference"]): [string, string][] {
  return path === undefined ? [] : [[path, `${kind}/${name} ${field}`]]
}

function managersOf({ metadata }: ApiObject): (readonly [string, JsonObject])[] {
  return (metadata.managedFields ?? []).flatMap(({ manager, subresource, fieldsV1 }) => {
    const spec = fieldsV1["f:spec"]
    if (subresource !== undefined || !isObject(spec)) return []
    return [[manager, spec] as const]
  })
}

/** The field itself, something below it, or all of what it lies in. */
function sets(fields: JsonObject, path: FieldPath): boolean {
  let current = fields
  for (const element of path) {
    const below = current[elementKey(element)]
    if (!isObject(below)) return path.length > 1 && equalJson(current, {})
    current = below
  }
  return true
}
