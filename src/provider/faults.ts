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
    hint: "the module must be an ES module that exports `kinds`: a list made by defineKind",
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
})
