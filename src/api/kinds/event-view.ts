// One stored event, two forms: v1 as it is stored, and events.k8s.io/v1, whose fields have other
// names. Each form keeps everything of the other.

import type { ApiObject } from "../../object/object.ts"

export const newEventVersion = "events.k8s.io/v1"

/** Stored name, name in events.k8s.io/v1. */
const renamed: readonly (readonly [string, string])[] = [
  ["involvedObject", "regarding"],
  ["message", "note"],
  ["reportingComponent", "reportingController"],
  ["source", "deprecatedSource"],
  ["firstTimestamp", "deprecatedFirstTimestamp"],
  ["lastTimestamp", "deprecatedLastTimestamp"],
  ["count", "deprecatedCount"],
]

const toNew = new Map(renamed)
const toCore = new Map(renamed.map(([core, other]) => [other, core]))

function rename(
  object: ApiObject,
  names: ReadonlyMap<string, string>,
  apiVersion: string,
): ApiObject {
  if (object.apiVersion === apiVersion) return object
  const members = Object.entries(object).map(([name, value]) => [names.get(name) ?? name, value])
  return { ...Object.fromEntries(members), apiVersion } as ApiObject
}

export const toNewEvent = (object: ApiObject): ApiObject => rename(object, toNew, newEventVersion)
export const toCoreEvent = (object: ApiObject): ApiObject => rename(object, toCore, "v1")
