// Asks the judge about the part of a delete that has targets. Everything else needs no verdict, and
// neither does the engine, which performs what was judged or approved.

import type { DeleteOrigin, DeleteRequest } from "../contract/delete-judge.ts"
import type { Principal } from "../contract/principal.ts"
import type { Check, Write } from "../contract/store.ts"
import type { DeleteSetOptions } from "../contract/verbs.ts"
import { isEngine } from "./admission/source-fields.ts"
import type { ApiContext } from "./api-context.ts"
import { apiFault, summarize } from "./faults.ts"
import { resourceName } from "./served-resource.ts"
import type { StoredObject } from "./stored-object.ts"

export interface Reserve {
  readonly checks: readonly Check[]
  readonly writes: readonly Write[]
}

const nothing: Reserve = { checks: [], writes: [] }

/** Throws 403 when the set is held or denied. */
export async function judgeDelete(
  context: ApiContext,
  principal: Principal,
  fresh: readonly StoredObject[],
  options: DeleteSetOptions,
): Promise<Reserve> {
  if (isEngine(principal)) return nothing
  const judged = fresh.filter(({ key }) => context.hasProvider(key.group, key.resource))
  if (judged.length === 0) return nothing
  const origin: DeleteOrigin =
    options.origin === "name" && fresh.length > 1 ? "cascade" : options.origin
  const request: DeleteRequest = {
    origin,
    principal,
    candidates: judged.map(({ key, object }) => ({ key, object })),
    dryRun: options.dryRun === true,
    ...(options.sourceRevision === undefined ? {} : { sourceRevision: options.sourceRevision }),
    ...(options.parent === undefined ? {} : { parent: options.parent }),
  }
  const judgement = await context.judge.judge(request)
  if (judgement.kind === "allowed") return judgement.reserve
  const what = describe(judged)
  const why = summarize(judgement.reasons.map(({ message }) => message)) || "no reason was given"
  if (judgement.kind === "held") throw apiFault("SPT-API-014", { what, why, plan: judgement.plan })
  const way = judgement.reasons.find(({ hint }) => hint !== undefined)?.hint
  throw apiFault("SPT-API-015", { what, why, way: way ?? "`setpoint explain` says more" })
}

function describe(judged: readonly StoredObject[]): string {
  const [first] = judged
  if (judged.length !== 1 || first === undefined) return `${judged.length} objects`
  return `${resourceName(first.key)} ${first.key.name}`
}
