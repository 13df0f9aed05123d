// Releasing: a loop that is deleted lets go of its objects. They stay stored, lose the loop's
// label, show Released, and nothing acts on them or on their targets until a source or a person
// takes them.

import { type Clock, toTimestamp } from "../base/clock.ts"
import { enginePrincipal } from "../contract/principal.ts"
import type { Verbs } from "../contract/verbs.ts"
import type { Ledger } from "../ledger/ledger.ts"
import {
  type ApiObject,
  loopLabel,
  type ObjectMeta,
  type ResourceRef,
  sourceAnnotation,
  targetFinalizer,
} from "../object/object.ts"

export interface ReleasePorts {
  readonly clock: Clock
  readonly ledger: Ledger
  readonly verbs: Pick<Verbs, "update" | "patch">
  keysOf(loop: string): Iterable<string>
  object(key: string): Promise<ApiObject | undefined>
  resourceOf(key: string): ResourceRef | undefined
}

export async function releaseLoop(loop: string, ports: ReleasePorts): Promise<void> {
  for (const key of [...ports.keysOf(loop)]) await releaseObject(loop, key, ports)
}

/** The target stays as it is; only our knowledge of it ends. */
export async function releaseObject(loop: string, key: string, ports: ReleasePorts): Promise<void> {
  const object = await ports.object(key)
  const resource = ports.resourceOf(key)
  if (object === undefined || resource === undefined) return
  const record = await ports.ledger.record(object.metadata.uid ?? "")
  if (record !== undefined) {
    const event = { type: "release", object: key, note: `no longer kept by loop ${loop}` } as const
    const writes = ports.ledger.dropRecordWrites(record.uid, record.target)
    await ports.ledger.note(loop, enginePrincipal, [event], writes)
  }
  const free = { ...object, metadata: withoutLoop(object.metadata) }
  const { object: written } = await ports.verbs.update(enginePrincipal, resource, free)
  if (written.metadata.deletionTimestamp !== undefined) return
  const { namespace = "", name } = object.metadata
  const said = { reason: "Released", message: "no loop keeps it; its target is left alone" }
  const lastTransitionTime = toTimestamp(ports.clock.now())
  const condition = { type: "Ready", status: "False", lastTransitionTime, ...said }
  const patch = { status: { conditions: [condition], plan: null, owned: false } }
  const options = { subresource: "status" } as const
  const ref = { ...resource, namespace, name }
  await ports.verbs.patch(enginePrincipal, ref, "merge", patch, options)
}

function withoutLoop(metadata: ObjectMeta): ObjectMeta {
  const { labels = {}, annotations = {}, finalizers = [], managedFields = [], ...rest } = metadata
  const { [loopLabel]: _loop, ...otherLabels } = labels
  const { [sourceAnnotation]: _place, ...otherAnnotations } = annotations
  return {
    ...rest,
    labels: otherLabels,
    annotations: otherAnnotations,
    finalizers: finalizers.filter((one) => one !== targetFinalizer),
    managedFields: managedFields.filter(({ manager }) => !manager.startsWith("setpoint-source/")),
  }
}
