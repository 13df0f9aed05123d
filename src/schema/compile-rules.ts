// x-kubernetes-validations: each rule is compiled against the types of its own node and run for
// every value of it. A rule that compares with the old value runs where there is one to compare
// with; a rule that does not is forgiven where the value has not changed.

import { isArray, isObject, type Json, type JsonObject } from "../base/json.ts"
import { makeOptional } from "./cel/cel-opaque.ts"
import { optionalOf, type Shape } from "./cel/cel-shape.ts"
import { liftTyped } from "./cel/cel-typed.ts"
import { compileTyped, type TypedExpression } from "./cel/compile-typed.ts"
import { shapeOf } from "./cel/schema-shape.ts"
import { correlate, isUnchanged } from "./correlate.ts"
import type { IssueCode, IssuePath } from "./issue.ts"
import { fieldPathOf } from "./rule-path.ts"
import type { SchemaNode } from "./schema-node.ts"
import type { ValidationWalk } from "./validation-walk.ts"

/** Costs, as Kubernetes bounds them. */
export const callCostMax = 1_000_000
export const objectCostMax = 10_000_000

export interface RuleBudget {
  left: number
}

export type RuleRunner = (
  value: Json,
  old: Json | undefined,
  walk: ValidationWalk,
  budget: RuleBudget,
) => void

interface Rule {
  readonly text: string
  readonly expression: TypedExpression
  readonly message: string | undefined
  readonly messageExpression: TypedExpression | undefined
  readonly path: IssuePath
  readonly reason: IssueCode
  readonly usesOld: boolean
  readonly optionalOld: boolean
}

const reasons: Readonly<Record<string, IssueCode>> = {
  FieldValueInvalid: "Invalid",
  FieldValueForbidden: "Forbidden",
  FieldValueRequired: "Required",
  FieldValueDuplicate: "Duplicate",
}

/** Undefined when there is no rule at or below the node. */
export function compileRules(node: SchemaNode, whole: boolean): RuleRunner | undefined {
  const own = compileOwn(node, whole)
  const members: [string, RuleRunner][] = []
  for (const [name, member] of node.properties) {
    const runner = compileRules(member, member.embeddedResource)
    if (runner !== undefined) members.push([name, runner])
  }
  const { additional, items } = node
  const others = additional && compileRules(additional, additional.embeddedResource)
  const each = items && compileRules(items, items.embeddedResource)
  if (own === undefined && members.length === 0 && !others && !each) return undefined
  return (value, old, walk, budget) => {
    if (value === null) return
    own?.(value, old, walk, budget)
    if (isArray(value) && each !== undefined) {
      const find = correlate(node, old)
      for (let index = 0; index < value.length; index++) {
        const item = value[index] ?? null
        walk.enter(index, () => each(item, find(item, index), walk, budget))
      }
    } else if (isObject(value)) {
      const before = isObject(old) ? old : undefined
      for (const [name, runner] of members) {
        const member = Object.hasOwn(value, name) ? value[name] : undefined
        if (member === undefined) continue
        walk.enter(name, () => runner(member, before?.[name], walk, budget))
      }
      if (others === undefined) return
      for (const name of Object.keys(value)) {
        const member = value[name]
        if (member === undefined || node.properties.has(name)) continue
        walk.enter(name, () => others(member, before?.[name], walk, budget))
      }
    }
  }
}

function compileOwn(node: SchemaNode, whole: boolean): RuleRunner | undefined {
  if (node.rules.length === 0) return undefined
  const shape = shapeOf(node, whole)
  if (shape === undefined) return undefined
  const rules = node.rules.flatMap((rule) => compileRule(rule, node, shape) ?? [])
  return (value, old, walk, budget) => {
    const self = liftTyped(value, shape)
    const before = old === undefined || old === null ? undefined : liftTyped(old, shape)
    for (const rule of rules) {
      if (rule.usesOld && before === undefined && !rule.optionalOld) continue
      if (budget.left <= 0) return walk.report("Invalid", outOfBudget, { says: outOfBudget })
      const oldSelf = rule.optionalOld ? makeOptional(before) : (before ?? null)
      const given = rule.usesOld ? { self, oldSelf } : { self }
      judge(rule, given, { node, value, old, walk, budget })
    }
  }
}

const outOfBudget =
  "validation failed due to running out of cost budget, no further validation rules will be run"

interface Judging {
  readonly node: SchemaNode
  readonly value: Json
  readonly old: Json | undefined
  readonly walk: ValidationWalk
  readonly budget: RuleBudget
}

type Given = Parameters<TypedExpression["evaluate"]>[0]

function judge(rule: Rule, given: Given, { node, value, old, walk, budget }: Judging): void {
  const result = rule.expression.evaluate(given, Math.min(callCostMax, budget.left))
  budget.left -= result.cost
  if (result.kind === "value" && result.value === true) return
  if (!rule.usesOld && old !== undefined && isUnchanged(node, value, old)) return
  const shown = node.type ?? ""
  if (result.kind === "error") {
    const text = errorText(result.message, result.exceeded, rule)
    if (result.exceeded) budget.left = 0
    walk.report("Invalid", text, { value: shown, says: text })
    return
  }
  const message = messageOf(rule, given, budget)
  const plain = node.type !== "object" && node.type !== "array"
  const detail = { ...(plain ? { value } : {}), says: message }
  walk.reportBelow(rule.path, rule.reason, message, detail)
}

function errorText(message: string, exceeded: boolean, rule: Rule): string {
  const shown = rule.message === undefined ? rule.text : `"${rule.message}"`
  if (exceeded) {
    const limit = "operation cancelled: actual cost limit exceeded"
    const why = "no further validation rules will be run due to call cost exceeds limit for rule"
    return `'${limit}': ${why}: ${shown}`
  }
  if (!message.startsWith("no such overload")) return `${message} evaluating rule: ${shown}`
  const said = "call arguments did not match a supported operator, function or macro signature"
  return `'${message}': ${said} for rule: ${shown}`
}

const messageMax = 5 * 1024

function messageOf(rule: Rule, given: Given, budget: RuleBudget): string {
  const fallback = rule.message ?? `failed rule: ${rule.text.trim()}`
  if (rule.messageExpression === undefined) return fallback
  const result = rule.messageExpression.evaluate(given, Math.min(callCostMax, budget.left))
  budget.left -= result.cost
  const text = result.kind === "value" && typeof result.value === "string" ? result.value : ""
  const usable = text.trim() !== "" && text.length <= messageMax && !/[\n\r]/.test(text)
  return usable ? text.trim() : fallback
}

function compileRule(rule: JsonObject, node: SchemaNode, self: Shape): Rule | undefined {
  const optionalOld = rule.optionalOldSelf === true
  const oldSelf = optionalOld ? optionalOf(self) : self
  const variables = { self, oldSelf }
  const text = typeof rule.rule === "string" ? rule.rule : ""
  const compiled = compileTyped(text, { variables, gives: "bool" })
  if (compiled.kind === "problem") return undefined
  const { expression } = compiled
  const written = rule.messageExpression
  const worded =
    typeof written === "string" ? compileTyped(written, { variables, gives: "string" }) : undefined
  return {
    text,
    expression,
    message:
      typeof rule.message === "string" && rule.message !== "" ? rule.message.trim() : undefined,
    messageExpression: worded?.kind === "expression" ? worded.expression : undefined,
    path: typeof rule.fieldPath === "string" ? (fieldPathOf(rule.fieldPath, node) ?? []) : [],
    reason: reasons[String(rule.reason)] ?? "Invalid",
    usesOld: expression.uses("oldSelf"),
    optionalOld,
  }
}
