// The kinds NetworkIntent ("web may reach db on 5432") and FirewallHost (a host with its roles).

import { defineComposite } from "../../../provider/define-composite.ts"
import { composeIntent } from "./compose-intent.ts"
import { firewallHostSpec, intentSpec } from "./intent-spec.ts"

const group = "firewall.setpoint.dev"
const version = "v1alpha1"

export const firewallHost = defineComposite({
  ...{ group, version, kind: "FirewallHost" },
  description: "A host with its addresses and roles, for NetworkIntents of its namespace.",
  privileged: true,
  spec: firewallHostSpec,
  printerColumns: [
    { name: "Intent", type: "string", jsonPath: ".status.intent" },
    { name: "Rules", type: "integer", jsonPath: ".status.rules" },
  ],
})

export const networkIntent = defineComposite({
  ...{ group, version, kind: "NetworkIntent" },
  description:
    "Which roles may reach which on what ports; everything else between them is dropped.",
  spec: intentSpec,
  children: [{ group, kind: "Firewall" }],
  related: [
    { group, kind: "FirewallHost" },
    { group, kind: "NetworkIntent" },
  ],
  printerColumns: [{ name: "Rules", type: "integer", jsonPath: ".status.rules" }],
  compose: composeIntent,
})
