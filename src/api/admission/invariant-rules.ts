// Invariants and signals: an expression must compile, a signal must say exactly one thing to look
// at, patterns must be RE2, durations must make sense. Agents may propose new ones; loosening what
// is there is a person's or a source's decision.

import { RE2JS } from "re2js"
import { parseDuration } from "../../base/clock.ts"
import { at, type Json } from "../../base/json.ts"
import type { Admission, AdmissionRequest } from "../../contract/admission.ts"
import { invariantVariables, probeKinds } from "../../contract/invariant.ts"
import { setpointGroup } from "../../object/object.ts"
import { compileCel, problemText } from "../../schema/cel/compile-cel.ts"
import { apiFault, type FieldCause } from "../faults.ts"
import { faultNames } from "../stored-object.ts"
import { invalidFault } from "../validate-object.ts"

export const invariantAdmission: Admission = {
  admit: (request) => {
    const { key, object, operation, subresource } = request
    if (key.group !== setpointGroup || subresource === "status") return object
    const check = checks[key.resource]
    if (check === undefined) return object
    refuseAgents(request)
    if (operation === "delete") return object
    const causes = check(object.spec)
    if (causes.length > 0) throw invalidFault(request.kind, key.name, causes)
    return object
  },
}

function refuseAgents({ principal, old, operation, key }: AdmissionRequest): void {
  const loosens = operation === "delete" || old !== undefined
  if (principal.kind !== "agent" || !loosens) return
  const why = "an agent may not change or remove what guards its own proposals"
  throw apiFault("SPT-API-013", {
    verb: operation,
    ...faultNames(key),
    why,
    way: "ask a person to do it",
  })
}

const checks: Readonly<Record<string, (spec: Json | undefined) => FieldCause[]>> = {
  invariants: checkInvariant,
  signals: checkSignal,
}

const invalid = (field: string, message: string): FieldCause => ({
  field: `spec.${field}`,
  reason: "FieldValueInvalid",
  message,
})

function checkInvariant(spec: Json | undefined): FieldCause[] {
  const held = at(spec, "for")
  const ms = typeof held === "string" ? parseDuration(held) : 0
  const causes =
    ms === undefined || ms > intervalMaxMs ? [invalid("for", "must be at most 24h")] : []
  const source = at(spec, "expression")
  if (typeof source !== "string") return causes
  const compiled = compileCel(source, { variables: invariantVariables, type: "bool" })
  if (compiled.kind === "expression") return causes
  return [...causes, invalid("expression", problemText(compiled.problem, source))]
}

const intervalMinMs = 1000
const intervalMaxMs = 24 * 3_600_000

function checkSignal(spec: Json | undefined): FieldCause[] {
  const given = probeKinds.filter((kind) => at(spec, kind) !== undefined)
  const causes: FieldCause[] = []
  if (given.length !== 1) {
    const message = `exactly one of ${probeKinds.join(", ")} is needed, not ${given.length}`
    causes.push({ field: "spec", reason: "FieldValueInvalid", message })
  }
  for (const field of ["interval", "timeout", "staleAfter"]) {
    const text = at(spec, field)
    const ms = typeof text === "string" ? parseDuration(text) : intervalMinMs
    if (ms !== undefined && ms >= intervalMinMs && ms <= intervalMaxMs) continue
    causes.push(invalid(field, "must be a duration from 1s to 24h"))
  }
  for (const kind of ["http", "prometheus"]) {
    const url = at(spec, kind, "url")
    if (typeof url !== "string" || isHttp(url)) continue
    causes.push(invalid(`${kind}.url`, "must be an http or https address"))
  }
  for (const path of [at(spec, "command", "argv"), [at(spec, "log", "path") ?? "/"]]) {
    const [first] = Array.isArray(path) ? path : ["/"]
    if (typeof first === "string" && first.startsWith("/")) continue
    causes.push(invalid("command.argv", "programs and logs are named by absolute paths"))
  }
  return [...causes, ...checkPattern(at(spec, "log", "pattern"))]
}

function isHttp(text: string): boolean {
  const url = URL.parse(text)
  return url?.protocol === "http:" || url?.protocol === "https:"
}

function checkPattern(pattern: Json | undefined): FieldCause[] {
  if (typeof pattern !== "string") return []
  try {
    RE2JS.compile(pattern)
    return []
  } catch (error) {
    return [invalid("log.pattern", `is not an RE2 pattern: ${String(error)}`)]
  }
}
