// Every way in which webhooks and policies refuse a write. Status and reason of a denial are those
// that the webhook or the policy gives.

import { defineFaults, Fault } from "../../base/faults.ts"

export const admissionFault = defineFaults({
  "SPT-API-123": {
    fault: "stuck",
    text: 'admission webhook "{webhook}" denied the request{why}',
    hint: "`setpoint get validatingwebhookconfigurations,mutatingwebhookconfigurations` names it",
    status: 400,
    reason: "BadRequest",
  },
  "SPT-API-124": {
    fault: "retry",
    text: 'Internal error occurred: failed calling webhook "{webhook}": {why}',
    hint: "start the webhook, correct its configuration, or set its failurePolicy to Ignore",
    status: 500,
    reason: "InternalError",
  },
  "SPT-API-126": {
    fault: "stuck",
    text:
      "cannot write {resource} {name}: webhooks would change {fields}, declared at {source} " +
      "by {manager}",
    hint: "change the declaration, or keep the webhook from these objects by its objectSelector",
    status: 409,
    reason: "Conflict",
  },
  "SPT-API-127": {
    fault: "stuck",
    text:
      "{resource} \"{name}\" is forbidden: ValidatingAdmissionPolicy '{policy}'{binding} " +
      "denied request: {why}",
    hint: "`setpoint get validatingadmissionpolicies {policy} --output yaml` shows its rules",
    status: 422,
    reason: "Invalid",
  },
})

export type AdmissionFaultCode = Parameters<typeof admissionFault>[0]

/** The same fault with the status and reason that somebody else chose. */
export function faultAs(
  code: AdmissionFaultCode,
  { status, reason }: { readonly status: number; readonly reason: string },
  details: Readonly<Record<string, string>>,
): Fault {
  return new Fault(code, { ...admissionFault.table[code], status, reason }, details)
}
