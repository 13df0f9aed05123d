// A Kubernetes Status, as an API server answers a failure, back to the fault it came from.

import { Fault, type FaultKind } from "../base/faults.ts"
import { isObject, type Json, type JsonObject } from "../base/json.ts"

const asText = (value: Json | undefined, otherwise: string): string =>
  typeof value === "string" ? value : otherwise

const kinds: readonly string[] = ["retry", "wait", "stuck", "bug"]

/** What Setpoint adds to `details`, so that nothing of a fault is lost on the way. */
export const faultMember = "setpoint"

export function isStatus(value: Json | undefined): value is JsonObject {
  return isObject(value) && value.kind === "Status" && value.apiVersion === "v1"
}

export function faultFromStatus(status: JsonObject, httpStatus: number): Fault {
  const outer = isObject(status.details) ? status.details : {}
  const inner = isObject(outer[faultMember]) ? outer[faultMember] : {}
  const message = asText(status.message, `the server answered ${httpStatus}`)
  const code = typeof status.code === "number" ? status.code : httpStatus
  const kind = asText(inner.fault, code >= 500 || code === 429 ? "retry" : "stuck")
  const row = {
    // Texts of faults are templates; a finished message must not be filled again.
    text: "{message}",
    hint: "{hint}",
    fault: (kinds.includes(kind) ? kind : "stuck") as FaultKind,
    status: code,
    reason: asText(status.reason, "InternalError"),
  }
  const details = isObject(inner.details) ? textsOf(inner.details) : foreignDetails(outer)
  const hint = asText(inner.hint, "")
  return new Fault(asText(inner.code, "SPT-CLIENT-005"), row, { ...details, message, hint })
}

function textsOf(values: JsonObject): Record<string, string> {
  return Object.fromEntries(
    Object.entries(values).flatMap(([key, value]) =>
      typeof value === "string" ? [[key, value]] : [],
    ),
  )
}

/** Another server's Status: its causes are kept as we keep ours. */
function foreignDetails(details: JsonObject): Record<string, string> {
  const causes = details.causes === undefined ? {} : { causes: JSON.stringify(details.causes) }
  return { ...textsOf(details), ...causes }
}
