// A source gives fields away, or takes them back. Its ownership of them ends with the write that
// puts them on the list, so that its next apply neither sets nor removes them.

import { enginePrincipal, type Principal } from "../contract/principal.ts"
import type { Verbs } from "../contract/verbs.ts"
import type { Ledger } from "../ledger/ledger.ts"
import {
  detachedAnnotation,
  detachedNames,
  detachedText,
  fieldSetOf,
} from "../object/detached-fields.ts"
import { FieldSet } from "../object/field-set.ts"
import type { ApiObject, ManagedFieldsEntry, ResourceRef } from "../object/object.ts"

export interface Detach {
  readonly key: string
  readonly object: ApiObject
  readonly resource: ResourceRef
  readonly loop: string
  /** `spec.content`. */
  readonly fields: readonly string[]
  /** Given back to the source. */
  readonly back: boolean
  readonly principal: Principal
  readonly reason: string
}

export interface DetachPorts {
  readonly ledger: Ledger
  readonly verbs: Pick<Verbs, "update">
}

/** The fields that the source leaves alone from now on. */
export async function detachFields(detach: Detach, ports: DetachPorts): Promise<readonly string[]> {
  const { key, object, resource, loop, fields, back, principal, reason } = detach
  const before = detachedNames(object.metadata)
  const after = back
    ? before.filter((name) => !fields.some((field) => isWithin(name, field)))
    : [...before, ...fields]
  const text = detachedText(after)
  const { [detachedAnnotation]: _, ...annotations } = object.metadata.annotations ?? {}
  const listed = text === undefined ? annotations : { ...annotations, [detachedAnnotation]: text }
  const managedFields = back
    ? (object.metadata.managedFields ?? [])
    : (object.metadata.managedFields ?? []).flatMap((entry) => withoutFields(entry, fields))
  const metadata = { ...object.metadata, annotations: listed, managedFields }
  await ports.verbs.update(enginePrincipal, resource, { ...object, metadata })
  const what = back ? "given back to its source" : "given away by its source"
  const note = `${what}: ${fields.join(", ")}`
  await ports.ledger.note(loop, principal, [{ type: "detached", object: key, note, reason }])
  return text === undefined ? [] : text.split(",")
}

const isWithin = (name: string, field: string): boolean =>
  name === field || name.startsWith(`${field}.`)

function withoutFields(
  entry: ManagedFieldsEntry,
  fields: readonly string[],
): readonly ManagedFieldsEntry[] {
  if (!entry.manager.startsWith("setpoint-source/")) return [entry]
  const set = FieldSet.fromFieldsV1(entry.fieldsV1).differenceDeep(fieldSetOf(fields))
  return set.isEmpty ? [] : [{ ...entry, fieldsV1: set.toFieldsV1() }]
}
