// GuardPolicy: floors for many loops that none of them can loosen. Cluster-scoped.

import { type ApiObject, setpointGroup, setpointVersion } from "../../object/object.ts"
import { defineBuiltIn, duration, flag, integer, list, object, text } from "./define.ts"

const limits = object({
  deletes: integer({ minimum: 0 }),
  deletesPercent: integer({ minimum: 0, maximum: 100 }),
  changes: integer({ minimum: 0 }),
  window: duration({ default: "10m" }),
})

const everywhere = object(
  { deletes: integer({ minimum: 0 }), window: duration({ default: "10m" }) },
  { required: ["deletes"] },
)

const approvals = object({
  required: integer({ minimum: 1, maximum: 10, default: 1 }),
  separateAuthor: flag({ default: false }),
  approvers: list(text({ minLength: 1 }), { default: [], maxItems: 100 }),
})

const freeze = object(
  {
    schedule: text({ minLength: 9, maxLength: 100 }),
    duration: duration(),
    timeZone: text({ default: "UTC", maxLength: 64 }),
  },
  { required: ["schedule", "duration"] },
)

export const guardPolicyDefinition: ApiObject = defineBuiltIn({
  group: setpointGroup,
  version: setpointVersion,
  kind: "GuardPolicy",
  plural: "guardpolicies",
  shortNames: ["gp"],
  namespaced: false,
  columns: [{ name: "Loops", type: "string", jsonPath: ".spec.loops" }],
  schema: object({
    spec: object(
      {
        loops: list(text(), { default: ["*"], maxItems: 1000 }),
        limits,
        everywhere,
        protectedKinds: list(text({ minLength: 1 }), { default: [], maxItems: 1000 }),
        approvals,
        freezes: list(freeze, { default: [], maxItems: 50 }),
      },
      { default: {} },
    ),
  }),
})
