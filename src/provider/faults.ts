// The faults of kinds and providers: what an author gets told when a kind can't be defined, a
// provider can't be loaded or a call to the outside can't be made. Codes are forever.

import { defineFaults } from "../base/faults.ts"

export const providerFault = defineFaults({
  "SPT-PROV-001": {
    fault: "stuck",
    text: "cannot define kind {kind}: it has neither observe nor list",
    hint:
      "Setpoint keeps states, and a state can be read again. What can't be observed (an e-mail, " +
      "a payment) is an event: send it from a job or a queue, or give the kind an observe that " +
      "reads whether it has happened",
  },
  "SPT-PROV-002": {
    fault: "stuck",
    text: "cannot define kind {kind}: {cause}",
    hint: "correct the call of defineKind; docs/guides/writing-a-provider.md lists its members",
  },
  "SPT-PROV-003": {
    fault: "stuck",
    text: "cannot use the schema of {kind}: {path} {cause}",
    hint: "{hint}",
  },
  "SPT-PROV-004": {
    fault: "stuck",
    text: "cannot register kind {kind}: {other} already has {what}",
    hint: "load each provider once; kinds of different providers need different names or groups",
  },
  "SPT-PROV-005": {
    fault: "stuck",
    text: "cannot load provider {path}: {cause}",
    hint: "it must be an ES module that exports `kinds` (defineKind) or `composites`, as lists",
  },
  "SPT-PROV-006": {
    fault: "stuck",
    text: "cannot name a provider {name}: {cause}",
    hint: "use 1 to 40 lower-case letters, digits and hyphens, beginning with a letter",
  },
  "SPT-PROV-007": {
    fault: "retry",
    text: "cannot {method} {url}: {cause}",
    hint: "it may or may not have had an effect; the target is observed before the next act",
  },
  "SPT-PROV-008": {
    fault: "bug",
    text: "cannot {method} {url}: a reading handle only sends GET and HEAD",
    hint: "change things in create, update or delete; observe and list must not change anything",
  },
  "SPT-PROV-009": {
    fault: "stuck",
    text: "cannot send a request to {url}: {cause}",
    hint: "use an absolute http:// or https:// address",
  },
  "SPT-PROV-010": {
    fault: "stuck",
    text: "cannot accept provider {kind}: {rule}: {cause}",
    hint: "docs/guides/writing-a-provider.md explains each rule of the conformance suite",
  },
  "SPT-PROV-011": {
    fault: "stuck",
    text: "cannot call {call}: there is no such handle here",
    hint: "run this kind in a plane, or bring the handle with worldWith({...})",
  },
  "SPT-PROV-012": {
    fault: "retry",
    text: "cannot run {program}: {cause}",
    hint: "it may or may not have had an effect; the target is observed before the next act",
  },
  "SPT-PROV-015": {
    fault: "retry",
    text: "cannot exchange messages with {address}: {cause}",
    hint: "it may or may not have had an effect; check that the server runs and can be reached",
  },
  "SPT-PROV-020": {
    fault: "stuck",
    text: "cannot accept provider {kind}: scenario {scenario}: {cause}",
    hint: "docs/guides/writing-a-provider.md lists the scenarios and what a driver must say",
  },
  "SPT-PROV-030": {
    fault: "retry",
    text: "cannot {call}: {errno}",
    hint: "it is tried again with backoff; check the data directory, its disk and /proc",
  },
  "SPT-PROV-031": {
    fault: "retry",
    text: "cannot start run {run} in {directory}: somebody else was faster",
    hint: "nothing was started twice; it is looked at again",
  },
  "SPT-PROV-032": {
    fault: "stuck",
    text: "cannot use {file}: it is not what the plane or its shim writes",
    hint: "stop what runs there by hand, then remove the file's directory",
  },
  "SPT-PROV-033": {
    fault: "retry",
    text: "cannot start {program}: {cause}",
    hint: "see `setpoint logs`; the next try comes with backoff",
  },
  "SPT-PROV-034": {
    fault: "stuck",
    text: "cannot start {program} as {user}: {cause}",
    hint: "run the plane as root, or leave `user` out",
  },
  "SPT-PROV-035": {
    fault: "retry",
    text: "cannot tell what runs in {directory}: it is gone, and process {pid} was started there",
    hint: "stop that process by hand, or bring the directory back",
  },
  "SPT-PROV-036": {
    fault: "retry",
    text: "cannot remove {directory}: its process {pid} runs",
    hint: "it is stopped first; nothing was removed",
  },
  "SPT-PROV-038": {
    fault: "stuck",
    text: "cannot use process {pid} from {directory}: it was started in {place}, which exists",
    hint: "this data directory is a copy; let only one of the two keep processes",
  },
  "SPT-PROV-037": {
    fault: "stuck",
    text: "cannot read a log from position {position}: there is no such position",
    hint: "give the `next` of an earlier answer, or none",
    status: 400,
    reason: "BadRequest",
  },
  "SPT-PROV-040": {
    fault: "stuck",
    text: "cannot import {kind}: {cause}",
    hint: "{hint}",
  },
})
