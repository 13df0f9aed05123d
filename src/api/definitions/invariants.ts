// Invariants (what must always be true of a loop's targets) and Signals (numbers that are observed
// and that invariants may speak of). People and sources write them; the engine writes their status.

import type { JsonObject } from "../../base/json.ts"
import { type ApiObject, setpointGroup, setpointVersion } from "../../object/object.ts"
import { conditions, defineBuiltIn, duration, integer, list, object, open, text } from "./define.ts"

const number: JsonObject = { type: "number" }
const name = text({ minLength: 1, maxLength: 253 })

/** Sets fields of one object of the same loop; guards judge what follows like any change. */
const correction = object(
  {
    apiVersion: text({ minLength: 1, maxLength: 300 }),
    kind: text({ minLength: 1, maxLength: 63 }),
    name,
    spec: open,
  },
  { required: ["apiVersion", "kind", "name", "spec"] },
)

export const invariantDefinition: ApiObject = defineBuiltIn({
  group: setpointGroup,
  version: setpointVersion,
  kind: "Invariant",
  plural: "invariants",
  shortNames: ["inv"],
  namespaced: true,
  status: true,
  columns: [
    { name: "State", type: "string", jsonPath: ".status.state" },
    { name: "Loop", type: "string", jsonPath: ".spec.loop" },
    { name: "Message", type: "string", jsonPath: ".status.message" },
  ],
  schema: object(
    {
      spec: object(
        {
          loop: name,
          expression: text({ minLength: 1, maxLength: 10_000 }),
          kinds: list(text({ minLength: 1, maxLength: 63 }), { default: [], maxItems: 20 }),
          over: list(text({ enum: ["Observed", "Predicted"] }), {
            default: ["Observed", "Predicted"],
            minItems: 1,
            maxItems: 2,
          }),
          signals: list(name, { default: [], maxItems: 20 }),
          onBroken: text({ enum: ["Report", "StopDeletes", "StopLoop"], default: "Report" }),
          /** So long it must be broken before that is told and answered. Guards don't wait. */
          for: duration({ default: "5s" }),
          correction,
          message: text({ maxLength: 500 }),
        },
        { required: ["loop", "expression"] },
      ),
      status: object({ conditions }, { "x-kubernetes-preserve-unknown-fields": true }),
    },
    { required: ["spec"] },
  ),
})

const http = object(
  {
    url: text({ minLength: 8, maxLength: 2000 }),
    expectStatus: integer({ minimum: 100, maximum: 599 }),
    /** latencyMs, status, or a dotted path into the JSON answer. */
    read: text({ default: "latencyMs", minLength: 1, maxLength: 500 }),
  },
  { required: ["url"] },
)

const prometheus = object(
  { url: text({ minLength: 8, maxLength: 2000 }), query: text({ minLength: 1, maxLength: 4000 }) },
  { required: ["url", "query"] },
)

/** The connection is a file of the plane's operator, so that no manifest carries a password. */
const sql = object(
  {
    connection: text({ pattern: "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$", maxLength: 63 }),
    query: text({ minLength: 1, maxLength: 10_000 }),
  },
  { required: ["connection", "query"] },
)

/** Only programs that the plane was started with; no shell is involved. */
const command = object(
  {
    argv: list(text({ maxLength: 4000 }), { minItems: 1, maxItems: 50 }),
    read: text({ enum: ["exitCode", "stdout"], default: "stdout" }),
  },
  { required: ["argv"] },
)

/** How many new lines match. */
const log = object(
  {
    path: text({ minLength: 2, maxLength: 4000 }),
    pattern: text({ minLength: 1, maxLength: 1000 }),
    window: duration({ default: "5m" }),
  },
  { required: ["path", "pattern"] },
)

export const signalDefinition: ApiObject = defineBuiltIn({
  group: setpointGroup,
  version: setpointVersion,
  kind: "Signal",
  plural: "signals",
  namespaced: true,
  status: true,
  columns: [
    { name: "Value", type: "number", jsonPath: ".status.value" },
    { name: "State", type: "string", jsonPath: ".status.state" },
    { name: "Observed", type: "date", jsonPath: ".status.observedAt" },
    { name: "Message", type: "string", jsonPath: ".status.message" },
  ],
  schema: object(
    {
      spec: object(
        {
          http,
          prometheus,
          sql,
          command,
          log,
          interval: duration({ default: "30s" }),
          timeout: duration({ default: "10s" }),
          /** Three intervals when it is not given. */
          staleAfter: duration(),
          breach: object({ above: number, below: number }),
          /** Where it counts as good again; the breach's own limits when it is not given. */
          clear: object({ above: number, below: number }),
          for: integer({ minimum: 1, maximum: 1000, default: 1 }),
        },
        {},
      ),
      status: object({ conditions }, { "x-kubernetes-preserve-unknown-fields": true }),
    },
    { required: ["spec"] },
  ),
})
