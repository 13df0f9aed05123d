// Faults as Kubernetes' Status objects. Field causes become details.causes; what Kubernetes has no
// place for (code, hint, family) rides along and is ignored by its clients.

import type { Fault } from "../base/faults.ts"
import { isArray, isObject, type Json, type JsonObject } from "../base/json.ts"
import { faultMember } from "../client/status-fault.ts"

export { faultFromStatus, isStatus } from "../client/status-fault.ts"

const retryAfterSeconds = 1
const retried: ReadonlySet<number> = new Set([429, 503, 504])

export function statusOf(fault: Fault): JsonObject {
  const { name, group, kind, resource, plan, causes } = fault.details
  const details: JsonObject = {
    ...(name === undefined ? {} : { name }),
    ...(group === undefined ? {} : { group }),
    ...(kind === undefined && resource === undefined
      ? {}
      : { kind: withoutGroup(kind ?? resource) }),
    ...(plan === undefined ? {} : { plan }),
    ...(causes === undefined ? {} : { causes: readCauses(causes) }),
    ...(retried.has(fault.status) ? { retryAfterSeconds } : {}),
    [faultMember]: {
      code: fault.code,
      fault: fault.fault,
      hint: fault.hint,
      details: fault.details,
    },
  }
  return {
    kind: "Status",
    apiVersion: "v1",
    metadata: fault.details.continue === undefined ? {} : { continue: fault.details.continue },
    status: "Failure",
    message: fault.message,
    reason: fault.reason,
    details,
    code: fault.status,
  }
}

const withoutGroup = (name: string | undefined): string => name?.split(".")[0] ?? ""

function readCauses(text: string): Json {
  const value: unknown = JSON.parse(text)
  return isArray(value) ? value.filter(isObject) : []
}

/** The answer to a delete that left nothing behind. */
export function successStatus(name: string, resource: string, group: string, uid: string): Json {
  const details = { name, group, kind: resource, uid }
  return { kind: "Status", apiVersion: "v1", metadata: {}, status: "Success", details }
}
