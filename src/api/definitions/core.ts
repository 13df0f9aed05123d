// The built-in kinds of Kubernetes' core group that a plane needs by itself.

import type { ApiObject } from "../../object/object.ts"
import {
  conditions,
  defineBuiltIn,
  flag,
  integer,
  list,
  object,
  open,
  text,
  textMap,
} from "./define.ts"

export const namespaceDefinition: ApiObject = defineBuiltIn({
  group: "",
  version: "v1",
  kind: "Namespace",
  plural: "namespaces",
  shortNames: ["ns"],
  namespaced: false,
  status: true,
  columns: [{ name: "Status", type: "string", jsonPath: ".status.phase" }],
  schema: object({
    spec: object({ finalizers: list(text()) }),
    status: object({ phase: text(), conditions }),
  }),
})

export const configMapDefinition: ApiObject = defineBuiltIn({
  group: "",
  version: "v1",
  kind: "ConfigMap",
  plural: "configmaps",
  shortNames: ["cm"],
  namespaced: true,
  schema: object({ data: textMap(), binaryData: textMap(), immutable: flag() }),
})

const involved = object({
  apiVersion: text(),
  kind: text(),
  namespace: text(),
  name: text(),
  uid: text(),
  resourceVersion: text(),
  fieldPath: text(),
})

export const eventDefinition: ApiObject = defineBuiltIn({
  group: "",
  version: "v1",
  kind: "Event",
  plural: "events",
  shortNames: ["ev"],
  namespaced: true,
  columns: [
    { name: "Type", type: "string", jsonPath: ".type" },
    { name: "Reason", type: "string", jsonPath: ".reason" },
    { name: "Message", type: "string", jsonPath: ".message" },
  ],
  schema: object({
    involvedObject: involved,
    related: involved,
    reason: text(),
    message: text(),
    type: text(),
    action: text(),
    count: integer(),
    firstTimestamp: text({ nullable: true }),
    lastTimestamp: text({ nullable: true }),
    eventTime: text({ nullable: true }),
    reportingComponent: text(),
    reportingInstance: text(),
    source: object({ component: text(), host: text() }),
    series: open,
  }),
})
