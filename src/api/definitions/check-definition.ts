// Everything that keeps a definition from being stored, as Kubernetes says it. Pure: looks at the
// definition and its former self, never at what else is defined.

import { at, equalJson, isArray, isObject, type Json, type JsonObject } from "../../base/json.ts"
import { jsonText } from "../../base/json-text.ts"
import type { ApiObject } from "../../object/object.ts"
import { schemaIssues } from "../../schema/compile-schema.ts"
import { type IssuePath, kubeText } from "../../schema/issue.ts"
import type { FieldCause } from "../faults.ts"
import { approvalOf, approvedAnnotation, isProtectedGroup } from "./approval.ts"
import { checkConversion } from "./check-conversion.ts"
import { checkVersionParts } from "./check-version.ts"
import { objectsAt, type Refuse, textAt } from "./definition-parts.ts"

const label = /^[a-z]([-a-z0-9]*[a-z0-9])?$/
const subdomain = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/
const labelSays =
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an " +
  "alphabetic character, and end with an alphanumeric character"

export function checkDefinition(object: ApiObject, old: ApiObject | undefined): FieldCause[] {
  const causes: FieldCause[] = []
  const refuse: Refuse = (field, message, reason = "FieldValueInvalid") =>
    causes.push({ field, reason, message })
  const spec: JsonObject = isObject(object.spec) ? object.spec : {}
  const name = `${textAt(spec.names, "plural")}.${textAt(spec, "group")}`
  if (object.metadata.name !== name) {
    const value = JSON.stringify(object.metadata.name)
    refuse("metadata.name", `Invalid value: ${value}: must be spec.names.plural+"."+spec.group`)
  }
  checkGroup(textAt(spec, "group"), refuse)
  checkNames(spec.names, refuse)
  checkVersions(spec, refuse)
  if (spec.preserveUnknownFields === true) {
    const says = "cannot set to true, set x-kubernetes-preserve-unknown-fields to true in "
    const where = "spec.versions[*].schema instead"
    refuse("spec.preserveUnknownFields", `Invalid value: true: ${says}${where}`)
  }
  checkConversion(spec.conversion, refuse)
  checkApproval(object, old, refuse)
  checkImmutable(spec, old, refuse)
  checkStored(object, spec, refuse)
  if (causes.length === 0) checkSchemas(spec, old, causes)
  return causes
}

function checkGroup(group: string, refuse: Refuse): void {
  const shown = `Invalid value: ${JSON.stringify(group)}`
  if (group === "") {
    refuse("spec.group", "Required value", "FieldValueRequired")
    return
  }
  if (!subdomain.test(group) || group.length > 253) {
    refuse("spec.group", `${shown}: must be a lowercase RFC 1123 subdomain`)
    return
  }
  if (!group.includes(".")) {
    refuse("spec.group", `${shown}: should be a domain with at least one dot`)
  }
}

function checkNames(names: Json | undefined, refuse: Refuse): void {
  const check = (field: string, value: string, says = labelSays) => {
    if (label.test(value) && value.length <= 63) return
    refuse(`spec.names.${field}`, `Invalid value: ${jsonText(value)}: ${says}`)
  }
  const mixed = `may have mixed case, but should otherwise match: ${labelSays}`
  check("plural", textAt(names, "plural"))
  check("singular", textAt(names, "singular"))
  check("kind", textAt(names, "kind").toLowerCase(), mixed)
  check("listKind", textAt(names, "listKind").toLowerCase(), mixed)
  if (textAt(names, "kind") === textAt(names, "listKind")) {
    const shown = JSON.stringify(textAt(names, "listKind"))
    const says = "kind and listKind may not be the same"
    refuse("spec.names.listKind", `Invalid value: ${shown}: ${says}`)
  }
  for (const list of ["shortNames", "categories"]) {
    const values = isObject(names) && isArray(names[list]) ? names[list] : []
    for (const [index, value] of values.entries()) check(`${list}[${index}]`, String(value))
  }
}

function checkVersions(spec: JsonObject, refuse: Refuse): void {
  const versions = objectsAt(spec, "versions")
  const storing = versions.filter((version) => version.storage === true)
  if (storing.length !== 1) {
    const says = "must have exactly one version marked as storage version"
    refuse("spec.versions", `Invalid value: ${says}`)
  }
  if (new Set(versions.map((version) => version.name)).size !== versions.length) {
    refuse("spec.versions", "Invalid value: must contain unique version names")
  }
  for (const [index, version] of versions.entries()) {
    const field = `spec.versions[${index}]`
    const name = textAt(version, "name")
    if (!label.test(name) || name.length > 63) {
      refuse(`${field}.name`, `Invalid value: ${JSON.stringify(name)}: ${labelSays}`)
    }
    if (!isObject(at(version, "schema", "openAPIV3Schema"))) {
      const says = "Required value: schemas are required"
      refuse(`${field}.schema.openAPIV3Schema`, says, "FieldValueRequired")
    }
    checkVersionParts(version, field, refuse)
  }
}

function checkApproval(object: ApiObject, old: ApiObject | undefined, refuse: Refuse): void {
  if (!isProtectedGroup(textAt(object.spec as Json | undefined, "group"))) return
  const { state, reason } = approvalOf(object)
  if (old !== undefined && approvalOf(old).state === state) return
  const field = `metadata.annotations[${approvedAnnotation}]`
  if (state === "missing") refuse(field, `Required value: ${reason}`, "FieldValueRequired")
  if (state === "invalid") {
    const shown = JSON.stringify(object.metadata.annotations?.[approvedAnnotation] ?? "")
    refuse(field, `Invalid value: ${shown}: ${reason}`)
  }
}

/** What objects and clients rely on can't change once the definition is served. */
function checkImmutable(spec: JsonObject, old: ApiObject | undefined, refuse: Refuse): void {
  if (old === undefined) return
  const before = (old.spec ?? {}) as JsonObject
  const parts = [["group"], ["scope"], ["names", "kind"], ["names", "plural"]]
  for (const part of parts) {
    const value = at(spec, ...part)
    if (equalJson(at(before, ...part), value)) continue
    const shown = jsonText(value ?? null)
    refuse(`spec.${part.join(".")}`, `Invalid value: ${shown}: field is immutable`)
  }
}

/** Objects may still be stored in it: a version goes only when status.storedVersions lets it. */
function checkStored(object: ApiObject, spec: JsonObject, refuse: Refuse): void {
  const names = objectsAt(spec, "versions").map((version) => version.name)
  const stored = object.status?.storedVersions
  for (const [index, name] of (isArray(stored) ? stored : []).entries()) {
    if (names.includes(name)) continue
    const field = `status.storedVersions[${index}]`
    const says =
      `missing from spec.versions; ${String(name)} was previously a storage version, and must ` +
      "remain in spec.versions until a storage migration ensures no data remains persisted in " +
      `${String(name)} and removes ${String(name)} from status.storedVersions`
    refuse(field, `Invalid value: ${JSON.stringify(name)}: ${says}`)
  }
}

function checkSchemas(spec: JsonObject, old: ApiObject | undefined, causes: FieldCause[]): void {
  const before = objectsAt(old?.spec as Json | undefined, "versions")
  for (const [index, version] of objectsAt(spec, "versions").entries()) {
    const schema = at(version, "schema", "openAPIV3Schema")
    const former = before.find((one) => one.name === version.name)
    // What is served already stays, whatever newer rules would say.
    if (!isObject(schema) || equalJson(schema, at(former ?? {}, "schema", "openAPIV3Schema"))) {
      continue
    }
    for (const issue of schemaIssues(schema)) {
      const field = `spec.versions[${index}].schema.openAPIV3Schema${schemaPath(issue.path)}`
      const reason = `FieldValue${issue.code === "Unknown" ? "Invalid" : issue.code}`
      causes.push({ field, reason, message: kubeText(issue) })
    }
  }
}

/** `.properties[spec].properties[size].type`, as Kubernetes writes places in a schema. */
function schemaPath(path: IssuePath): string {
  let text = ""
  let before: string | number | undefined
  const keyed = ["properties", "allOf", "anyOf", "oneOf", "x-kubernetes-validations"]
  for (const part of path) {
    const inside = typeof part === "number" || keyed.includes(String(before))
    text += inside ? `[${part}]` : `.${part}`
    before = inside ? undefined : part
  }
  return text
}
