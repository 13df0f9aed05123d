// Changed limits as people write them ("limits.deletes=2", or a part of a Loop's spec), put over a
// spec that is in force. What a loop does not have is refused, and so is a value it can't have.

import { parseDuration } from "../base/clock.ts"
import { isArray, isObject, type Json, type JsonObject } from "../base/json.ts"
import { jsonText } from "../base/json-text.ts"
import type { LoopSpec } from "../contract/loop.ts"
import { controllerFault } from "./faults.ts"
import { loopSpecOf } from "./loop-spec.ts"

/** What guards judge by, and what it is called inside. */
const fields: Readonly<Record<string, keyof LoopSpec>> = {
  mode: "mode",
  onEmpty: "onEmpty",
  onDrift: "onDrift",
  onConflict: "onConflict",
  onVanish: "onVanish",
  paths: "paths",
  windows: "windows",
  sourceMaxAge: "sourceMaxAgeMs",
}
const limitFields: Readonly<Record<string, keyof LoopSpec["limits"]>> = {
  deletes: "deletes",
  deletesPercent: "deletesPercent",
  changes: "changes",
  window: "windowMs",
  shrinkPercent: "shrinkPercent",
}

export function changeSpec(part: JsonObject): (spec: LoopSpec) => LoopSpec {
  const { limits, ...others } = part
  if (limits !== undefined && !isObject(limits)) throw refused("limits", limits)
  const wanted = limits ?? {}
  for (const name of Object.keys(wanted)) need(limitFields[name], `limits.${name}`, wanted[name])
  for (const name of Object.keys(others)) need(fields[name], name, others[name])
  const read = loopSpecOf({ apiVersion: "", kind: "Loop", metadata: { name: "" }, spec: part })
  check(part, read)
  const chosen = Object.keys(others).map((name) => fields[name] ?? "mode")
  const chosenLimits = Object.keys(wanted).map((name) => limitFields[name] ?? "deletes")
  return (spec) => ({
    ...spec,
    ...Object.fromEntries(chosen.map((name) => [name, read[name]])),
    limits: {
      ...spec.limits,
      ...Object.fromEntries(chosenLimits.map((name) => [name, read.limits[name]])),
    },
  })
}

function need(known: string | undefined, field: string, value: Json | undefined): void {
  if (known === undefined) throw refused(field, value)
}

function refused(field: string, value: Json | undefined): Error {
  return controllerFault("SPT-GUARD-001", { field, value: jsonText(value ?? null) })
}

/** What was read must be what was written: a word that is no choice would be read as the safest. */
function check(part: JsonObject, read: LoopSpec): void {
  for (const name of ["mode", "onEmpty", "onDrift", "onConflict", "onVanish"] as const) {
    const value = part[name]
    if (value === undefined || value === read[name]) continue
    throw refused(name, value)
  }
  for (const name of ["paths", "windows"] as const) {
    const value = part[name]
    if (value !== undefined && !(isArray(value) && value.every(isObject))) {
      throw refused(name, value)
    }
  }
  const limits = isObject(part.limits) ? part.limits : {}
  for (const name of ["deletes", "deletesPercent", "changes", "shrinkPercent"] as const) {
    const value = limits[name]
    if (value === undefined || (typeof value === "number" && value >= 0)) continue
    throw refused(`limits.${name}`, value)
  }
  const times = { "limits.window": limits.window, sourceMaxAge: part.sourceMaxAge }
  for (const [field, value] of Object.entries(times)) {
    const known = typeof value === "string" && (parseDuration(value) ?? 0) > 0
    if (value !== undefined && !known) throw refused(field, value)
  }
}
