// What a DELETE says besides its path: in its body, or in its query as old clients do. What can't
// be understood is refused: taken for nothing it could be what would have kept the object.

import { isArray, isObject, type Json, type JsonObject } from "../../base/json.ts"
import type { DeleteOptions, Preconditions } from "../../contract/client.ts"
import { apiFault } from "../faults.ts"
import { invalidOptions } from "../validate-object.ts"

const policies = ["Background", "Foreground", "Orphan"] as const
const policyNames = '"Foreground", "Background", "Orphan", "nil"'

function bad(why: string): Error {
  return apiFault("SPT-API-006", { verb: "delete", what: "the request", why })
}

const set = (value: Json | null | undefined): Json | undefined => value ?? undefined

/** Preconditions stay apart: the resourceVersion of a list is another one. */
export interface ReadDeleteOptions extends Omit<DeleteOptions, keyof Preconditions> {
  readonly preconditions: Preconditions
}

/** `isDryRun` judges what is said of dry runs, in the query and in the body. */
export function readDeleteOptions(
  query: URLSearchParams,
  body: Json | undefined,
  isDryRun: (values: readonly (Json | undefined)[]) => boolean,
): ReadDeleteOptions {
  const given = set(body) ?? {}
  if (!isObject(given)) throw bad("the body is no object")
  const { kind = "DeleteOptions" } = given
  if (kind !== "DeleteOptions") throw bad("the body is no DeleteOptions")
  const inBody = set(given.dryRun) ?? []
  if (!isArray(inBody)) throw bad("dryRun must be a list")
  checkGrace(set(given.gracePeriodSeconds) ?? set(query.get("gracePeriodSeconds")))
  const propagationPolicy = propagation(query, given)
  return {
    dryRun: isDryRun([...query.getAll("dryRun"), ...inBody]),
    preconditions: preconditionsOf(query, set(body) === undefined ? undefined : given),
    ...(propagationPolicy === undefined ? {} : { propagationPolicy }),
  }
}

/** Of a request without a body, the resourceVersion in its query is one too, as in Kubernetes. */
function preconditionsOf(query: URLSearchParams, body: JsonObject | undefined): Preconditions {
  const given = set(body?.preconditions) ?? {}
  if (!isObject(given)) throw bad("preconditions must be an object")
  const uid = set(given.uid) ?? (query.get("uid") || undefined)
  const inQuery = body === undefined ? query.get("resourceVersion") || undefined : undefined
  const resourceVersion = set(given.resourceVersion) ?? inQuery
  return {
    ...(uid === undefined ? {} : { uid: textOf("uid", uid) }),
    ...(resourceVersion === undefined
      ? {}
      : { resourceVersion: textOf("resourceVersion", resourceVersion) }),
  }
}

function textOf(name: string, value: Json): string {
  if (typeof value === "string") return value
  throw bad(`preconditions.${name} must be a text`)
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
  if (orphan !== undefined) {
    const said = String(orphan).toLowerCase()
    if (said === "true" || said === "1") return "Orphan"
    if (said === "false" || said === "0") return "Background"
    throw bad("orphanDependents must be true or false")
  }
  const known = policies.find((name) => name === policy)
  if (policy !== undefined && known === undefined) {
    const message = `Unsupported value: ${JSON.stringify(policy)}: supported values: ${policyNames}`
    const field = "propagationPolicy"
    throw invalidOptions("DeleteOptions", { field, reason: "FieldValueNotSupported", message })
  }
  return known
}
