// Judges a request by every policy that is bound and about it. All of them are heard; the first
// denial is told, as Kubernetes does. Never changes anything.

import type { JsonObject } from "../../../base/json.ts"
import type { AdmissionRequest } from "../../../contract/admission.ts"
import type { ApiObject } from "../../../object/object.ts"
import { lift } from "../../../schema/cel/cel-value.ts"
import type { ApiContext } from "../../api-context.ts"
import { causesText } from "../../faults.ts"
import { faultNames } from "../../stored-object.ts"
import { faultAs } from "../faults.ts"
import {
  type Activation,
  type CostBudget,
  evaluateWithin,
  policyCostMax,
  requestActivation,
  type SeenRequest,
} from "../match/admission-cel.ts"
import { celAuthorizer } from "../match/cel-authorizer.ts"
import { matchRequest, needNamespace } from "../match/match-request.ts"
import { seenAs } from "../webhooks/ask-webhook.ts"
import { LazyVariables } from "./lazy-variables.ts"
import type { Binding, BoundPolicy, Policy, Validation } from "./policy.ts"
import { BindingTrouble, collectParams } from "./policy-params.ts"

interface Denial {
  readonly message: string
  readonly reason: string
}

const statuses: Readonly<Record<string, number>> = {
  Forbidden: 403,
  Unauthorized: 401,
  RequestEntityTooLarge: 413,
}

/** Throws when a policy denies the request. */
export async function judgeByPolicies(
  context: ApiContext,
  policies: readonly BoundPolicy[],
  request: AdmissionRequest,
): Promise<void> {
  let first: Error | undefined
  for (const { policy, bindings } of policies) {
    const resource = await matchRequest(context, policy.criteria, request)
    if (resource === undefined) continue
    const seen = await seenAs(context, resource, request)
    for (const binding of bindings) {
      for (const denial of await judgeByBinding(context, policy, binding, request, seen)) {
        first ??= told(policy, binding, request, denial)
      }
    }
  }
  if (first !== undefined) throw first
}

/** What the binding does not let through; warnings are told on the way. */
async function judgeByBinding(
  context: ApiContext,
  policy: Policy,
  binding: Binding,
  request: AdmissionRequest,
  seen: SeenRequest,
): Promise<readonly Denial[]> {
  const { criteria, paramRef, actions } = binding
  if (criteria !== undefined) {
    if ((await matchRequest(context, criteria, request)) === undefined) return []
  }
  let params: readonly (ApiObject | undefined)[]
  try {
    params = await collectParams(context, policy.paramKind, paramRef, request.key.namespace)
  } catch (error) {
    if (!(error instanceof BindingTrouble)) throw error
    const message = `failed to configure binding: ${error.message}`
    return policy.ignored ? [] : [{ message, reason: "Invalid" }]
  }
  const base = await activationOf(context, policy, request, seen)
  const denials = params.flatMap((param) => judge(policy, { ...base, params: lift(param) }))
  if (actions.includes("Warn")) {
    for (const { message } of denials) {
      const name = `ValidatingAdmissionPolicy '${policy.name}' with binding '${binding.name}'`
      request.warn(`Validation failed for ${name}: ${message}`)
    }
  }
  return actions.includes("Deny") ? denials : []
}

async function activationOf(
  context: ApiContext,
  policy: Policy,
  request: AdmissionRequest,
  seen: SeenRequest,
): Promise<Activation> {
  const { namespace } = request.key
  const reads = namespace !== "" && policy.compiled().usesNamespace
  const space = reads ? await needNamespace(context, namespace) : undefined
  return {
    ...requestActivation(request, seen),
    namespaceObject: space === undefined ? null : lift(withoutOwners(space)),
    authorizer: celAuthorizer(context.authorizer, request),
  }
}

/** What expressions see of a namespace. */
function withoutOwners({ metadata, spec, status }: ApiObject): JsonObject {
  const { managedFields: _m, ownerReferences: _o, ...kept } = metadata
  return { metadata: kept as JsonObject, spec: spec ?? {}, status: status ?? {} }
}

function judge(policy: Policy, activation: Activation): readonly Denial[] {
  const failed = (message: string): readonly Denial[] =>
    policy.ignored ? [] : [{ message, reason: "Invalid" }]
  if (policy.conditions.count > 0) {
    const held = policy.conditions.hold(activation)
    if (held !== true) return held === false ? [] : failed(held)
  }
  const { variables, validations } = policy.compiled()
  const budget = { left: policyCostMax }
  const whole = { ...activation, variables: new LazyVariables(variables, activation, budget) }
  return validations.flatMap((validation) => {
    const { expression, source, reason } = validation
    if (typeof expression === "string") return failed(expression)
    const result = evaluateWithin(expression, whole, budget)
    if (result.kind === "error") {
      return failed(`expression '${source}' resulted in error: ${result.message}`)
    }
    return result.value === true ? [] : [{ message: wording(validation, whole, budget), reason }]
  })
}

const messageMax = 5 * 1024

function wording(validation: Validation, activation: Activation, budget: CostBudget): string {
  const { messageExpression, message, source } = validation
  const otherwise = message === "" ? `failed expression: ${source}` : message
  if (messageExpression === undefined || typeof messageExpression === "string") return otherwise
  const result = evaluateWithin(messageExpression, activation, budget)
  const text =
    result.kind === "value" && typeof result.value === "string" ? result.value.trim() : ""
  return text !== "" && text.length <= messageMax && !text.includes("\n") ? text : otherwise
}

function told(policy: Policy, binding: Binding, request: AdmissionRequest, denial: Denial): Error {
  const { message, reason } = denial
  const bound = ` with binding '${binding.name}'`
  const cause = `ValidatingAdmissionPolicy '${policy.name}'${bound} denied request: ${message}`
  const status = statuses[reason] ?? 422
  return faultAs(
    "SPT-API-127",
    { status, reason },
    {
      ...faultNames(request.key),
      policy: policy.name,
      binding: bound,
      why: message,
      causes: causesText([{ field: "", reason: "", message: cause }]),
    },
  )
}
