// The list of fields that a source gave away is the engine's: anybody else's word on it is put
// back, or a writer could make the next apply of the source drop a field.

import type { Admission } from "../../contract/admission.ts"
import { detachedAnnotation } from "../../object/detached-fields.ts"
import type { ApiObject } from "../../object/object.ts"
import { isEngine } from "./source-fields.ts"

export const detachedAdmission: Admission = {
  admit: ({ object, old, operation, principal, warn }) => {
    if (operation === "delete" || isEngine(principal)) return object
    const before = old?.metadata.annotations?.[detachedAnnotation]
    const after = object.metadata.annotations?.[detachedAnnotation]
    if (before === after) return object
    if (after !== undefined) warn(`the annotation ${detachedAnnotation} stays: use setpoint detach`)
    return withList(object, before)
  },
}

function withList(object: ApiObject, list: string | undefined): ApiObject {
  const { [detachedAnnotation]: _, ...others } = object.metadata.annotations ?? {}
  const annotations = list === undefined ? others : { ...others, [detachedAnnotation]: list }
  return { ...object, metadata: { ...object.metadata, annotations } }
}
