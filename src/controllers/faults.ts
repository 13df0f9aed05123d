// Faults of plans, loops and sources.

import { defineFaults } from "../base/faults.ts"

export const controllerFault = defineFaults({
  "SPT-PLAN-001": {
    fault: "stuck",
    text: "cannot find plan {plan}",
    hint: "`setpoint plans` lists them",
    status: 404,
    reason: "NotFound",
  },
  "SPT-PLAN-002": {
    fault: "stuck",
    text: "cannot {decision} plan {plan}: it is {phase}",
    hint: "`setpoint plans` lists what waits now",
    status: 409,
    reason: "Conflict",
  },
  "SPT-PLAN-003": {
    fault: "stuck",
    text: "cannot approve plan {plan}: the hash you saw is not the hash of this plan",
    hint: "look at the plan again and approve the hash it shows",
    status: 409,
    reason: "Conflict",
  },
  "SPT-PLAN-004": {
    fault: "stuck",
    text: "cannot approve plan {plan}: {changed}",
    hint: "what you looked at is not what would happen now; look at the new plan",
    status: 409,
    reason: "Conflict",
  },
  "SPT-PLAN-005": {
    fault: "stuck",
    text: "cannot {decision} plan {plan}: {principal} is an {kind}, and only people decide",
    hint: "ask a person to look at the plan",
    status: 403,
    reason: "Forbidden",
  },
  "SPT-PLAN-006": {
    fault: "stuck",
    text: "cannot approve plan {plan}: it has no action {digest}",
    hint: "`setpoint plans {plan}` lists its actions with their digests",
    status: 400,
    reason: "BadRequest",
  },
  "SPT-PLAN-007": {
    fault: "wait",
    text: "cannot adopt {object}: nothing of it waits for adoption",
    hint: "`setpoint explain {object}` says how it stands",
    status: 409,
    reason: "Conflict",
  },
  "SPT-PLAN-008": {
    fault: "stuck",
    text: "cannot find {object} among the objects that have a target",
    hint: "`setpoint get KIND` lists them",
    status: 404,
    reason: "NotFound",
  },
  "SPT-PLAN-009": {
    fault: "stuck",
    text: "cannot plan: no loop is stored yet",
    hint: "name the folder of manifests: `setpoint plan FOLDER`",
  },
  "SPT-STOP-001": {
    fault: "stuck",
    text: "cannot resume: {principal} is an agent, and only people lift a stop",
    hint: "ask a person",
    status: 403,
    reason: "Forbidden",
  },
  "SPT-STOP-002": {
    fault: "stuck",
    text: "cannot stop loop {loop}: there is no such loop",
    hint: "`setpoint status` lists the loops; without a name everything is stopped",
    status: 404,
    reason: "NotFound",
  },
  "SPT-SRC-101": {
    fault: "stuck",
    text: "cannot use {object}: {cause}",
    hint: "{hint}",
  },
})
