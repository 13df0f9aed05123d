// What an object asks for: its spec after defaults, with references filled in and without the
// fields that are meant for the engine.

import type { Json, JsonObject } from "../base/json.ts"
import type { Desire, KindProvider, Reference } from "../contract/provider.ts"
import type { ApiObject } from "../object/object.ts"

export type Lookup = (reference: Reference, namespace: string) => Json | undefined

export function desire(object: ApiObject, kind: KindProvider, lookup: Lookup): Desire {
  const spec = object.spec ?? {}
  const namespace = object.metadata.namespace ?? ""
  if (kind.desire !== undefined) {
    return kind.desire(spec, (reference) => lookup(reference, namespace))
  }
  const { adopt: _, ...desired } = spec
  return { desired: desired as JsonObject, missing: [] }
}

/** The manifest itself allows to take charge of what exists. */
export function declaresAdoption(object: ApiObject): boolean {
  return object.spec?.adopt === true
}
