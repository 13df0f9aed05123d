// What the engine writes into the API as itself: status, the end of our finalizer, Plan objects.

import { toFault } from "../base/faults.ts"
import { isObject, type Json, type JsonObject } from "../base/json.ts"
import { enginePrincipal } from "../contract/principal.ts"
import type { Verbs } from "../contract/verbs.ts"
import { planObject, planResource, planStatus } from "../controllers/plan-object.ts"
import type { PlanDocument } from "../ledger/plan-ledger.ts"
import { type ApiObject, parseApiVersion, targetFinalizer } from "../object/object.ts"
import type { KindRuntime } from "../reconcile/kind-runtime.ts"
import { refOf } from "./refs.ts"

const ofStatus = { subresource: "status" } as const

function kindOf(kinds: readonly KindRuntime[], object: ApiObject): KindRuntime | undefined {
  const { group } = parseApiVersion(object.apiVersion)
  return kinds.find(({ provider }) => provider.group === group && provider.kind === object.kind)
}

/** Replaces the whole status; members that are gone are taken away. */
export async function writeStatus(
  verbs: Verbs,
  kinds: readonly KindRuntime[],
  object: ApiObject,
  status: ApiObject["status"],
): Promise<void> {
  const kind = kindOf(kinds, object)
  if (kind === undefined) return
  try {
    const ref = refOf(kind.resource, object)
    const patch = { status: replacing(object.status ?? {}, status ?? {}) }
    await verbs.patch(enginePrincipal, ref, "merge", patch, ofStatus)
  } catch (error) {
    if (toFault(error).status !== 404) throw error // Gone meanwhile: nobody to tell.
  }
}

/** The merge patch that turns one object into the other: what is gone is taken away. */
export function replacing(before: JsonObject, after: JsonObject): JsonObject {
  const patch: Record<string, Json> = {}
  for (const name of Object.keys({ ...before, ...after })) {
    const [old, now] = [before[name], after[name]]
    if (now === undefined) patch[name] = null
    else patch[name] = isObject(old) && isObject(now) ? replacing(old, now) : now
  }
  return patch
}

/** Lets a marked object go, if it is still the same one. */
export async function takeFinalizerOff(
  verbs: Verbs,
  kinds: readonly KindRuntime[],
  object: ApiObject,
): Promise<void> {
  const kind = kindOf(kinds, object)
  if (kind === undefined) return
  const ref = refOf(kind.resource, object)
  const newest = await verbs.get(enginePrincipal, ref)
  if (newest === undefined || newest.metadata.uid !== object.metadata.uid) return
  const finalizers = (newest.metadata.finalizers ?? []).filter((one) => one !== targetFinalizer)
  const patch = { metadata: { finalizers, resourceVersion: newest.metadata.resourceVersion } }
  await verbs.patch(enginePrincipal, ref, "merge", patch)
}

/** Makes the Plan object show this; answers with the phase that it showed before. */
export async function publishPlan(
  verbs: Verbs,
  plan: PlanDocument,
  now: number,
): Promise<Json | undefined> {
  const view = planObject(plan)
  const ref = refOf(planResource, view)
  const known = await verbs.get(enginePrincipal, ref)
  if (known === undefined) await verbs.create(enginePrincipal, planResource, view)
  await verbs.patch(enginePrincipal, ref, "merge", { status: planStatus(plan, now) }, ofStatus)
  return known?.status?.phase
}
