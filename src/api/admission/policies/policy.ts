// A ValidatingAdmissionPolicy and its bindings as they are stored, made ready to judge. Expressions
// are compiled when the first request needs them; one that does not compile counts as a failure.

import { at, isObject, type Json } from "../../../base/json.ts"
import type { ApiObject } from "../../../object/object.ts"
import { compileErrorText, type TypedExpression } from "../../../schema/cel/compile-typed.ts"
import { type LabelSelector, readSelector } from "../../authz/label-selector.ts"
import { compileAdmission, type Scope } from "../match/admission-cel.ts"
import { type MatchConditions, readConditions } from "../match/match-conditions.ts"
import { type Criteria, readCriteria } from "../match/match-request.ts"
import { objects, texts } from "../match/match-rule.ts"

/** A text: why it can't be used. */
export type MaybeExpression = TypedExpression | string

export interface Validation {
  readonly source: string
  readonly expression: MaybeExpression
  readonly message: string
  readonly messageExpression: MaybeExpression | undefined
  readonly reason: string
}

export interface Compiled {
  readonly variables: readonly (readonly [string, MaybeExpression])[]
  readonly validations: readonly Validation[]
  readonly usesNamespace: boolean
}

export interface ParamKind {
  readonly apiVersion: string
  readonly kind: string
}

export interface Policy {
  readonly name: string
  readonly criteria: Criteria
  readonly conditions: MatchConditions
  readonly paramKind: ParamKind | undefined
  /** Whether what can't be judged is let through. */
  readonly ignored: boolean
  compiled(): Compiled
}

export interface ParamRef {
  readonly name: string
  readonly namespace: string
  readonly selector: LabelSelector | undefined
  readonly denies: boolean
}

export interface Binding {
  readonly name: string
  readonly policyName: string
  readonly paramRef: ParamRef | undefined
  /** Undefined when it is about all that the policy is about. */
  readonly criteria: Criteria | undefined
  readonly actions: readonly string[]
}

export interface BoundPolicy {
  readonly policy: Policy
  readonly bindings: readonly Binding[]
}

const text = (value: Json | undefined): string => (typeof value === "string" ? value : "")

export function readPolicy({ metadata, spec = {} }: ApiObject): Policy {
  const paramKind = isObject(spec.paramKind) ? spec.paramKind : undefined
  let compiled: Compiled | undefined
  return {
    name: metadata.name,
    criteria: readCriteria(spec.matchConstraints),
    conditions: readConditions(spec.matchConditions, paramKind !== undefined),
    paramKind: paramKind && { apiVersion: text(paramKind.apiVersion), kind: text(paramKind.kind) },
    ignored: spec.failurePolicy === "Ignore",
    compiled: () => {
      compiled ??= compile(spec, paramKind !== undefined)
      return compiled
    },
  }
}

export function readBinding({ metadata, spec = {} }: ApiObject): Binding {
  const { paramRef, matchResources } = spec
  const selector = at(paramRef, "selector")
  return {
    name: metadata.name,
    policyName: text(spec.policyName),
    paramRef: isObject(paramRef)
      ? {
          name: text(paramRef.name),
          namespace: text(paramRef.namespace),
          selector: isObject(selector) ? readSelector(selector) : undefined,
          denies: paramRef.parameterNotFoundAction !== "Allow",
        }
      : undefined,
    criteria: isObject(matchResources) ? readCriteria(matchResources) : undefined,
    actions: texts(spec.validationActions),
  }
}

function compile(spec: NonNullable<ApiObject["spec"]>, params: boolean): Compiled {
  const given = objects(spec.variables).map(
    (one) => [text(one.name), text(one.expression)] as const,
  )
  // A variable sees those before it.
  const variables = given.map(([name, source], index) => {
    const names = given.slice(0, index).map(([before]) => before)
    return [name, compileOne(source, { params, authorizer: true, variables: names })] as const
  })
  const scope: Scope = { params, authorizer: true, variables: given.map(([name]) => name) }
  const validations = objects(spec.validations).map((one): Validation => {
    const worded = text(one.messageExpression)
    const wording = { ...scope, authorizer: false }
    return {
      source: text(one.expression).trim(),
      expression: compileOne(text(one.expression), scope, "bool"),
      message: text(one.message).trim(),
      messageExpression: worded === "" ? undefined : compileOne(worded, wording, "string"),
      reason: text(one.reason) || "Invalid",
    }
  })
  const all = [
    ...variables.map(([, expression]) => expression),
    ...validations.flatMap((one) => [one.expression, one.messageExpression]),
  ]
  const usesNamespace = all.some((one) => typeof one === "object" && one.uses("namespaceObject"))
  return { variables, validations, usesNamespace }
}

function compileOne(source: string, scope: Scope, gives?: "bool" | "string"): MaybeExpression {
  const compiled = compileAdmission(source, scope, gives)
  if (compiled.kind === "expression") return compiled.expression
  return `compilation error: ${compileErrorText(compiled.problem, source)}`
}
