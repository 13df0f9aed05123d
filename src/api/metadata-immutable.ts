// What a write may say of an object's identity: nothing new. What the server keeps anyway is taken
// as it was; what a caller could believe to have changed is refused.

import { jsonText } from "../base/json-text.ts"
import type { ObjectMeta } from "../object/object.ts"
import type { FieldCause } from "./faults.ts"

const immutable = (field: string, value: unknown): FieldCause => ({
  field,
  reason: "FieldValueInvalid",
  message: `Invalid value: ${jsonText(value)}: field is immutable`,
})

export function checkImmutable(wanted: ObjectMeta, stored: ObjectMeta): readonly FieldCause[] {
  const causes: FieldCause[] = []
  if (wanted.uid && wanted.uid !== stored.uid) causes.push(immutable("metadata.uid", wanted.uid))
  // Only a delete marks; an object that is marked keeps its mark, whatever a write says.
  if (wanted.deletionTimestamp !== undefined && stored.deletionTimestamp === undefined) {
    causes.push(immutable("metadata.deletionTimestamp", wanted.deletionTimestamp))
  }
  return causes
}
