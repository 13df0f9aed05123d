// Moving an object to another loop: the target is not touched, the record and what it counts for go
// with it, both journals say who did it and why. The record goes first: a crash in between leaves
// an object whose next pass puts its record right.

import { enginePrincipal, type Principal } from "../contract/principal.ts"
import type { Verbs } from "../contract/verbs.ts"
import type { Ledger } from "../ledger/ledger.ts"
import { type ApiObject, loopLabel, type ResourceRef, sourceAnnotation } from "../object/object.ts"

export interface Move {
  readonly key: string
  readonly object: ApiObject
  readonly resource: ResourceRef
  readonly from: string
  readonly to: string
  readonly principal: Principal
  readonly reason: string
}

export interface MovePorts {
  readonly ledger: Ledger
  readonly verbs: Pick<Verbs, "update">
}

export async function moveObject(move: Move, { ledger, verbs }: MovePorts): Promise<void> {
  const { key, object, resource, from, to, principal, reason } = move
  const record = await ledger.record(object.metadata.uid ?? "")
  const target = record === undefined ? {} : { target: record.target }
  const event = { type: "moved", object: key, reason, ...target } as const
  const writes = record === undefined ? [] : ledger.recordWrites({ ...record, loop: to })
  await ledger.note(to, principal, [{ ...event, note: `came from loop ${from}` }], writes)
  await verbs.update(enginePrincipal, resource, { ...object, metadata: metadataIn(to, object) })
  await ledger.note(from, principal, [{ ...event, note: `went to loop ${to}` }])
}

/** The old source's word ends with the move; what it declared stays until the new one speaks. */
function metadataIn(loop: string, { metadata }: ApiObject): ApiObject["metadata"] {
  const { [sourceAnnotation]: _place, ...annotations } = metadata.annotations ?? {}
  return {
    ...metadata,
    annotations,
    labels: { ...metadata.labels, [loopLabel]: loop },
    managedFields: (metadata.managedFields ?? []).filter(
      ({ manager }) => !manager.startsWith("setpoint-source/"),
    ),
  }
}
