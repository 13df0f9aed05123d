// Where the write path meets the webhooks and policies that users configure. They bind everybody
// but the engine, whose writes keep the plane safe, and never what configures them, nor the views
// of the ledger: a webhook that is down must not keep anybody from stopping the plane.

import { protects } from "../../base/protections.ts"
import type { AdmissionRequest } from "../../contract/admission.ts"
import { type ApiObject, setpointGroup } from "../../object/object.ts"
import type { ApiContext } from "../api-context.ts"
import { admissionGroup } from "../definitions/admission-registration.ts"
import { judgeByPolicies } from "./policies/judge-policies.ts"
import { isEngine } from "./source-fields.ts"
import { type Mutation, mutateByWebhooks } from "./webhooks/mutate.ts"
import { validateByWebhooks } from "./webhooks/validate.ts"

const ledgerViews: ReadonlySet<string> = new Set(["planes", "plans"])

function isExempt({ principal, key }: Pick<AdmissionRequest, "principal" | "key">): boolean {
  if (key.group === admissionGroup) return true
  if (key.group === setpointGroup && ledgerViews.has(key.resource)) return true
  return isEngine(principal) && protects("engine-writes-pass-webhooks")
}

/** The object to go on with. */
export async function mutateByHooks(
  context: ApiContext,
  mutation: Mutation,
  object: ApiObject,
): Promise<ApiObject> {
  const { mutating } = context.admissions
  if (mutating.length === 0 || isExempt(mutation.request(object))) return object
  return mutateByWebhooks(context, mutating, mutation, object)
}

/** Throws when a policy or a webhook denies the request. */
export async function validateByHooks(
  context: ApiContext,
  request: AdmissionRequest,
): Promise<void> {
  const { policies, validating } = context.admissions
  if (policies.length + validating.length === 0 || isExempt(request)) return
  await judgeByPolicies(context, policies, request)
  await validateByWebhooks(context, validating, request)
}

/** So many deletes of a set are asked about at once. */
const deletesAtOnce = 16

/** Throws when one of the set is denied. */
export async function admitDeletes(
  context: ApiContext,
  requests: readonly AdmissionRequest[],
): Promise<void> {
  const { mutating, validating, policies } = context.admissions
  if (mutating.length + validating.length + policies.length === 0) return
  for (let from = 0; from < requests.length; from += deletesAtOnce) {
    const some = requests.slice(from, from + deletesAtOnce)
    const answers = await Promise.allSettled(some.map((one) => admitDelete(context, one)))
    for (const answer of answers) if (answer.status === "rejected") throw answer.reason
  }
}

/** A delete changes nothing: mutating webhooks may only deny it. */
async function admitDelete(context: ApiContext, request: AdmissionRequest): Promise<void> {
  const { mutating } = context.admissions
  if (mutating.length > 0 && !isExempt(request))
    await validateByWebhooks(context, mutating, request)
  await validateByHooks(context, request)
}
