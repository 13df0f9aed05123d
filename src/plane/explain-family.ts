// What an object is a part of, and what is a part of it: the composite that made it, and the
// children of a composite with how each of them stands.

import { isArray, isObject } from "../base/json.ts"
import { type ApiObject, controllerOf, keyText, loopLabel } from "../object/object.ts"
import { waveOf } from "../object/wave.ts"
import { isReady } from "../reconcile/composite-report.ts"
import type { KindRuntime } from "../reconcile/kind-runtime.ts"
import type { Plane } from "./plane.ts"

const childrenShown = 100

export async function familyView(
  plane: Plane,
  object: ApiObject,
  kind: KindRuntime,
): Promise<object> {
  const parent = controllerOf(object)
  const wave = waveOf(object)
  const named = {
    ...(parent === undefined ? {} : { parent: `${parent.kind} ${parent.name}` }),
    ...(wave === 0
      ? {}
      : { wave, waves: plane.waves.facts(object.metadata.labels?.[loopLabel] ?? "") }),
  }
  if (kind.composite === undefined) return named
  const reported = kind.composite.reported === true
  return { ...named, composite: true, reported, children: await childrenOf(plane, object) }
}

async function childrenOf({ api, engine }: Plane, { metadata }: ApiObject): Promise<object[]> {
  const keys = api.context.owners
    .dependents(metadata.uid ?? "")
    .map(keyText)
    .sort()
  const views: object[] = []
  for (const key of keys.slice(0, childrenShown)) {
    const child = await engine.feed?.object(key)
    if (child === undefined) continue
    const conditions = isArray(child.status?.conditions) ? child.status.conditions : []
    const ready = conditions.filter(isObject).find(({ type }) => type === "Ready")
    const { reason, message } = ready ?? {}
    const deleting = child.metadata.deletionTimestamp !== undefined
    views.push({ object: key, ready: isReady(child), deleting, reason, message })
  }
  return views
}
