// An object with a target carries a finalizer from its first moment until the target is gone or
// released; only the engine takes it away, so that nothing created is ever forgotten.

import type { Admission } from "../../contract/admission.ts"
import { type ApiObject, loopLabel, targetFinalizer } from "../../object/object.ts"
import type { HasProvider } from "./loop-label.ts"
import { isEngine } from "./source-fields.ts"

export function targetFinalizerAdmission(hasProvider: HasProvider): Admission {
  return {
    admit: ({ key, object, old, operation, principal, warn }) => {
      if (operation === "delete" || (old !== undefined && isEngine(principal))) return object
      const has = object.metadata.finalizers?.includes(targetFinalizer) === true
      if (has) return object
      if (old === undefined) {
        return hasProvider(key.group, key.resource) ? withFinalizer(object) : object
      }
      if (old.metadata.finalizers?.includes(targetFinalizer) !== true) {
        const taken = labelOf(object) !== undefined && labelOf(old) === undefined
        const unmarked = old.metadata.deletionTimestamp === undefined
        return taken && unmarked ? withFinalizer(object) : object
      }
      warn(`the finalizer ${targetFinalizer} stays: only the engine removes it`)
      return withFinalizer(object)
    },
  }
}

const labelOf = (object: ApiObject) => object.metadata.labels?.[loopLabel]

function withFinalizer(object: ApiObject): ApiObject {
  const finalizers = [...(object.metadata.finalizers ?? []), targetFinalizer]
  return { ...object, metadata: { ...object.metadata, finalizers } }
}
