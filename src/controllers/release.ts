// Releasing: letting go of a target and leaving it as it is. A loop that is deleted releases its
// objects; a person releases one. The object stays stored, loses the loop's label and shows
// Released; one that is being deleted goes. What was ours stays in the ledger as an orphan.

import { type Clock, toTimestamp } from "../base/clock.ts"
import { enginePrincipal, type Principal } from "../contract/principal.ts"
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

/** Who lets go, and why. */
export interface ReleaseBy {
  readonly principal: Principal
  readonly reason?: string
}

export async function releaseLoop(loop: string, ports: ReleasePorts): Promise<void> {
  for (const key of [...ports.keysOf(loop)]) await releaseObject(loop, key, ports)
}

/** The target stays as it is; only our keeping of it ends. */
export async function releaseObject(
  loop: string,
  key: string,
  ports: ReleasePorts,
  { principal, reason }: ReleaseBy = { principal: enginePrincipal },
): Promise<void> {
  const object = await ports.object(key)
  const resource = ports.resourceOf(key)
  if (object === undefined || resource === undefined) return
  const { ledger, clock } = ports
  const at = toTimestamp(clock.now())
  const record = await ledger.record(object.metadata.uid ?? "")
  if (record !== undefined) {
    const { target, externalId } = record
    const why = reason ?? `no longer kept by loop ${loop}`
    const said = { note: `no longer kept by loop ${loop}`, target }
    const given = reason === undefined ? {} : { reason }
    const found = externalId === undefined ? {} : { externalId }
    const event = { type: "release", object: key, ...said, ...found, ...given } as const
    const cause = record.owned ? "Released" : "CreateUncertain"
    const writes = ledger.orphanWrites(record, { cause, at, by: principal.name, why })
    await ledger.note(loop, principal, [event], writes)
  }
  const free = { ...object, metadata: withoutLoop(object.metadata) }
  const { object: written } = await ports.verbs.update(enginePrincipal, resource, free)
  if (written.metadata.deletionTimestamp !== undefined) return
  const { namespace = "", name } = object.metadata
  const said = { reason: "Released", message: "no loop keeps it; its target is left alone" }
  const condition = { type: "Ready", status: "False", lastTransitionTime: at, ...said }
  const patch = { status: { conditions: [condition], plan: null, owned: false, diagnosis: null } }
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
