// What can go wrong on the caller's side of the API.

import { defineFaults } from "../base/faults.ts"

export const clientFault = defineFaults({
  "SPT-CLIENT-001": {
    fault: "stuck",
    text: "cannot serve {path}: the server could not find the requested resource",
    hint: "check the path; `setpoint status` shows whether the plane is the one you mean",
    status: 404,
    reason: "NotFound",
  },
  "SPT-CLIENT-002": {
    fault: "retry",
    text: "cannot reach the plane at {where}: {why}",
    hint: "is it running? `setpoint serve` or `setpoint up` starts one; --data names its folder",
    status: 503,
    reason: "ServiceUnavailable",
  },
  "SPT-CLIENT-003": {
    fault: "retry",
    text: "cannot read the answer of {where}: {why}",
    hint: "the plane may have ended, or something else listens there",
    status: 502,
    reason: "InternalError",
  },
  "SPT-CLIENT-004": {
    fault: "retry",
    text: "cannot get an answer from {where}: none within {seconds} s",
    hint: "`setpoint status` shows whether the plane is busy",
    status: 504,
    reason: "Timeout",
  },
  "SPT-CLIENT-005": {
    fault: "stuck",
    text: "cannot do it: the server answered {message}",
    hint: "the message is the server's own",
  },
  "SPT-CLIENT-006": {
    fault: "stuck",
    text: "cannot use the kubeconfig {file}: {why}",
    hint: "`setpoint kubeconfig` prints one for this plane; only certificates and tokens are used",
  },
})
