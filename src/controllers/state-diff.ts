// What differs between two declared states, object by object and field by field. The place in the
// source that an object came from is no difference. Pure.

import { equalJson, isObject, type Json, type JsonObject } from "../base/json.ts"
import type { Pin } from "../ledger/checkpoint-pages.ts"
import { parseKeyText, sourceAnnotation } from "../object/object.ts"

export interface FieldDifference {
  readonly path: string
  readonly before?: Json
  readonly after?: Json
}

export interface ObjectDifference {
  /** Text form of the key. */
  readonly object: string
  readonly kind: string
  readonly namespace: string
  readonly name: string
  readonly change: "added" | "removed" | "changed"
  readonly fields: readonly FieldDifference[]
}

export type State = ReadonlyMap<string, Pin>

export function stateOf(pins: Iterable<Pin | undefined>): State {
  const state = new Map<string, Pin>()
  for (const pin of pins) if (pin !== undefined) state.set(pin.key, pin)
  return state
}

/** From the one to the other, in the order of their keys. */
export function diffStates(before: State, after: State): ObjectDifference[] {
  const keys = [...new Set([...before.keys(), ...after.keys()])].sort()
  return keys.flatMap((key) => {
    const [left, right] = [before.get(key), after.get(key)]
    const kind = right?.kind ?? left?.kind ?? ""
    const { namespace, name } = parseKeyText(key)
    const fields = [...differences(shownOf(left), shownOf(right), "")]
    const change = left === undefined ? "added" : right === undefined ? "removed" : "changed"
    if (change === "changed" && fields.length === 0) return []
    return [{ object: key, kind, namespace, name, change, fields }]
  })
}

function shownOf(pin: Pin | undefined): JsonObject {
  if (pin === undefined) return {}
  const { annotations, ...metadata } = pin.metadata
  const { [sourceAnnotation]: _, ...others } = isObject(annotations) ? annotations : {}
  const kept = Object.keys(others).length === 0 ? metadata : { ...metadata, annotations: others }
  return Object.keys(kept).length === 0 ? pin.body : { ...pin.body, metadata: kept }
}

function* differences(
  before: Json | undefined,
  after: Json | undefined,
  path: string,
): Generator<FieldDifference> {
  if (equalJson(before, after)) return
  if (isObject(before ?? {}) && isObject(after ?? {}) && (isObject(before) || isObject(after))) {
    const from = isObject(before) ? before : {}
    const to = isObject(after) ? after : {}
    for (const name of new Set([...Object.keys(from), ...Object.keys(to)])) {
      yield* differences(from[name], to[name], stepped(path, name))
    }
    return
  }
  yield {
    path,
    ...(before === undefined ? {} : { before }),
    ...(after === undefined ? {} : { after }),
  }
}

function stepped(path: string, name: string): string {
  if (!/^[A-Za-z_][\w-]*$/.test(name)) return `${path}[${JSON.stringify(name)}]`
  return path === "" ? name : `${path}.${name}`
}
