// Leases: how processes agree who leads. Plain data; their clock is their holder's.

import type { ApiObject } from "../../object/object.ts"
import { defineBuiltIn, integer, object, text } from "./define.ts"

const time = text({ nullable: true, format: "date-time" })

export const leaseDefinition: ApiObject = defineBuiltIn({
  group: "coordination.k8s.io",
  version: "v1",
  kind: "Lease",
  plural: "leases",
  namespaced: true,
  columns: [
    { name: "Holder", type: "string", jsonPath: ".spec.holderIdentity" },
    { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" },
  ],
  schema: object({
    spec: object({
      holderIdentity: text({ nullable: true }),
      leaseDurationSeconds: integer({ nullable: true, format: "int32" }),
      acquireTime: time,
      renewTime: time,
      leaseTransitions: integer({ nullable: true, format: "int32" }),
      strategy: text({ nullable: true }),
      preferredHolder: text({ nullable: true }),
    }),
  }),
  traits: { createOnUpdate: true },
})
