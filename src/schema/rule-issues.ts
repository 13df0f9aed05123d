// What keeps a rule out of a definition: words that don't belong together, an expression that does
// not compile, an old value that can't be found, a cost that no bound holds down.

import type { JsonObject } from "../base/json.ts"
import { optionalOf, type Shape } from "./cel/cel-shape.ts"
import { compileErrorText, compileTyped, type TypedExpression } from "./cel/compile-typed.ts"
import { countMax, shapeOf } from "./cel/schema-shape.ts"
import { type Issue, type IssueCode, issuePathText } from "./issue.ts"
import { fieldPathOf } from "./rule-path.ts"
import { type SchemaNode, untypedNode } from "./schema-node.ts"

export const ruleCostMax = 10_000_000
export const definitionCostMax = 100_000_000

const reasons = [
  "FieldValueDuplicate",
  "FieldValueForbidden",
  "FieldValueInvalid",
  "FieldValueRequired",
]

interface Place {
  readonly path: readonly string[]
  /** How many values of the node an object can hold at most; undefined when nothing bounds it. */
  readonly count: number | undefined
  /** The list above whose items have no old value. */
  readonly lost: readonly string[] | undefined
  readonly whole: boolean
}

interface Costs {
  total: number
  readonly issues: Issue[]
}

export function ruleIssues(root: SchemaNode, whole: boolean): readonly Issue[] {
  const costs: Costs = { total: 0, issues: [] }
  judgeRules(root, { path: [], count: 1, lost: undefined, whole }, costs)
  if (costs.total > definitionCostMax && costs.issues.length === 0) {
    const what = "x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema"
    const message = costText(what, costs.total, definitionCostMax)
    costs.issues.push({ code: "Forbidden", path: [], message })
  }
  return costs.issues
}

const numberAt = (node: SchemaNode, name: string): number | undefined => {
  const value = node.source[name]
  return typeof value === "number" ? value : undefined
}

const times = (count: number | undefined, more: number | undefined): number | undefined =>
  count === undefined || more === undefined ? undefined : count * more

function judgeRules(node: SchemaNode, place: Place, costs: Costs): void {
  if (node === untypedNode) return
  if (node.rules.length > 0) {
    const shape = shapeOf(node, place.whole)
    for (const [index, rule] of node.rules.entries()) {
      const path = [...place.path, "x-kubernetes-validations", String(index)]
      const wording = wordingIssues(rule, node, path)
      costs.issues.push(...wording)
      if (wording.length > 0 || shape === undefined) continue
      const most = place.count ?? countMax(node, place.whole)
      judgeRule(rule, shape, { ...place, most }, path, costs)
    }
  }
  const below = (child: SchemaNode, more: readonly string[], part: Partial<Place>) =>
    judgeRules(
      child,
      { ...place, ...part, path: [...place.path, ...more], whole: child.embeddedResource },
      costs,
    )
  for (const [name, member] of node.properties) below(member, ["properties", name], {})
  if (node.additional !== undefined) {
    const count = times(place.count, numberAt(node, "maxProperties"))
    below(node.additional, ["additionalProperties"], { count })
  }
  if (node.items !== undefined) {
    const count = times(place.count, numberAt(node, "maxItems"))
    const lost = place.lost ?? (node.listType === "map" ? undefined : place.path)
    below(node.items, ["items"], { count, lost })
  }
}

function wordingIssues(rule: JsonObject, node: SchemaNode, path: readonly string[]): Issue[] {
  const issues: Issue[] = []
  const refuse = (code: IssueCode, name: string, message: string) =>
    issues.push({ code, path: [...path, name], message })
  const text = typeof rule.rule === "string" ? rule.rule.trim() : ""
  const message = typeof rule.message === "string" ? rule.message : undefined
  const lines = /[\n\r]/
  if (text === "") refuse("Required", "rule", "rule is not specified")
  else if (message !== undefined && message !== "" && message.trim() === "") {
    refuse("Invalid", "message", "must be non-empty if specified")
  } else if (lines.test(message?.trim() ?? "")) {
    refuse("Invalid", "message", "must not contain line breaks")
  } else if (lines.test(text) && (message ?? "").trim() === "") {
    refuse("Required", "message", "message must be specified if rule contains line breaks")
  }
  const worded = rule.messageExpression
  if (typeof worded === "string" && worded !== "" && worded.trim() === "") {
    refuse("Required", "messageExpression", "messageExpression must be non-empty if specified")
  }
  if (rule.reason !== undefined && !reasons.includes(String(rule.reason))) {
    const values = reasons.map((reason) => `"${reason}"`).join(", ")
    refuse("NotSupported", "reason", `supported values: ${values}`)
  }
  if (typeof rule.fieldPath === "string" && rule.fieldPath !== "") {
    if (fieldPathOf(rule.fieldPath, node) === undefined) {
      refuse("Invalid", "fieldPath", "must be a valid path")
    }
  }
  return issues
}

function judgeRule(
  rule: JsonObject,
  self: Shape,
  place: Place & { readonly most: number },
  path: readonly string[],
  costs: Costs,
): void {
  const optionalOld = rule.optionalOldSelf === true
  const variables = { self, oldSelf: optionalOld ? optionalOf(self) : self }
  const refuse = (code: IssueCode, name: string, message: string) =>
    costs.issues.push({ code, path: [...path, name], message })
  const compile = (name: string, gives: "bool" | "string"): TypedExpression | undefined => {
    const source = String(rule[name])
    const compiled = compileTyped(source, { variables, gives })
    if (compiled.kind === "expression") return compiled.expression
    const prefix = name === "rule" ? "" : "messageExpression "
    const text = compileErrorText(compiled.problem, source)
    refuse("Invalid", name, `${prefix}compilation failed: ${text}`)
    return undefined
  }
  const expression = compile("rule", "bool")
  if (expression === undefined) return
  const cost = expression.maxCost * place.most
  costs.total += cost
  if (cost > ruleCostMax) {
    refuse("Forbidden", "rule", costText("estimated rule cost", cost, ruleCostMax))
  }
  const worded = typeof rule.messageExpression === "string" && rule.messageExpression !== ""
  const message = worded ? compile("messageExpression", "string") : undefined
  if (message !== undefined && message.maxCost > ruleCostMax) {
    const text = costText("estimated messageExpression cost", message.maxCost, ruleCostMax)
    refuse("Forbidden", "messageExpression", text)
  }
  if (expression.uses("oldSelf")) {
    if (place.lost === undefined) return
    const where = issuePathText(place.lost)
    const why = `oldSelf cannot be used on the uncorrelatable portion of the schema within ${where}`
    refuse("Invalid", "rule", why)
  } else if (rule.optionalOldSelf !== undefined) {
    refuse("Invalid", "optionalOldSelf", "may not be set if oldSelf is not used in rule")
  }
}

function costText(what: string, cost: number, limit: number): string {
  const over = cost / limit
  const digits = over < 1.5 ? over.toFixed(6) : over.toFixed(1)
  const factor = over > 100 ? "more than 100x" : `${digits}x`
  return (
    `${what} exceeds budget by factor of ${factor} (try simplifying the rule, or adding ` +
    "maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)"
  )
}
