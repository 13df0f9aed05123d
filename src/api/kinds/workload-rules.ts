// Workload kinds as Go programs write them: a member that is null is not there. Field selectors may
// name what they may in Kubernetes.

import { at, isArray, isObject, type Json } from "../../base/json.ts"
import type { ApiObject } from "../../object/object.ts"
import type { KindRules } from "./kind-rules.ts"

function withoutNulls(value: Json): Json {
  if (isArray(value)) return value.map(withoutNulls)
  if (!isObject(value)) return value
  const members = Object.entries(value).filter(([, member]) => member !== null)
  return Object.fromEntries(
    members.map(([name, member]) => [name, member === undefined ? member : withoutNulls(member)]),
  )
}

/** By definition: paths, and what a Go program takes an absent one for. */
const selectable: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  pods: {
    "spec.nodeName": "",
    "spec.restartPolicy": "",
    "spec.schedulerName": "",
    "spec.serviceAccountName": "",
    "spec.hostNetwork": "false",
    "status.phase": "",
    "status.podIP": "",
    "status.nominatedNodeName": "",
  },
  nodes: { "spec.unschedulable": "false" },
  services: { "spec.clusterIP": "", "spec.type": "" },
  "jobs.batch": { "status.successful": "0" },
}

/** A field whose name in selectors is not its own. */
const renamed: Readonly<Record<string, string>> = { "status.successful": "status.succeeded" }

function fieldsOf(definition: string): NonNullable<KindRules["fields"]> {
  const paths = Object.entries(selectable[definition] ?? {})
  return Object.fromEntries(
    paths.map(([path, absent]) => {
      const names = (renamed[path] ?? path).split(".")
      return [path, (object: ApiObject) => String(at(object as Json, ...names) ?? absent)]
    }),
  )
}

export const workloadRules = (definition: string): KindRules => ({
  complete: (object) => {
    const { metadata, ...rest } = object
    return { ...(withoutNulls(rest as Json) as object), metadata } as ApiObject
  },
  fields: fieldsOf(definition),
})
