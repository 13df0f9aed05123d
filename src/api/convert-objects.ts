// Objects from one version of their kind to another, by the webhook that the definition names. What
// comes back must be the same objects: only labels and annotations of the metadata may differ.
// For kinds without a webhook another version is another name and another schema.

import { isArray, isObject, type Json, type JsonObject } from "../base/json.ts"
import { newUid } from "../base/random.ts"
import type { Entry } from "../contract/store.ts"
import { type ApiObject, apiVersionOf } from "../object/object.ts"
import type { ApiContext } from "./api-context.ts"
import { decodeObject, encodeObject } from "./codec.ts"
import { apiFault } from "./faults.ts"
import { asServed } from "./served-form.ts"
import { type ServedResource, servedApiVersion } from "./served-resource.ts"

export type Converting = Partial<Pick<ApiContext, "callWebhook" | "random">>

const timeoutMs = 30_000
const batchMax = 500

/** Stored objects, or those of another version, in the version that was asked for. */
export async function convertToServed(
  context: Converting,
  resource: ServedResource,
  objects: readonly ApiObject[],
): Promise<readonly ApiObject[]> {
  if (resource.conversion === undefined) return objects.map((one) => asServed(resource, one))
  const settled = objects.map((one) => resource.versions.settle(one))
  return convertObjects(context, resource, settled, servedApiVersion(resource))
}

/** In the version that is stored. */
export async function convertToStored(
  context: Converting,
  resource: ServedResource,
  object: ApiObject,
): Promise<ApiObject> {
  const wanted = apiVersionOf(resource.group, resource.storageVersion)
  const [converted = object] = await convertObjects(context, resource, [object], wanted)
  return converted
}

/** Stored entries with the bytes they would have, had they been stored in the asked version. */
export async function convertEntries<T extends Pick<Entry, "value" | "modRevision">>(
  context: Converting,
  resource: ServedResource,
  entries: readonly T[],
): Promise<readonly T[]> {
  if (resource.conversion === undefined) return entries
  const objects = entries.map(({ value, modRevision }) => decodeObject(value, modRevision))
  const converted = await convertToServed(context, resource, objects)
  return entries.map((entry, index) => {
    const object = converted[index]
    return object === undefined ? entry : { ...entry, value: encodeObject(object) }
  })
}

/** In any version of the kind, without what its schema does not know. */
export async function convertObjects(
  context: Converting,
  resource: ServedResource,
  objects: readonly ApiObject[],
  apiVersion: string,
): Promise<readonly ApiObject[]> {
  if (resource.conversion === undefined) {
    return objects.map((object) => resource.versions.prune({ ...object, apiVersion }))
  }
  const others = objects.filter((object) => object.apiVersion !== apiVersion)
  const fresh = new Map<ApiObject, ApiObject>()
  for (let start = 0; start < others.length; start += batchMax) {
    const batch = others.slice(start, start + batchMax)
    const converted = await callConversion(context, resource, batch, apiVersion)
    for (const [index, object] of batch.entries()) {
      const after = judged(resource, object, converted[index], apiVersion, index)
      fresh.set(object, resource.versions.prune(after))
    }
  }
  return objects.map((object) => fresh.get(object) ?? object)
}

function failed(resource: ServedResource, why: string): Error {
  const { group, kind, version } = resource
  return apiFault("SPT-API-130", { kind: `${group}/${version}, Kind=${kind}`, why })
}

async function callConversion(
  context: Converting,
  resource: ServedResource,
  objects: readonly ApiObject[],
  desiredAPIVersion: string,
): Promise<readonly Json[]> {
  const { conversion } = resource
  const { callWebhook, random } = context
  if (conversion === undefined) return []
  if (callWebhook === undefined || random === undefined)
    throw failed(resource, "failed: this plane calls no webhooks")
  const uid = newUid(random)
  const request = { uid, desiredAPIVersion, objects: objects as readonly JsonObject[] }
  const body = { apiVersion: "apiextensions.k8s.io/v1", kind: "ConversionReview", request }
  let review: Json
  try {
    review = await callWebhook({ client: conversion, body, timeoutMs })
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    throw failed(resource, `failed: ${why}`)
  }
  return convertedOf(resource, review, uid, objects.length)
}

function convertedOf(
  resource: ServedResource,
  review: Json,
  uid: string,
  count: number,
): readonly Json[] {
  const say = (why: string) => failed(resource, why)
  const { apiVersion, kind, response }: JsonObject = isObject(review) ? review : {}
  if (apiVersion !== "apiextensions.k8s.io/v1" || kind !== "ConversionReview") {
    const wanted = "apiextensions.k8s.io/v1, Kind=ConversionReview"
    const got = `${String(apiVersion ?? "")}, Kind=${String(kind ?? "")}`
    throw say(`failed: expected webhook response of ${wanted}, got ${got}`)
  }
  if (!isObject(response)) throw say("failed: no response provided")
  if (response.uid !== uid) {
    throw say(`failed: expected response.uid="${uid}", got "${String(response.uid ?? "")}"`)
  }
  const result = isObject(response.result) ? response.result : {}
  if (result.status !== "Success") {
    const status = String(result.status ?? "")
    const told = typeof result.message === "string" && result.message !== ""
    const why = told ? String(result.message) : `response.result.status was '${status}'`
    throw say(`failed: ${told ? why : `${why}, not 'Success'`}`)
  }
  const objects = isArray(response.convertedObjects) ? response.convertedObjects : []
  if (objects.length === count) return objects
  throw say(`returned ${objects.length} objects, expected ${count}`)
}

/** The converted object with the metadata that nobody may change by converting. */
function judged(
  resource: ServedResource,
  before: ApiObject,
  after: Json | undefined,
  apiVersion: string,
  index: number,
): ApiObject {
  const where = `returned invalid converted object at index ${index}`
  const say = (why: string) => failed(resource, `${where}: ${why}`)
  if (!isObject(after)) throw say("it is no object")
  if (after.apiVersion !== apiVersion) {
    const got = String(after.apiVersion ?? "")
    throw say(`invalid groupVersion (expected ${apiVersion}, received ${got})`)
  }
  if (after.kind !== before.kind) throw say(`must have the same kind: ${before.kind}`)
  if (!isObject(after.metadata)) throw say("missing metadata in converted object")
  for (const name of ["name", "namespace", "uid"] as const) {
    const [wanted, got] = [before.metadata[name] ?? "", after.metadata[name] ?? ""]
    if (wanted === got) continue
    throw say(`must have the same ${name}: ${wanted} != ${String(got)}`)
  }
  const { labels: _l, annotations: _a, ...kept } = before.metadata
  const texts = (name: "labels" | "annotations") => textMap(after.metadata, name, say)
  const metadata = { ...kept, ...texts("labels"), ...texts("annotations") }
  return { ...after, apiVersion, kind: before.kind, metadata } as ApiObject
}

function textMap(
  metadata: Json | undefined,
  name: "labels" | "annotations",
  say: (why: string) => Error,
): Pick<ApiObject["metadata"], "labels" | "annotations"> {
  const found = isObject(metadata) ? metadata[name] : undefined
  if (found === undefined || found === null) return {}
  if (!isObject(found)) throw say(`invalid metadata.${name} in converted object`)
  for (const [key, value] of Object.entries(found)) {
    if (typeof value !== "string") throw say(`metadata.${name}[${key}] must be a string`)
  }
  return { [name]: found as Readonly<Record<string, string>> }
}
