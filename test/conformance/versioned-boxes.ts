// A kind whose versions name one field differently, with what converts between them: v1 keeps
// `size`, v2 calls it `count`, everything else stays. What is not there stays away.

import type { Json, JsonObject } from "../../src/base/json.ts"
import type { ApiObject, ResourceRef } from "../../src/object/object.ts"

const integer: JsonObject = { type: "integer" }
const text: JsonObject = { type: "string" }

export type SpecSchema = Readonly<Record<string, JsonObject>>

export interface VersionOptions {
  readonly storage?: boolean
  readonly served?: boolean
}

export const versionOf = (
  name: string,
  properties: SpecSchema,
  { storage = false, served = true }: VersionOptions = {},
): JsonObject => {
  const spec = { type: "object", properties }
  const openAPIV3Schema = { type: "object", properties: { spec } }
  return { name, storage, served, schema: { openAPIV3Schema } }
}

export const packDefinition = (
  plural: string,
  kind: string,
  versions: readonly JsonObject[],
  conversion?: JsonObject,
): ApiObject => ({
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: `${plural}.pack.dev` },
  spec: {
    group: "pack.dev",
    scope: "Namespaced",
    names: { plural, kind },
    versions,
    ...(conversion === undefined ? {} : { conversion }),
  },
})

export const byWebhook: JsonObject = {
  strategy: "Webhook",
  webhook: {
    conversionReviewVersions: ["v1"],
    clientConfig: { url: "https://127.0.0.1:1/convert" },
  },
}

const shared: SpecSchema = { other: text, note: text }

export const boxDefinition = (): ApiObject =>
  packDefinition(
    "boxes",
    "Box",
    [
      versionOf("v1", { size: integer, ...shared }, { storage: true }),
      versionOf("v2", { count: integer, ...shared }),
    ],
    byWebhook,
  )

export const boxes = (version: string): ResourceRef => ({
  group: "pack.dev",
  version,
  resource: "boxes",
})

export const boxOf = (version: string, spec: JsonObject, name = "a"): ApiObject => ({
  apiVersion: `pack.dev/${version}`,
  kind: "Box",
  metadata: { name, namespace: "default" },
  spec,
})

function convertBox(object: ApiObject, apiVersion: string): ApiObject {
  const { size, count, ...rest } = object.spec ?? {}
  const number = size ?? count
  const name = apiVersion.endsWith("v1") ? "size" : "count"
  const spec = number === undefined ? rest : { ...rest, [name]: number }
  return { ...object, apiVersion, ...(object.spec === undefined ? {} : { spec }) }
}

/** Answers as the webhook of boxes does, until it is told to fail; counts what it was asked. */
export class BoxConverter {
  asked = 0
  fails = false

  readonly callWebhook = async ({ body }: { readonly body: Json }): Promise<Json> => {
    this.asked++
    const { request } = body as { request: JsonObject }
    const to = String(request.desiredAPIVersion)
    const objects = request.objects as readonly Json[] as readonly ApiObject[]
    const converted = objects.map((one) => convertBox(one, to)) as readonly ApiObject[] as Json
    const response = this.fails
      ? { convertedObjects: [], result: { status: "Failed", message: "not today" } }
      : { convertedObjects: converted, result: { status: "Success" } }
    return {
      apiVersion: "apiextensions.k8s.io/v1",
      kind: "ConversionReview",
      response: { uid: request.uid ?? null, ...response },
    }
  }
}
