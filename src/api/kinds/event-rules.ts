// Events in both of their forms. Old clients may leave much out; an event with an eventTime is a
// new one and says who reports what. Through events.k8s.io only its series may change afterwards.

import { equalJson, isObject, type Json } from "../../base/json.ts"
import type { ApiObject } from "../../object/object.ts"
import type { FieldCause } from "../faults.ts"
import { isQualifiedName } from "../metadata-rules.ts"
import { invalid, required } from "./cause.ts"
import { toCoreEvent, toNewEvent } from "./event-view.ts"
import type { KindRules } from "./kind-rules.ts"

const textMax = 128
const noteMax = 1024

function textAt(object: ApiObject, ...path: readonly string[]): string {
  let value: Json | undefined = object as Json
  for (const name of path) value = isObject(value) ? value[name] : undefined
  return typeof value === "string" ? value : ""
}

/** `event` is in its core form; `controller` is what the caller's form calls the reporter. */
function checkCore(event: ApiObject, controller: string): FieldCause[] {
  const about = textAt(event, "involvedObject", "namespace")
  const namespace = event.metadata.namespace ?? ""
  const elsewhere = invalid("involvedObject.namespace", "does not match event.namespace")
  if (textAt(event, "eventTime") === "") {
    const fits = about === "" ? namespace === "default" : about === namespace
    return fits ? [] : [elsewhere]
  }
  const causes: FieldCause[] = []
  if (about === "" && !["default", "kube-system"].includes(namespace)) causes.push(elsewhere)
  const reporter = textAt(event, "reportingComponent")
  if (reporter === "") causes.push(required(controller))
  else if (!isQualifiedName(reporter)) causes.push(invalid(controller, "is no qualified name"))
  for (const field of ["reportingInstance", "action", "reason"]) {
    const text = textAt(event, field)
    if (text === "") causes.push(required(field))
    if (text.length > textMax) causes.push(invalid(field, `can have at most ${textMax} characters`))
  }
  if (textAt(event, "message").length > noteMax) {
    causes.push(invalid("message", `can have at most ${noteMax} characters`))
  }
  return causes
}

function checkSeries({ series }: ApiObject): FieldCause[] {
  if (!isObject(series)) return []
  const few = typeof series.count !== "number" || series.count < 2
  return [
    ...(few ? [invalid("series.count", "should be at least 2")] : []),
    ...(series.lastObservedTime ? [] : [required("series.lastObservedTime")]),
  ]
}

function checkNew(event: ApiObject): FieldCause[] {
  const set = (name: string) => Boolean(event[name])
  const source = isObject(event.source) ? event.source : {}
  return [
    ...checkSeries(event),
    ...(set("eventTime") ? [] : [required("eventTime")]),
    ...(["Normal", "Warning"].includes(textAt(event, "type"))
      ? []
      : [invalid("type", `has invalid value: ${textAt(event, "type").slice(0, 100)}`)]),
    ...["firstTimestamp", "lastTimestamp", "count"]
      .filter(set)
      .map((name) => invalid(name, "needs to be unset")),
    ...(source.component || source.host ? [invalid("source", "needs to be unset")] : []),
  ]
}

const fixed = [
  ...["involvedObject", "reason", "message", "source", "firstTimestamp", "lastTimestamp", "count"],
  ...["type", "eventTime", "action", "related", "reportingComponent", "reportingInstance"],
]

function checkNewUpdate(event: ApiObject, old: ApiObject): FieldCause[] {
  const same = (name: string) => equalJson(event[name] as Json, old[name] as Json)
  return [
    ...(same("series") ? [] : checkSeries(event)),
    ...fixed.filter((name) => !same(name)).map((name) => invalid(name, "field is immutable")),
  ]
}

const involvedFields = [
  ...["kind", "namespace", "name", "uid", "apiVersion", "resourceVersion", "fieldPath"],
] as const

const fieldsOf = (involved: string, reporter: string) => ({
  ...Object.fromEntries(
    involvedFields.map((name) => [
      `${involved}.${name}`,
      (event: ApiObject) => textAt(event, involved, name),
    ]),
  ),
  reason: (event: ApiObject) => textAt(event, "reason"),
  type: (event: ApiObject) => textAt(event, "type"),
  [reporter]: (event: ApiObject) => textAt(event, reporter),
})

export const coreEventRules: KindRules = {
  check: (event) => checkCore(event, "reportingComponent"),
  fields: {
    ...fieldsOf("involvedObject", "reportingComponent"),
    source: (event) => textAt(event, "source", "component") || textAt(event, "reportingComponent"),
  },
}

export const newEventRules: KindRules = {
  fromStored: toNewEvent,
  toStored: toCoreEvent,
  check: (given, old) => {
    const event = toCoreEvent(given)
    const strict = old === undefined ? checkNew(event) : checkNewUpdate(event, toCoreEvent(old))
    return [...checkCore(event, "reportingController"), ...strict]
  },
  fields: fieldsOf("regarding", "reportingController"),
}
