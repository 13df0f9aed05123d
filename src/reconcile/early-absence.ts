// Reads of remote systems lag behind their own writes. Right after we made something, an answer
// "not there" is no proof: believing it makes a second one, or forgets the first. Local kinds
// (derived identity, no connection) read what was written, and are believed at once.

import type { JsonObject } from "../base/json.ts"
import { protects } from "../base/protections.ts"
import { type Dated, type Observation, unknown } from "../contract/observation.ts"
import type { KindProvider } from "../contract/provider.ts"
import type { TargetRecord } from "../contract/record.ts"

/** How far reads may lag behind. */
const lagMs = 10_000

/** The observation, or unknown when its absence comes too early to be believed. */
export function believed(
  observation: Dated<Observation>,
  record: TargetRecord | undefined,
  provider: KindProvider,
  desired: JsonObject,
  now: number,
): Dated<Observation> {
  if (observation.kind !== "absent" || record?.actedAt === undefined) return observation
  if (record.deletedAt !== undefined || isLocal(provider, desired)) return observation
  const undecided = record.pending?.verb === "create"
  if (!record.owned && !undecided) return observation
  // An act that was given up may still be on its way.
  const waitMs = lagMs + (undecided ? provider.timeoutMs.act : 0)
  const agoMs = now - record.actedAt
  const early = agoMs >= 0 && agoMs < waitMs
  if (!early || !protects("early-absence-is-doubt")) return observation
  const cause = "it was made a moment ago and is not seen yet; reads may lag behind"
  return { ...unknown(cause), asOf: observation.asOf }
}

function isLocal(provider: KindProvider, desired: JsonObject): boolean {
  const here = provider.connection(desired) === "" || provider.readsOwnWrites === true
  return provider.identityRule === "derived" && here
}
