// ValidatingAdmissionPolicies and their bindings beyond their schema: what must be there, and
// expressions that compile.

import { isObject, type Json, type JsonObject } from "../../base/json.ts"
import type { Scope } from "../admission/match/admission-cel.ts"
import { objects, texts } from "../admission/match/match-rule.ts"
import type { FieldCause } from "../faults.ts"
import { isDnsLabel, isQualifiedName, isSubdomain } from "../metadata-rules.ts"
import {
  badValue,
  checkCel,
  checkConditions,
  checkRules,
  checkSelector,
  duplicate,
  missing,
} from "./admission-match-rules.ts"
import { forbidden, required } from "./cause.ts"
import type { KindRules } from "./kind-rules.ts"

const annotationsMax = 20
const annotationLengthMax = 5 * 1024

export const admissionPolicyRules: KindRules = {
  check: ({ metadata, spec = {} }) => {
    const params = isObject(spec.paramKind)
    return [
      ...(isObject(spec.paramKind) ? checkParamKind(spec.paramKind, "spec.paramKind") : []),
      ...checkConstraints(spec.matchConstraints, "spec.matchConstraints"),
      ...checkConditions(spec.matchConditions, "spec.matchConditions", params),
      ...checkVariables(spec, params),
      ...checkValidations(spec, params),
      ...checkAnnotations(spec, params, metadata.name),
    ]
  },
}

const text = (value: Json | undefined): string => (typeof value === "string" ? value : "")

function checkParamKind({ apiVersion, kind }: JsonObject, field: string): FieldCause[] {
  const causes: FieldCause[] = []
  const parts = text(apiVersion).split("/")
  if (text(apiVersion) === "") causes.push(required(`${field}.apiVersion`))
  else if (parts.length > 2) {
    const why = `unexpected GroupVersion string: ${text(apiVersion)}`
    causes.push(badValue(`${field}.apiVersion`, apiVersion ?? "", why))
  } else if (
    !isDnsLabel(parts.at(-1) ?? "") ||
    (parts.length === 2 && !isSubdomain(parts[0] ?? ""))
  ) {
    causes.push(badValue(`${field}.apiVersion`, apiVersion ?? "", "is no group and version"))
  }
  if (text(kind) === "") causes.push(required(`${field}.kind`))
  else if (!isDnsLabel(text(kind).toLowerCase())) {
    causes.push(badValue(`${field}.kind`, kind ?? "", "is no name of a kind"))
  }
  return causes
}

function checkConstraints(value: Json | undefined, field: string): FieldCause[] {
  if (!isObject(value)) return [required(field)]
  const none = objects(value.resourceRules).length === 0
  return [...checkMatch(value, field), ...(none ? [required(`${field}.resourceRules`)] : [])]
}

function checkMatch(value: JsonObject, field: string): FieldCause[] {
  return [
    ...checkSelector(value.namespaceSelector, `${field}.namespaceSelector`),
    ...checkSelector(value.objectSelector, `${field}.objectSelector`),
    ...checkRules(value.resourceRules, `${field}.resourceRules`),
    ...checkRules(value.excludeResourceRules, `${field}.excludeResourceRules`),
  ]
}

const namesOf = (spec: JsonObject): string[] =>
  objects(spec.variables).map(({ name }) => text(name))

function checkVariables(spec: JsonObject, params: boolean): FieldCause[] {
  const names = namesOf(spec)
  return objects(spec.variables).flatMap(({ name, expression }, index) => {
    const at = `spec.variables[${index}]`
    const scope: Scope = { params, authorizer: true, variables: names.slice(0, index) }
    const causes = checkCel(expression, `${at}.expression`, scope)
    if (text(name).trim() === "") return [...causes, missing(`${at}.name`, "name is not specified")]
    if (/^[_a-zA-Z][_a-zA-Z0-9]*$/.test(text(name))) return causes
    return [...causes, badValue(`${at}.name`, name ?? "", "must be a valid CEL identifier")]
  })
}

function checkValidations(spec: JsonObject, params: boolean): FieldCause[] {
  const validations = objects(spec.validations)
  if (validations.length === 0 && objects(spec.auditAnnotations).length === 0) {
    const why = "validations or auditAnnotations must contain at least one item"
    return [missing("spec.validations", why), missing("spec.auditAnnotations", why)]
  }
  const scope: Scope = { params, authorizer: true, variables: namesOf(spec) }
  return validations.flatMap((one, index) => {
    const at = `spec.validations[${index}]`
    const causes = checkCel(one.expression, `${at}.expression`, scope, "bool")
    const [message, worded] = [text(one.message), text(one.messageExpression)]
    const empty = "must be non-empty if specified"
    if (worded !== "" && worded.trim() === "") {
      causes.push(badValue(`${at}.messageExpression`, worded, empty))
    } else if (worded !== "") {
      const wording = { ...scope, authorizer: false }
      causes.push(...checkCel(worded, `${at}.messageExpression`, wording, "string"))
    }
    if (message !== "" && message.trim() === "") {
      causes.push(badValue(`${at}.message`, message, empty))
    } else if (/[\n\r]/.test(message.trim())) {
      causes.push(badValue(`${at}.message`, message, "must not contain line breaks"))
    }
    return causes
  })
}

function checkAnnotations(spec: JsonObject, params: boolean, policy: string): FieldCause[] {
  const field = "spec.auditAnnotations"
  const given = objects(spec.auditAnnotations)
  const keys = given.map(({ key }) => text(key))
  const scope: Scope = { params, authorizer: true, variables: namesOf(spec) }
  const causes = given.flatMap(({ valueExpression }, index): FieldCause[] => {
    const at = `${field}[${index}]`
    const key = keys[index] ?? ""
    const named = isQualifiedName(`${policy}/${key}`)
    const long = text(valueExpression).length > annotationLengthMax
    return [
      ...(named ? [] : [badValue(`${at}.key`, key, "is no qualified name with the policy's name")]),
      ...(keys.indexOf(key) < index ? [duplicate(`${at}.key`, key)] : []),
      ...(long
        ? [
            missing(
              `${at}.valueExpression`,
              `must not exceed ${annotationLengthMax} bytes in length`,
            ),
          ]
        : checkCel(valueExpression, `${at}.valueExpression`, scope)),
    ]
  })
  if (given.length <= annotationsMax) return causes
  return [...causes, badValue(field, given.length, `must not have more than ${annotationsMax}`)]
}

export const admissionBindingRules: KindRules = {
  check: ({ spec = {} }) => [
    ...checkPolicyName(text(spec.policyName)),
    ...(isObject(spec.paramRef) ? checkParamRef(spec.paramRef, "spec.paramRef") : []),
    ...(isObject(spec.matchResources)
      ? checkMatch(spec.matchResources, "spec.matchResources")
      : []),
    ...checkActions(texts(spec.validationActions), "spec.validationActions"),
  ],
}

function checkPolicyName(name: string): FieldCause[] {
  if (name === "") return [required("spec.policyName")]
  if (isSubdomain(name)) return []
  return [badValue("spec.policyName", name, "must be a lower case RFC 1123 subdomain")]
}

function checkParamRef(ref: JsonObject, field: string): FieldCause[] {
  const causes = checkSelector(ref.selector, `${field}.selector`)
  const name = text(ref.name)
  if (name !== "" && isObject(ref.selector)) {
    const why = "Forbidden: name and selector are mutually exclusive"
    causes.push(forbidden(`${field}.name`, why), forbidden(`${field}.selector`, why))
  }
  if (name === "" && !isObject(ref.selector)) {
    causes.push(missing(field, "one of name or selector must be specified"))
  }
  const action = `${field}.parameterNotFoundAction`
  if (text(ref.parameterNotFoundAction) === "") causes.push(required(action))
  return causes
}

function checkActions(actions: readonly string[], field: string): FieldCause[] {
  if (actions.length === 0) return [missing(field, "at least one validation action is required")]
  if (!actions.includes("Deny") || !actions.includes("Warn")) return []
  const why =
    "must not contain both Deny and Warn (repeating the same validation failure information in " +
    "the API response and headers serves no purpose)"
  return [badValue(field, actions, why)]
}
