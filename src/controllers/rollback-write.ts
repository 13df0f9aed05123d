// A rollback of a loop whose objects come by API: every pinned spec is tried first, then written as
// the person who asked; what came after is deleted as one set, judged before anything is marked.

import { toFault } from "../base/faults.ts"
import type { Principal } from "../contract/principal.ts"
import type { Verbs } from "../contract/verbs.ts"
import type { CheckpointHeader } from "../ledger/checkpoint-pages.ts"
import { rollbackRevision } from "../ledger/quarantines.ts"
import {
  type ApiObject,
  loopLabel,
  parseApiVersion,
  parseKeyText,
  targetFinalizer,
} from "../object/object.ts"
import type { LoopEngine } from "../reconcile/loop-engine.ts"
import { keptAnnotations, objectOfPin } from "./pins.ts"
import type { ServedKind } from "./place-manifest.ts"
import type { ObjectDifference, State } from "./state-diff.ts"

export interface PinnedWritePorts {
  readonly verbs: Pick<Verbs, "get" | "create" | "update" | "deleteSet">
  servedKind(group: string, kind: string): ServedKind | undefined
}

export interface PinnedWrite {
  readonly differences: readonly ObjectDifference[]
  readonly then: State
  readonly principal: Principal
}

/** Answers with what waits or was refused, in words. */
export async function writePinned(
  loop: LoopEngine,
  header: CheckpointHeader,
  { differences, then, principal }: PinnedWrite,
  ports: PinnedWritePorts,
): Promise<string[]> {
  const wanted = differences.flatMap(({ object, change }) => {
    const pin = change === "removed" ? undefined : then.get(object)
    if (pin === undefined) return []
    const served = ports.servedKind(parseApiVersion(pin.apiVersion).group, pin.kind)
    return served === undefined ? [] : [{ served, object: objectOfPin(pin) }]
  })
  const write = (dryRun: boolean) => async (one: (typeof wanted)[number]) =>
    writeOne(one.served, one.object, principal, dryRun, ports)
  for (const one of wanted) await write(true)(one)
  const uids = new Set<string>()
  const text = `rolled back to ${header.name} by ${principal.name}`
  loop.rollback = { principal: principal.name, text, uids }
  for (const one of wanted) uids.add((await write(false)(one)).metadata.uid ?? "")
  const removed = differences.filter(({ change }) => change === "removed")
  if (removed.length === 0) return []
  try {
    const keys = removed.map(({ object }) => parseKeyText(object))
    const options = { origin: "collection", sourceRevision: rollbackRevision(header) } as const
    await ports.verbs.deleteSet(principal, keys, options)
    return []
  } catch (error) {
    const fault = toFault(error)
    if (fault.status !== 403) throw error // Held or denied is an answer, not a failure.
    return [fault.message]
  }
}

async function writeOne(
  { resource }: ServedKind,
  pinned: ApiObject,
  principal: Principal,
  dryRun: boolean,
  { verbs }: PinnedWritePorts,
): Promise<ApiObject> {
  const { namespace = "", name } = pinned.metadata
  const known = await verbs.get(principal, { ...resource, namespace, name })
  const options = { dryRun }
  if (known === undefined) {
    return (await verbs.create(principal, resource, pinned, options)).object
  }
  const { labels = {}, finalizers = [] } = known.metadata
  const kept = labels[loopLabel] === undefined ? {} : { [loopLabel]: labels[loopLabel] }
  const ours = finalizers.filter((one) => one === targetFinalizer)
  const { annotations, ...metadata } = known.metadata
  const whole: ApiObject = {
    ...pinned,
    metadata: {
      ...metadata,
      ...pinned.metadata,
      annotations: { ...pinned.metadata.annotations, ...keptAnnotations(annotations) },
      labels: { ...pinned.metadata.labels, ...kept },
      finalizers: [...new Set([...ours, ...(pinned.metadata.finalizers ?? [])])],
    },
    ...(known.status === undefined ? {} : { status: known.status }),
  }
  return (await verbs.update(principal, resource, whole, options)).object
}
