// Setpoint's own kinds: Loop (people and sources write it), Plan (only the engine does) and Plane
// (people may change what it stops).

import { type ApiObject, setpointGroup, setpointVersion } from "../../object/object.ts"
import {
  conditions,
  defineBuiltIn,
  duration,
  flag,
  integer,
  list,
  object,
  open,
  text,
} from "./define.ts"
import { gitSource } from "./git-source.ts"

const choice = (values: readonly string[]) => text({ enum: values, default: values[0] ?? "" })

const limits = object(
  {
    deletes: integer({ minimum: 0, default: 5 }),
    deletesPercent: integer({ minimum: 0, maximum: 100, default: 10 }),
    changes: integer({ minimum: 0, default: 50 }),
    window: duration({ default: "10m" }),
    shrinkPercent: integer({ minimum: 0, maximum: 100, default: 50 }),
  },
  { default: {} },
)

const approvals = object(
  {
    required: integer({ minimum: 1, maximum: 10, default: 1 }),
    separateAuthor: flag({ default: false }),
    approvers: list(text({ minLength: 1 }), { default: [], maxItems: 100 }),
    expiresAfter: duration({ default: "7d" }),
  },
  { default: {} },
)

const source = object({
  directory: object(
    { path: text({ minLength: 1 }), root: text({ minLength: 1, maxLength: 4096 }) },
    { required: ["path"] },
  ),
  git: gitSource,
  promotion: object(
    {
      from: text({ minLength: 1, maxLength: 63 }),
      cleanRounds: integer({ minimum: 1, maximum: 1000, default: 3 }),
    },
    { required: ["from"] },
  ),
})

/** When acting is allowed, or frozen; no Open one = always. */
const window = object(
  {
    kind: choice(["Open", "Freeze"]),
    schedule: text({ minLength: 9, maxLength: 100 }),
    duration: duration(),
    timeZone: text({ default: "UTC", maxLength: 64 }),
  },
  { required: ["schedule", "duration"] },
)

const onDrift = ["Correct", "Report", "Hold"]
const onConflict = ["Hold", "DeclaredWins", "ObservedWins"]

/** One field, and everything below it, may do something else than its loop says. */
const path = object(
  {
    path: text({ minLength: 1, maxLength: 1000 }),
    onDrift: text({ enum: onDrift }),
    onConflict: text({ enum: onConflict }),
  },
  { required: ["path"] },
)

export const loopDefinition: ApiObject = defineBuiltIn({
  group: setpointGroup,
  version: setpointVersion,
  kind: "Loop",
  plural: "loops",
  namespaced: true,
  status: true,
  columns: [
    { name: "Mode", type: "string", jsonPath: ".spec.mode" },
    { name: "Ready", type: "string", jsonPath: '.status.conditions[?(@.type=="Ready")].status' },
  ],
  schema: object({
    spec: object(
      {
        source,
        mode: choice(["Observe", "Propose", "Enforce"]),
        interval: duration({ default: "5m" }),
        limits,
        onEmpty: choice(["Hold", "Allow"]),
        onDrift: choice(onDrift),
        onConflict: choice(onConflict),
        onVanish: choice(["Hold", "Correct"]),
        paths: list(path, { default: [], maxItems: 100 }),
        windows: list(window, { default: [], maxItems: 50 }),
        approvals,
        cleanRounds: integer({ minimum: 0, maximum: 1000, default: 3 }),
        sourceMaxAge: duration({ default: "1h" }),
        deletionDeadline: duration({ default: "1h" }),
      },
      { default: {} },
    ),
    status: object({ conditions }, { "x-kubernetes-preserve-unknown-fields": true }),
  }),
})

export const planDefinition: ApiObject = defineBuiltIn({
  group: setpointGroup,
  version: setpointVersion,
  kind: "Plan",
  plural: "plans",
  namespaced: true,
  status: true,
  columns: [
    { name: "Phase", type: "string", jsonPath: ".status.phase" },
    { name: "Loop", type: "string", jsonPath: ".spec.loop" },
    { name: "Summary", type: "string", jsonPath: ".spec.summary" },
  ],
  schema: object({ spec: open, status: open }),
})

/** What is stopped; `by` and `at` are the plane's to say. */
const stop = object({
  ...{ loop: text(), provider: text(), object: text() },
  scope: choice(["all", "deletes"]),
  ...{ by: text(), at: text(), reason: text(), until: text() },
})

export const planeDefinition: ApiObject = defineBuiltIn({
  group: setpointGroup,
  version: setpointVersion,
  kind: "Plane",
  plural: "planes",
  namespaced: false,
  status: true,
  schema: object({ spec: object({ stop: list(stop) }), status: open }),
})
