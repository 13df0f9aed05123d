// Asks one webhook about one request. A denial throws; one that can't be asked throws too, or is
// passed over with a warning, as its failurePolicy says. The network is behind a port.

import { isFault } from "../../../base/faults.ts"
import { isArray, isObject, type Json, type JsonObject } from "../../../base/json.ts"
import { newUid } from "../../../base/random.ts"
import type { AdmissionRequest } from "../../../contract/admission.ts"
import type { ApiContext } from "../../api-context.ts"
import { convertToServed } from "../../convert-objects.ts"
import { causesText } from "../../faults.ts"
import type { ServedResource } from "../../served-resource.ts"
import { admissionFault, faultAs } from "../faults.ts"
import { requestActivation, type SeenRequest } from "../match/admission-cel.ts"
import { celAuthorizer } from "../match/cel-authorizer.ts"
import { matchRequest } from "../match/match-request.ts"
import { type ReviewAnswer, readAnswer, reviewOf } from "./admission-review.ts"
import type { Webhook } from "./webhook.ts"

export interface Asked {
  readonly seen: SeenRequest
  /** Undefined when the webhook could not be asked and is passed over. */
  readonly patch: Json | undefined
}

/** Undefined when the webhook is not about the request. */
export async function askWebhook(
  context: ApiContext,
  hook: Webhook,
  request: AdmissionRequest,
  mutating: boolean,
): Promise<Asked | undefined> {
  const resource = await matchRequest(context, hook.criteria, request)
  if (resource === undefined) return undefined
  const seen = await seenAs(context, resource, request)
  if (hook.conditions.count > 0) {
    const held = hook.conditions.hold({
      ...requestActivation(request, seen),
      namespaceObject: null,
      authorizer: celAuthorizer(context.authorizer, request),
    })
    if (held === false) return undefined
    if (held !== true) {
      if (hook.ignored) return undefined
      throw admissionFault("SPT-API-124", { webhook: hook.name, why: held })
    }
  }
  const answer = await call(context, hook, request, seen, mutating)
  if (typeof answer === "string") {
    if (!hook.ignored) throw admissionFault("SPT-API-124", { webhook: hook.name, why: answer })
    request.warn(`admission webhook "${hook.name}" could not be asked and was passed over`)
    return { seen, patch: undefined }
  }
  for (const text of answer.warnings) request.warn(text)
  if (!answer.allowed) throw denied(hook, answer)
  return { seen, patch: answer.patch }
}

/** The request in another version of its kind. */
export async function seenAs(
  context: ApiContext,
  resource: ServedResource,
  request: AdmissionRequest,
): Promise<SeenRequest> {
  const { object, old } = request
  if (resource.version === request.version) return { resource, object, ...(old && { old }) }
  const [first = object, before] = await convertToServed(
    context,
    resource,
    old ? [object, old] : [object],
  )
  return { resource, object: first, ...(before && { old: before }) }
}

/** A text: why there is no answer that counts. */
async function call(
  context: ApiContext,
  hook: Webhook,
  request: AdmissionRequest,
  seen: SeenRequest,
  mutating: boolean,
): Promise<ReviewAnswer | string> {
  const { client, timeoutSeconds } = hook
  const { callWebhook } = context
  if (client === undefined) return "failed to call webhook: it has no clientConfig"
  if (callWebhook === undefined) return "failed to call webhook: this plane calls no webhooks"
  const uid = newUid(context.random)
  let review: Json
  try {
    review = await callWebhook({
      client: { ...client, url: `${client.url}?timeout=${timeoutSeconds}s` },
      body: reviewOf(uid, request, seen),
      timeoutMs: timeoutSeconds * 1000,
    })
  } catch (error) {
    return `failed to call webhook: ${error instanceof Error ? error.message : String(error)}`
  }
  try {
    return readAnswer(review, uid, mutating)
  } catch (error) {
    const why = error instanceof Error && !isFault(error) ? error.message : String(error)
    return `received invalid webhook response: ${why}`
  }
}

const text = (value: Json | undefined): string => (typeof value === "string" ? value : "")

/** With the status and the reason that the webhook gives, but never as a success. */
function denied(hook: Webhook, { result }: ReviewAnswer): Error {
  const code = typeof result.code === "number" ? result.code : 0
  const status = code >= 400 && code <= 599 ? code : 400
  const why = text(result.message) || text(result.reason)
  const causes = isObject(result.details) ? readCauses(result.details) : []
  return faultAs(
    "SPT-API-123",
    { status, reason: text(result.reason) || (status === 403 ? "Forbidden" : "") },
    {
      webhook: hook.name,
      why: why === "" ? " without explanation" : `: ${why}`,
      ...(causes.length === 0 ? {} : { causes: causesText(causes) }),
    },
  )
}

function readCauses({ causes }: JsonObject) {
  const given = isArray(causes) ? causes.filter((one) => isObject(one)) : []
  return given.slice(0, 100).map(({ field, reason, message }) => ({
    field: text(field),
    reason: text(reason),
    message: text(message),
  }))
}
