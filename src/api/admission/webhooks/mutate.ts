// Mutating webhooks, in the order of their names. What comes back from one is pruned, defaulted and
// freed of all that only the server may say; what a source declares stays as it is, whoever writes.
// One that asks for it is asked a second time, and not more often.

import { isFault } from "../../../base/faults.ts"
import { equalJson, type Json, type JsonObject } from "../../../base/json.ts"
import { protects } from "../../../base/protections.ts"
import type { AdmissionRequest } from "../../../contract/admission.ts"
import { type ApiObject, type ObjectMeta, sourceAnnotation } from "../../../object/object.ts"
import { touchedSteps } from "../../../schema/apply-merge.ts"
import type { ApiContext } from "../../api-context.ts"
import { convertToServed } from "../../convert-objects.ts"
import { summarize } from "../../faults.ts"
import { applyJsonPatch } from "../../json-patch.ts"
import { isDeclaringManager } from "../../managed-fields.ts"
import { readInput } from "../../read-input.ts"
import type { ServedResource } from "../../served-resource.ts"
import { faultNames } from "../../stored-object.ts"
import { versionedKind, withVersions } from "../../versioned-kind.ts"
import { admissionFault } from "../faults.ts"
import { type Asked, askWebhook } from "./ask-webhook.ts"
import type { Webhook } from "./webhook.ts"

export interface Mutation {
  readonly resource: ServedResource
  request(object: ApiObject): AdmissionRequest
  /** The built-in rules, which have the last word on what is theirs. */
  complete(object: ApiObject): Promise<ApiObject>
}

/** The same object when nobody changed it. */
export async function mutateByWebhooks(
  context: ApiContext,
  hooks: readonly Webhook[],
  mutation: Mutation,
  start: ApiObject,
): Promise<ApiObject> {
  const again = new Set<Webhook>()
  const asked = new Set<Webhook>()
  const round = async (some: readonly Webhook[], from: ApiObject): Promise<ApiObject> => {
    let object = from
    for (const hook of some) {
      const after = await mutateBy(context, hook, mutation, object)
      if (after === undefined) continue
      if (after !== object) for (const one of asked) again.add(one)
      object = after
      if (hook.again) asked.add(hook)
    }
    if (object === from) return from
    await checkDeclared(context, mutation.resource, start, object, mutation.request(object))
    return object
  }
  const first = await round(hooks, start)
  if (first === start) return start
  const completed = await mutation.complete(first)
  if (!same(completed, first)) for (const one of asked) again.add(one)
  if (again.size === 0) return completed
  const repeated = hooks.filter((hook) => again.has(hook))
  const second = await round(repeated, completed)
  return second === completed ? completed : mutation.complete(second)
}

const same = (left: ApiObject, right: ApiObject): boolean =>
  equalJson(left as JsonObject, right as JsonObject)

/** Undefined when the webhook was not asked. */
async function mutateBy(
  context: ApiContext,
  hook: Webhook,
  { resource, request }: Mutation,
  object: ApiObject,
): Promise<ApiObject | undefined> {
  const asks = request(object)
  const asked = await askWebhook(context, hook, asks, true)
  if (asked?.patch === undefined) return asked === undefined ? undefined : object
  try {
    const patched = await patch(context, asked, resource)
    const after = settled(resource, asks, object, patched)
    return same(after, object) ? object : after
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    const cause = isFault(error) ? error : undefined
    const details = { webhook: hook.name, why: `its patch can't be used: ${why}` }
    throw admissionFault("SPT-API-124", details, cause)
  }
}

async function patch(
  context: ApiContext,
  { seen, patch }: Asked,
  resource: ServedResource,
): Promise<ApiObject> {
  const patched = applyJsonPatch(seen.object as Json, patch ?? [])
  const { object } = readInput(seen.resource, patched, "read", { fieldValidation: "Ignore" })
  if (seen.resource.version === resource.version) return object
  const [converted = object] = await convertToServed(context, resource, [object])
  return converted
}

const some = (value: object | undefined): boolean =>
  value !== undefined && Object.keys(value).length > 0

/** What a webhook may change of the object; the rest is as it was. */
function settled(
  resource: ServedResource,
  { subresource }: AdmissionRequest,
  before: ApiObject,
  patched: ApiObject,
): ApiObject {
  const { status, ...rest } = patched
  if (subresource === "status") {
    const { status: _, ...kept } = before
    return status === undefined ? kept : { ...kept, status }
  }
  const {
    labels: _l,
    annotations: _a,
    finalizers: _f,
    ownerReferences: _o,
    ...own
  } = before.metadata
  const { labels, annotations, finalizers, ownerReferences } = patched.metadata
  const metadata: ObjectMeta = {
    ...own,
    ...(some(labels) && { labels }),
    ...(some(annotations) && { annotations }),
    ...(some(finalizers) && { finalizers }),
    ...(some(ownerReferences) && { ownerReferences }),
  }
  const kept = resource.statusSubresource ? before.status : status
  const whole: ApiObject = { ...rest, metadata, ...(kept === undefined ? {} : { status: kept }) }
  return resource.schema.applyDefaults(whole as JsonObject) as ApiObject
}

/** A declaration means what it says: a webhook may add to it and never change it. */
async function checkDeclared(
  context: ApiContext,
  resource: ServedResource,
  before: ApiObject,
  after: ApiObject,
  { key }: AdmissionRequest,
): Promise<void> {
  const { managedFields = [], annotations } = before.metadata
  const entries = managedFields.filter(({ manager }) => isDeclaringManager(manager))
  if (entries.length === 0) return
  const [was, is] = [before as JsonObject, after as JsonObject]
  const steps = touchedSteps(versionedKind(resource), was, is, entries)
  const owned = await withVersions(context, resource, steps)
  const [first] = owned
  if (first === undefined || !protects("webhooks-change-no-declaration")) return
  throw admissionFault("SPT-API-126", {
    ...faultNames(key),
    fields: summarize(
      owned.map(({ path }) => path),
      5,
    ),
    manager: first.manager,
    source: annotations?.[sourceAnnotation] ?? "its source",
  })
}
