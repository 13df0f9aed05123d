// Workload kinds as Go programs write them: a member that is null is not there.

import { isArray, isObject, type Json } from "../../base/json.ts"
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

export const workloadRules: KindRules = {
  complete: (object) => {
    const { metadata, ...rest } = object
    return { ...(withoutNulls(rest as Json) as object), metadata } as ApiObject
  },
}
