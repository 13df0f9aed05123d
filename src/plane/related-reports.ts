// Writes what a composer says about related objects that nobody else reports on. Only their status,
// only when it changed, and only for kinds that the composer announced and that have no target.

import { toTimestamp } from "../base/clock.ts"
import { toFault } from "../base/faults.ts"
import { equalJson, isArray, type JsonObject } from "../base/json.ts"
import type { CompositeKind } from "../contract/composite.ts"
import { enginePrincipal } from "../contract/principal.ts"
import { mergeConditions } from "../object/conditions.ts"
import { type ApiObject, parseApiVersion } from "../object/object.ts"
import { readConditions, readInputs } from "../reconcile/read-conditions.ts"
import { replacing } from "./engine-writes.ts"
import type { Plane } from "./plane.ts"
import { refOf } from "./refs.ts"

type Said = { readonly object: ApiObject; readonly status: JsonObject }

export async function writeReports(
  plane: Plane,
  composite: CompositeKind,
  related: readonly ApiObject[],
  reports: readonly Said[],
): Promise<void> {
  if (reports.length === 0) return
  const known = new Map(related.map((object) => [nameOf(object), object]))
  for (const report of reports) {
    const object = known.get(nameOf(report.object))
    if (object === undefined || !mayReport(plane, composite, object)) continue
    await writeReport(plane, object, report.status)
  }
}

const nameOf = ({ apiVersion, kind, metadata }: ApiObject): string =>
  `${parseApiVersion(apiVersion).group}/${kind}/${metadata.namespace ?? ""}/${metadata.name}`

function mayReport(plane: Plane, { related }: CompositeKind, object: ApiObject): boolean {
  const { group } = parseApiVersion(object.apiVersion)
  const announced = related.some((one) => one.group === group && one.kind === object.kind)
  const own = plane.engine.kinds.find(
    ({ provider }) => provider.group === group && provider.kind === object.kind,
  )
  return announced && (own === undefined || own.composite?.reported === true)
}

async function writeReport(plane: Plane, object: ApiObject, said: JsonObject): Promise<void> {
  const before = object.status ?? {}
  const timestamp = toTimestamp(plane.ports.clock.now())
  const inputs = isArray(said.conditions) ? said.conditions.flatMap(readInputs) : []
  const merged = mergeConditions(readConditions(before.conditions), inputs, timestamp)
  const generation = object.metadata.generation ?? 0
  const conditions = merged.map((one) => ({ ...one, observedGeneration: generation }))
  const after: JsonObject = {
    ...said,
    observedGeneration: generation,
    ...(conditions.length === 0 ? {} : { conditions }),
  }
  if (equalJson(before, after)) return
  const { group } = parseApiVersion(object.apiVersion)
  const served = plane.servedKind(group, object.kind)
  if (served === undefined) return
  try {
    const patch = { status: replacing(before, after) }
    const options = { subresource: "status" } as const
    const ref = refOf(served.resource, object)
    await plane.api.verbs.patch(enginePrincipal, ref, "merge", patch, options)
  } catch (error) {
    if (toFault(error).status !== 404) throw error // Gone meanwhile: nobody to tell.
  }
}
