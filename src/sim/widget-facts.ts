// Small readings that the simulated kinds share: names, tokens, and what an error says.

import { isFault } from "../base/faults.ts"
import type { JsonObject } from "../base/json.ts"
import type { IdentityRule } from "../contract/provider.ts"
import type { SimTarget } from "./sim-world.ts"

export function nameOf(desired: JsonObject): string {
  return typeof desired.name === "string" ? desired.name : ""
}

export function tokenOf(target: SimTarget): string {
  return `${target.externalId}:${target.version}`
}

/** The HTTP status that a simulated failure carries; 0 when there was no answer. */
export function statusOf(error: unknown): number {
  return isFault(error) ? Number(error.details.status ?? 0) : 0
}

export function causeOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/** Otherwise only the recorded external id leads to the target. */
export function byIdentity(rule: IdentityRule): boolean {
  return rule === "derived" || rule === "searchable"
}
