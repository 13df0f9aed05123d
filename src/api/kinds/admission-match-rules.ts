// What webhook configurations and admission policies share beyond their schema: rules, selectors
// and match conditions, refused in Kubernetes' words.

import { isObject, type Json, type JsonObject } from "../../base/json.ts"
import { compileErrorText } from "../../schema/cel/compile-typed.ts"
import { compileAdmission, type Scope } from "../admission/match/admission-cel.ts"
import { objects, texts } from "../admission/match/match-rule.ts"
import type { FieldCause } from "../faults.ts"
import { isLabelValue, isQualifiedName } from "../metadata-rules.ts"
import { forbidden, invalid, required } from "./cause.ts"

export const badValue = (field: string, value: Json, detail: string): FieldCause =>
  invalid(field, `Invalid value: ${JSON.stringify(value)}: ${detail}`)

export const missing = (field: string, detail: string): FieldCause => ({
  ...required(field),
  message: `Required value: ${detail}`,
})

export const duplicate = (field: string, value: string): FieldCause => ({
  field,
  reason: "FieldValueDuplicate",
  message: `Duplicate value: ${JSON.stringify(value)}`,
})

export function checkRules(value: Json | undefined, field: string): FieldCause[] {
  return objects(value).flatMap((rule, index) => checkRule(rule, `${field}[${index}]`))
}

function checkRule(rule: JsonObject, field: string): FieldCause[] {
  const all = (name: string, what: string): FieldCause[] => {
    const values = texts(rule[name])
    if (values.length === 0) return [required(`${field}.${name}`)]
    if (values.length === 1 || !values.includes("*")) return []
    return [
      badValue(`${field}.${name}`, values, `if '*' is present, must not specify other ${what}`),
    ]
  }
  return [
    ...all("apiGroups", "API groups"),
    ...all("apiVersions", "API versions"),
    ...all("operations", "operations"),
    ...checkResources(texts(rule.resources), `${field}.resources`),
    ...checkNames(texts(rule.resourceNames), `${field}.resourceNames`),
  ]
}

function checkResources(resources: readonly string[], field: string): FieldCause[] {
  if (resources.length === 0) return [required(field)]
  const causes: FieldCause[] = []
  const [wide, below] = [new Set<string>(), new Set<string>()]
  for (const [index, text] of resources.entries()) {
    const at = `${field}[${index}]`
    if (text === "") causes.push(required(at))
    const slash = text.indexOf("/")
    if (slash < 0) continue
    const [of, part] = [text.slice(0, slash), text.slice(slash + 1)]
    const taken = wide.has(of) ? `${of}/*` : below.has(part) ? `*/${part}` : undefined
    if (taken !== undefined) {
      causes.push(badValue(at, text, `if '${taken}' is present, must not specify ${text}`))
    }
    if (part === "*") wide.add(of)
    if (of === "*") below.add(part)
  }
  if (resources.length > 1 && resources.includes("*/*")) {
    causes.push(badValue(field, resources, "if '*/*' is present, must not specify other resources"))
  }
  const plain = resources.some((text) => text !== "*" && text !== "" && !text.includes("/"))
  if (plain && resources.includes("*")) {
    const why = "if '*' is present, must not specify other resources without subresources"
    causes.push(badValue(field, resources, why))
  }
  return causes
}

function checkNames(names: readonly string[], field: string): FieldCause[] {
  return names.flatMap((name, index) => {
    if (names.indexOf(name) < index) return [duplicate(`${field}[${index}]`, name)]
    const sane = name !== "" && name !== "." && name !== ".." && !/[/%]/.test(name)
    return sane ? [] : [badValue(`${field}[${index}]`, name, "is no name of an object")]
  })
}

export function checkSelector(value: Json | undefined, field: string): FieldCause[] {
  if (!isObject(value)) return []
  const labels = isObject(value.matchLabels) ? Object.entries(value.matchLabels) : []
  const causes = labels.flatMap(([key, text]) => {
    if (!isQualifiedName(key)) return [badValue(`${field}.matchLabels`, key, "is no label key")]
    if (typeof text === "string" && isLabelValue(text)) return []
    return [badValue(`${field}.matchLabels`, text ?? null, "is no label value")]
  })
  for (const [index, one] of objects(value.matchExpressions).entries()) {
    causes.push(...checkExpression(one, `${field}.matchExpressions[${index}]`))
  }
  return causes
}

function checkExpression({ key, operator, values }: JsonObject, field: string): FieldCause[] {
  const given = texts(values)
  const causes: FieldCause[] = []
  if (operator === "In" || operator === "NotIn") {
    if (given.length === 0) {
      causes.push(
        missing(`${field}.values`, "must be specified when `operator` is 'In' or 'NotIn'"),
      )
    }
  } else if (operator === "Exists" || operator === "DoesNotExist") {
    if (given.length > 0) {
      const why = "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"
      causes.push(forbidden(`${field}.values`, `Forbidden: ${why}`))
    }
  } else causes.push(badValue(`${field}.operator`, operator ?? "", "not a valid selector operator"))
  if (typeof key !== "string" || !isQualifiedName(key)) {
    causes.push(badValue(`${field}.key`, key ?? "", "is no label key"))
  }
  for (const [index, text] of given.entries()) {
    if (!isLabelValue(text)) {
      causes.push(badValue(`${field}.values[${index}]`, text, "is no label value"))
    }
  }
  return causes
}

const conditionsMax = 64

export function checkConditions(
  value: Json | undefined,
  field: string,
  params: boolean,
): FieldCause[] {
  const given = objects(value)
  const causes = given.flatMap(({ name, expression }, index) => [
    ...checkConditionName(name, `${field}[${index}].name`),
    ...checkCel(expression, `${field}[${index}].expression`, { params, authorizer: true }, "bool"),
  ])
  if (given.length <= conditionsMax) return causes
  const message = `Too many: ${given.length}: must have at most ${conditionsMax} items`
  return [...causes, { field, reason: "FieldValueTooMany", message }]
}

function checkConditionName(name: Json | undefined, field: string): FieldCause[] {
  if (typeof name !== "string" || name === "") return [required(field)]
  return isQualifiedName(name) ? [] : [badValue(field, name, "is no qualified name")]
}

/** An expression must be there and must compile. */
export function checkCel(
  source: Json | undefined,
  field: string,
  scope: Scope,
  gives?: "bool" | "string",
): FieldCause[] {
  if (typeof source !== "string" || source.trim() === "") {
    return [missing(field, "expression is not specified")]
  }
  const compiled = compileAdmission(source, scope, gives)
  if (compiled.kind === "expression") return []
  const found = /^expected type '.*' but found '(.*)'$/.exec(compiled.problem.message)?.[1]
  const why =
    found === undefined
      ? `compilation failed: ${compileErrorText(compiled.problem, source)}`
      : `must evaluate to ${gives} but got ${found}`
  return [badValue(field, source, why)]
}
