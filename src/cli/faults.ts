// Faults of the command line itself.

import { defineFaults } from "../base/faults.ts"

export const cliFault = defineFaults({
  "SPT-CLI-001": {
    fault: "stuck",
    text: "cannot reach a plane on {data}: none is running there",
    hint: "start one with `setpoint up` or `setpoint serve`, or name its directory with --data",
  },
  "SPT-CLI-002": {
    fault: "stuck",
    text: "cannot use {what}: {why}",
    hint: "{hint}",
  },
  "SPT-CLI-003": {
    fault: "stuck",
    text: "cannot read the token of the plane on {data}: {why}",
    hint: "run this as the user who started the plane; its token is DIR/token",
  },
  "SPT-CLI-004": {
    fault: "stuck",
    text: "cannot start from {place}: {why}",
    hint: "{hint}",
  },
  "SPT-CLI-005": {
    fault: "stuck",
    text: "cannot keep {path} as loop {loop}: that loop keeps {keeps}",
    hint: "name this one with --name; pointing a loop elsewhere releases what it keeps",
  },
  "SPT-CLI-006": {
    fault: "stuck",
    text: "cannot resume on {data}: no plane is running there",
    hint: "start the plane; it starts stopped and remembers the stop, then run resume again",
  },
  "SPT-CLI-007": {
    fault: "stuck",
    text: "cannot serve from {data}: the path of its socket has {bytes} bytes, at most {limit}",
    hint: "choose a shorter directory with --data",
  },
  "SPT-CLI-010": {
    fault: "stuck",
    text: "cannot find {kind} {name} in namespace {namespace}",
    hint: "`setpoint get {kind} -A` lists all of them",
  },
  "SPT-CLI-011": {
    fault: "stuck",
    text: "cannot decide on plan {plan} without a person: this is no terminal",
    hint: "look at `setpoint plans {plan}`, then add --yes, or --hash with the hash you saw",
  },
  "SPT-CLI-012": {
    fault: "wait",
    text: "cannot say that {what} is done: it is {state} after {seconds} s",
    hint: "it goes on by itself; `setpoint status` says how it stands",
  },
  "SPT-CLI-013": {
    fault: "stuck",
    text: "cannot write {file}: it exists",
    hint: "choose another folder with --dir; nothing was written",
  },
  "SPT-CLI-040": {
    fault: "stuck",
    text: 'cannot promote a loop to "{mode}"',
    hint: "--to Propose or --to Enforce",
  },
  "SPT-CLI-041": {
    fault: "stuck",
    text: "cannot promote {loop} now without a reason",
    hint: "--reason TEXT; the loop carries it for everyone to see",
  },
  "SPT-CLI-042": {
    fault: "stuck",
    text: 'cannot test guards against "{what}"',
    hint: "--against history",
  },
  "SPT-CLI-043": {
    fault: "stuck",
    text: 'cannot read "{since}" as a duration',
    hint: "write it as 30m, 12h or 7d",
  },
  "SPT-CLI-044": {
    fault: "stuck",
    text: 'cannot read "{pair}" as a changed field',
    hint: "write FIELD=VALUE, such as limits.deletes=2 or onVanish=Correct",
  },
  "SPT-CLI-045": {
    fault: "stuck",
    text: "cannot plan a git revision: no stored loop takes from this repository",
    hint: "name a folder of it, as in `setpoint plan --git main environments/prod`",
  },
  "SPT-CLI-046": {
    fault: "stuck",
    text: "cannot tell which repository is meant: the loops take from {urls}",
    hint: "name it with --url URL",
  },
})
