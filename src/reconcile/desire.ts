// What an object asks for: its spec after defaults, with references filled in and without the
// fields that are meant for the engine.

import type { Json, JsonObject } from "../base/json.ts"
import { jsonText } from "../base/json-text.ts"
import type { Desire, KindProvider, Reference } from "../contract/provider.ts"
import type { ApiObject } from "../object/object.ts"

/** The value of a field of another object, now. */
export type Lookup = (reference: Reference, namespace: string) => Promise<Json | undefined>

export async function desire(
  object: ApiObject,
  kind: KindProvider,
  lookup: Lookup,
): Promise<Desire> {
  const spec = object.spec ?? {}
  const first = desireNow(spec, kind, () => undefined)
  if (first.missing.length === 0) return first
  const namespace = object.metadata.namespace ?? ""
  const values = new Map<string, Json | undefined>()
  for (const reference of first.missing) {
    values.set(jsonText(reference), await lookup(reference, namespace))
  }
  return desireNow(spec, kind, (reference) => values.get(jsonText(reference)))
}

function desireNow(
  spec: JsonObject,
  kind: KindProvider,
  lookup: (reference: Reference) => Json | undefined,
): Desire {
  if (kind.desire !== undefined) return kind.desire(spec, lookup)
  const { adopt: _, ...desired } = spec
  return { desired, missing: [] }
}

/** The manifest itself allows to take charge of what exists. */
export function declaresAdoption(object: ApiObject): boolean {
  return object.spec?.adopt === true
}
