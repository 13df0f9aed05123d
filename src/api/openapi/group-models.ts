// All models and operations of one group and version, with the shared models that they speak of.

import type { JsonObject } from "../../base/json.ts"
import type { ServedResource } from "../served-resource.ts"
import { kindModels } from "./kind-models.ts"
import { metaModels } from "./meta-models.ts"
import { type Operation, operationsOf } from "./operations.ts"
import { type Models, referencesIn } from "./schema-parts.ts"

export interface GroupModels {
  readonly models: Models
  readonly operations: readonly Operation[]
}

export function groupModels(resources: readonly ServedResource[]): GroupModels {
  const operations = resources.flatMap(operationsOf)
  const models = new Map(resources.flatMap(kindModels))
  const wanted: string[] = operations.flatMap(({ result, body }) =>
    body === undefined ? [result] : [result, body.model],
  )
  for (const one of models.values()) wanted.push(...referencesIn(one))
  addShared(models, wanted)
  return { models, operations }
}

function addShared(models: Map<string, JsonObject>, wanted: string[]): void {
  for (let name = wanted.pop(); name !== undefined; name = wanted.pop()) {
    const shared = metaModels.get(name)
    if (shared === undefined || models.has(name)) continue
    models.set(name, shared)
    wanted.push(...referencesIn(shared))
  }
}
