// The kind ProcessSet: so many interchangeable processes, kept in service while they are replaced.

import { defineComposite } from "../../../provider/define-composite.ts"
import { composeSet } from "./compose-set.ts"
import { setGroup } from "./replica.ts"
import { setSpec } from "./set-spec.ts"

export const processSet = defineComposite({
  group: setGroup,
  version: "v1",
  kind: "ProcessSet",
  shortNames: ["pset"],
  description:
    "So many interchangeable processes. A new template takes over step by step, and goes back by " +
    "itself when it does not work.",
  spec: setSpec,
  children: [{ group: setGroup, kind: "Process" }],
  related: [{ group: setGroup, kind: "Balancer" }],
  scale: { spec: "spec.replicas", status: "status.replicas", selector: "status.selector" },
  printerColumns: [
    { name: "Wanted", type: "integer", jsonPath: ".spec.replicas" },
    { name: "Available", type: "integer", jsonPath: ".status.availableReplicas" },
    { name: "Revision", type: "string", jsonPath: ".status.revision" },
    {
      name: "Progress",
      type: "string",
      jsonPath: '.status.conditions[?(@.type=="Progressing")].reason',
    },
  ],
  compose: composeSet,
})
