// What a DELETE says besides its path: in its body, or in its query as old clients do.

import { isArray, isObject, type Json } from "../../base/json.ts"
import type { DeleteOptions } from "../../contract/client.ts"
import { apiFault } from "../faults.ts"
import { invalidOptions } from "../validate-object.ts"

const policies = ["Background", "Foreground", "Orphan"] as const
const policyNames = '"Foreground", "Background", "Orphan", "nil"'

function bad(why: string): Error {
  return apiFault("SPT-API-006", { verb: "delete", what: "the request", why })
}

const set = (value: Json | null | undefined): Json | undefined => value ?? undefined

/** `isDryRun` judges what is said of dry runs, in the query and in the body. */
export function readDeleteOptions(
  query: URLSearchParams,
  body: Json | undefined,
  isDryRun: (values: readonly (Json | undefined)[]) => boolean,
): DeleteOptions {
  const given = isObject(body) ? body : {}
  const preconditions = isObject(given.preconditions) ? given.preconditions : {}
  const { uid, resourceVersion } = preconditions
  const inBody = isArray(given.dryRun) ? given.dryRun : []
  checkGrace(set(given.gracePeriodSeconds) ?? set(query.get("gracePeriodSeconds")))
  const propagationPolicy = propagation(query, given)
  return {
    dryRun: isDryRun([...query.getAll("dryRun"), ...inBody]),
    ...(typeof uid === "string" ? { uid } : {}),
    ...(typeof resourceVersion === "string" ? { resourceVersion } : {}),
    ...(propagationPolicy === undefined ? {} : { propagationPolicy }),
  }
}

/** Nothing here ends slowly by itself: a number is understood and makes no difference. */
function checkGrace(seconds: Json | undefined): void {
  if (seconds === undefined) return
  const number = Number(seconds)
  if (Number.isInteger(number) && number >= 0) return
  throw bad("gracePeriodSeconds must be a whole number that is not negative")
}

function propagation(
  query: URLSearchParams,
  given: Readonly<Record<string, Json | undefined>>,
): DeleteOptions["propagationPolicy"] {
  const policy = set(given.propagationPolicy) ?? set(query.get("propagationPolicy"))
  const orphan = set(given.orphanDependents) ?? set(query.get("orphanDependents"))
  if (policy !== undefined && orphan !== undefined) {
    const message = "orphanDependents and deletionPropagation cannot be both set"
    const cause = { field: "propagationPolicy", reason: "FieldValueInvalid", message }
    throw invalidOptions("DeleteOptions", cause)
  }
  if (orphan !== undefined) return String(orphan) === "true" ? "Orphan" : "Background"
  const known = policies.find((name) => name === policy)
  if (policy !== undefined && known === undefined) {
    const message = `Unsupported value: ${JSON.stringify(policy)}: supported values: ${policyNames}`
    const field = "propagationPolicy"
    throw invalidOptions("DeleteOptions", { field, reason: "FieldValueNotSupported", message })
  }
  return known
}
