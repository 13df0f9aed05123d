// Events under both of their names: v1, as they are stored, and events.k8s.io/v1.

import type { JsonObject } from "../../base/json.ts"
import type { ApiObject } from "../../object/object.ts"
import { defineBuiltIn, integer, object, text } from "./define.ts"

const reference = object(
  {
    apiVersion: text(),
    kind: text(),
    namespace: text(),
    name: text(),
    uid: text(),
    resourceVersion: text(),
    fieldPath: text(),
  },
  { "x-kubernetes-map-type": "atomic" },
)

const time = text({ nullable: true, format: "date-time" })
const source = object({ component: text(), host: text() })
const series = object({ count: integer({ format: "int32" }), lastObservedTime: time })

const shared: JsonObject = {
  related: reference,
  reason: text(),
  type: text(),
  action: text(),
  eventTime: time,
  reportingInstance: text(),
  series: { ...series, nullable: true },
}

const names = { kind: "Event", plural: "events", shortNames: ["ev"], namespaced: true } as const

export const eventDefinition: ApiObject = defineBuiltIn({
  ...{ group: "", version: "v1", ...names },
  schema: object({
    ...shared,
    involvedObject: reference,
    message: text(),
    count: integer({ format: "int32" }),
    firstTimestamp: time,
    lastTimestamp: time,
    reportingComponent: text(),
    source,
  }),
  traits: { createOnUpdate: true, unconditionalUpdate: true },
})

export const newEventDefinition: ApiObject = defineBuiltIn({
  ...{ group: "events.k8s.io", version: "v1", ...names },
  schema: object({
    ...shared,
    regarding: reference,
    note: text(),
    deprecatedCount: integer({ format: "int32" }),
    deprecatedFirstTimestamp: time,
    deprecatedLastTimestamp: time,
    reportingController: text(),
    deprecatedSource: source,
  }),
  traits: {
    createOnUpdate: true,
    unconditionalUpdate: true,
    storedAs: { group: "", version: "v1", resource: "events" },
  },
})
