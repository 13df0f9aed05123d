// OpenAPI at its paths: an index of documents by group and version (3), and one document of
// everything (2). Documents are made when somebody asks, part by part, and kept until a kind changes.

import { Breath } from "../../base/breath.ts"
import type { Clock } from "../../base/clock.ts"
import { jsonText } from "../../base/json-text.ts"
import { apiFault } from "../faults.ts"
import type { Answer } from "../http/answer.ts"
import {
  answerDocument,
  type Document,
  documentOf,
  jsonDocument,
  pageNotFound,
} from "../http/document.ts"
import { covers, mediaRanges } from "../http/media-ranges.ts"
import type { PlainCall, PlainRoute } from "../http/plain-route.ts"
import type { ResourceRegistry } from "../resource-registry.ts"
import { encodeHead, encodePart } from "./encode-openapi-v2.ts"
import { GroupParts } from "./group-parts.ts"
import { type OpenApiV2Part, openApiV2Part, sharedV2Part } from "./openapi-v2.ts"
import { openApiV3 } from "./openapi-v3.ts"

const json = "application/json"
const v2Protobuf = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf"
const v2ProtobufOld = "application/com.github.proto-openapi.spec.v2@v1.0+protobuf"
const title = "Setpoint"
const prefix = "/openapi/v3/"

export interface OpenApiOptions {
  readonly clock: Clock
  /** Of the plane. */
  readonly version: string
}

export function openApiRoutes(registry: ResourceRegistry, options: OpenApiOptions): PlainRoute[] {
  return [...v3Routes(registry, options), ...v2Routes(registry, options)]
}

function v3Routes(registry: ResourceRegistry, { clock, version }: OpenApiOptions): PlainRoute[] {
  const breath = new Breath(clock)
  const parts = new GroupParts(registry, (served) => jsonDocument(openApiV3(served, version)))
  const index = keptFor(registry, async () => {
    const all = [...(await parts.all(breath))]
    const paths = all.map(([path, { hash }]) => [path, { serverRelativeURL: urlOf(path, hash) }])
    return jsonDocument({ paths: Object.fromEntries(paths) })
  })
  const one = (call: PlainCall): Answer => {
    const path = call.path.slice(prefix.length).replace(/\/$/, "")
    const document = parts.one(path)
    if (document === undefined) return pageNotFound
    wanted(call, [json])
    const hash = call.query.get("hash") ?? ""
    if (hash === "") return answerDocument(document, json, call.headers)
    // Under a hash stands one document for ever: another hash is another address.
    if (hash === document.hash) return answerDocument(document, json, call.headers, forEver)
    return { status: 301, headers: { location: urlOf(path, document.hash), vary: "Accept" } }
  }
  return [
    {
      pattern: "/openapi/v3",
      answer: async (call) => answerDocument(await index(), json, call.headers),
    },
    { pattern: `${prefix}*`, answer: one },
  ]
}

const forEver = { "cache-control": "public, immutable, max-age=31536000" }
const urlOf = (path: string, hash: string): string => `${prefix}${path}?hash=${hash}`

interface V2Texts {
  readonly paths: string
  readonly definitions: string
}

function v2Routes(registry: ResourceRegistry, { clock, version }: OpenApiOptions): PlainRoute[] {
  const breath = new Breath(clock)
  const texts = new GroupParts(registry, (served) => textsOf(openApiV2Part(served)))
  const encoded = new GroupParts(registry, (served) => encodePart(openApiV2Part(served)))
  const asJson = keptFor(registry, async () => {
    const all = [textsOf(sharedV2Part()), ...(await texts.all(breath)).values()]
    const head = jsonText({ swagger: "2.0", info: { title, version } }).slice(0, -1)
    const of = (name: keyof V2Texts) => joined(all.map((one) => one[name]))
    return documentOf(
      Buffer.from(`${head},"paths":{${of("paths")}},"definitions":{${of("definitions")}}}\n`),
    )
  })
  const asProtobuf = keptFor(registry, async () => {
    const shared = encodePart(sharedV2Part())
    const all = (await encoded.all(breath)).values()
    return documentOf(Buffer.concat([encodeHead(title, version), shared, ...all]))
  })
  const answer = async (call: PlainCall): Promise<Answer> => {
    const type = wanted(call, [json, v2ProtobufOld, v2Protobuf])
    if (type === json) return answerDocument(await asJson(), json, call.headers)
    return answerDocument(await asProtobuf(), v2Protobuf, call.headers)
  }
  return [{ pattern: "/openapi/v2", answer }]
}

/** The members of both objects, without the braces around them. */
function textsOf({ paths, definitions }: OpenApiV2Part): V2Texts {
  return { paths: jsonText(paths).slice(1, -1), definitions: jsonText(definitions).slice(1, -1) }
}

const joined = (texts: readonly string[]): string => texts.filter((text) => text !== "").join(",")

/** Which of the types the client likes best; throws 406. */
function wanted({ headers }: PlainCall, types: readonly string[]): string {
  for (const range of mediaRanges(headers.accept)) {
    const found = types.find((type) => covers(range, type))
    if (found !== undefined) return found
  }
  throw apiFault("SPT-API-065", { accept: types.join(", ") })
}

/** Made once for each state of the registry; all who ask meanwhile wait for the same one. */
function keptFor(
  registry: ResourceRegistry,
  make: () => Promise<Document>,
): () => Promise<Document> {
  let kept: { version: number; document: Promise<Document> } | undefined
  return () => {
    const { version } = registry
    if (kept?.version === version) return kept.document
    const document = make()
    kept = { version, document }
    // What failed is tried again by the next who asks.
    document.catch(() => {
      if (kept?.document === document) kept = undefined
    })
    return document
  }
}
