// Expressions over a request, as webhooks' matchConditions and policies have them: which variables
// there are, of which type, and what they hold. Compiled ones are pure and bounded in cost.

import type { Json, JsonObject } from "../../../base/json.ts"
import type { AdmissionRequest } from "../../../contract/admission.ts"
import type { Principal } from "../../../contract/principal.ts"
import type { ApiObject } from "../../../object/object.ts"
import { listOf, mapOf, plain, type Shape } from "../../../schema/cel/cel-shape.ts"
import { liftTyped } from "../../../schema/cel/cel-typed.ts"
import { type CelValue, lift } from "../../../schema/cel/cel-value.ts"
import {
  compileTyped,
  type TypedCompiled,
  type TypedExpression,
} from "../../../schema/cel/compile-typed.ts"
import type { ServedResource } from "../../served-resource.ts"

/** Costs, as Kubernetes bounds them: of one expression, of all conditions, of a whole policy. */
export const expressionCostMax = 1_000_000
export const conditionsCostMax = 2_500_000
export const policyCostMax = 10_000_000

export interface Scope {
  readonly params: boolean
  /** Names of the policy's own variables; undefined where there are none. */
  readonly variables?: readonly string[]
  readonly authorizer: boolean
}

const record = (fields: Readonly<Record<string, Shape>>): Shape => ({
  kind: "object",
  fields: new Map(Object.entries(fields).map(([name, shape]) => [name, { name, shape }])),
})

const [text, dyn] = [plain("string"), plain("dyn")]
const kindShape = record({ group: text, version: text, kind: text })
const resourceShape = record({ group: text, version: text, resource: text })

export const requestShape: Shape = record({
  kind: kindShape,
  resource: resourceShape,
  subResource: text,
  requestKind: kindShape,
  requestResource: resourceShape,
  requestSubResource: text,
  name: text,
  namespace: text,
  operation: text,
  userInfo: record({
    username: text,
    uid: text,
    groups: listOf(text),
    extra: mapOf(text, listOf(text)),
  }),
  dryRun: plain("bool"),
  options: dyn,
})

export function compileAdmission(
  source: string,
  scope: Scope,
  gives?: "bool" | "string",
  object: Shape = dyn,
): TypedCompiled {
  const { variables } = scope
  return compileTyped(source, {
    variables: {
      object,
      oldObject: object,
      request: requestShape,
      namespaceObject: dyn,
      ...(scope.params ? { params: dyn } : {}),
      ...(scope.authorizer ? { authorizer: plain("authorizer") } : {}),
      ...(variables === undefined
        ? {}
        : { variables: record(Object.fromEntries(variables.map((name) => [name, dyn]))) }),
    },
    ...(gives === undefined ? {} : { gives }),
  })
}

export type Activation = Readonly<Record<string, CelValue>>

/** What every expression about the request sees. */
export function requestActivation(request: AdmissionRequest, seen: SeenRequest): Activation {
  const { object, old } = seen
  return {
    object: lift(request.operation === "delete" ? undefined : object),
    oldObject: lift(old),
    request: liftTyped(requestMembers(request, seen.resource), requestShape),
  }
}

/** The request in the version in which a webhook or policy wants to see it. */
export interface SeenRequest {
  readonly resource: ServedResource
  readonly object: ApiObject
  readonly old?: ApiObject
}

/** What a review and an expression both know of a request. */
export function requestMembers(request: AdmissionRequest, resource: ServedResource): JsonObject {
  const { key, subresource, operation, dryRun, principal } = request
  const of = (version: string) => ({
    kind: { group: key.group, version, kind: request.kind },
    resource: { group: key.group, version, resource: key.resource },
  })
  const [seen, asked] = [of(resource.version), of(request.version)]
  const part = subresource === "" ? {} : { subResource: subresource }
  const askedPart = subresource === "" ? {} : { requestSubResource: subresource }
  return {
    ...seen,
    ...part,
    requestKind: asked.kind,
    requestResource: asked.resource,
    ...askedPart,
    name: key.name,
    ...namespaceMember(request),
    operation: operation.toUpperCase(),
    userInfo: userInfo(principal),
    dryRun,
    options: { apiVersion: "meta.k8s.io/v1", kind: optionKinds[operation] },
  }
}

const optionKinds = {
  create: "CreateOptions",
  update: "UpdateOptions",
  delete: "DeleteOptions",
} as const

/** A namespace is said to lie in itself. */
function namespaceMember({ key }: AdmissionRequest): JsonObject {
  const own = key.group === "" && key.resource === "namespaces"
  const namespace = own ? key.name : key.namespace
  return namespace === "" ? {} : { namespace }
}

function userInfo({ name, uid, groups, extra }: Principal): JsonObject {
  return {
    username: name,
    ...(uid === undefined ? {} : { uid }),
    ...(groups === undefined ? {} : { groups: groups as readonly Json[] }),
    ...(extra === undefined ? {} : { extra: extra as JsonObject }),
  }
}

export interface CostBudget {
  left: number
}

export type Evaluated =
  | { readonly kind: "value"; readonly value: CelValue }
  | { readonly kind: "error"; readonly message: string }

const outOfBudget =
  "validation failed due to running out of cost budget, no further validation rules will be run"

/** Draws on what is left of the budget. */
export function evaluateWithin(
  expression: TypedExpression,
  activation: Activation,
  budget: CostBudget,
): Evaluated {
  if (budget.left <= 0) return { kind: "error", message: outOfBudget }
  const result = expression.evaluate(activation, Math.min(expressionCostMax, budget.left))
  budget.left -= result.cost
  if (result.kind === "value") return { kind: "value", value: result.value }
  if (result.exceeded) budget.left = 0
  return { kind: "error", message: result.exceeded ? outOfBudget : result.message }
}
