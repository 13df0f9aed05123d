// OpenAPI at its paths: an index of documents by group and version (3), and one document of
// everything (2). Documents are made when somebody asks, part by part, and kept until a kind
// changes.

import type { Clock } from "../../base/clock.ts"
import { jsonText } from "../../base/json-text.ts"
import { apiFault } from "../faults.ts"
import type { Answer } from "../http/answer.ts"
import {
  answerDocument,
  type Document,
  documentOf,
  joinedDocument,
  jsonDocument,
  pageNotFound,
} from "../http/document.ts"
import { covers, mediaRanges } from "../http/media-ranges.ts"
import type { PlainCall, PlainRoute } from "../http/plain-route.ts"
import type { ResourceRegistry } from "../resource-registry.ts"
import { encodeHead, encodePart } from "./encode-openapi-v2.ts"
import { GroupParts } from "./group-parts.ts"
import { type OpenApiV2Part, openApiV2Part, sharedV2Part } from "./openapi-v2.ts"
import { type V3Piece, v3Document, v3Piece } from "./openapi-v3.ts"
import { joinMembers, members } from "./schema-parts.ts"

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
  const parts = new GroupParts(registry, clock, {
    piece: v3Piece,
    part: (pieces: readonly V3Piece[]) =>
      documentOf(Buffer.from(v3Document(pieces, title, version))),
  })
  const index = keptFor(registry, async () => {
    const all = [...(await parts.all())]
    const paths = all.map(([path, { hash }]) => [path, { serverRelativeURL: urlOf(path, hash) }])
    return jsonDocument({ paths: Object.fromEntries(paths) })
  })
  const one = async (call: PlainCall): Promise<Answer> => {
    const path = call.path.slice(prefix.length).replace(/\/$/, "")
    const document = await parts.one(path)
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
  const texts = new GroupParts(registry, clock, {
    piece: (resource) => textsOf(openApiV2Part(resource)),
    part: joinTexts,
  })
  const encoded = new GroupParts(registry, clock, {
    piece: (resource) => encodePart(openApiV2Part(resource)),
    part: (pieces: readonly Uint8Array[]) => documentOf(Buffer.concat(pieces)),
  })
  const asJson = keptFor(registry, async () => {
    const shared = joinTexts([textsOf(sharedV2Part())])
    const all = [...(await texts.all()).values(), shared]
    const head = jsonText({ swagger: "2.0", info: { title, version } }).slice(0, -1)
    return joinedDocument([
      documentOf(Buffer.from(`${head},"paths":{`)),
      ...separated(all.map(({ paths }) => paths)),
      documentOf(Buffer.from('},"definitions":{')),
      ...separated(all.map(({ definitions }) => definitions)),
      documentOf(Buffer.from("}}\n")),
    ])
  })
  const asProtobuf = keptFor(registry, async () => {
    const head = documentOf(encodeHead(title, version))
    const shared = documentOf(encodePart(sharedV2Part()))
    return joinedDocument([head, shared, ...(await encoded.all()).values()])
  })
  const answer = async (call: PlainCall): Promise<Answer> => {
    const type = wanted(call, [json, v2ProtobufOld, v2Protobuf])
    if (type === json) return answerDocument(await asJson(), json, call.headers)
    return answerDocument(await asProtobuf(), v2Protobuf, call.headers)
  }
  return [{ pattern: "/openapi/v2", answer }]
}

function textsOf({ paths, definitions }: OpenApiV2Part): V2Texts {
  return { paths: members(paths), definitions: members(definitions) }
}

function joinTexts(all: readonly V2Texts[]): Readonly<Record<keyof V2Texts, Document>> {
  const joined = (name: keyof V2Texts) =>
    documentOf(Buffer.from(joinMembers(all.map((one) => one[name]))))
  return { paths: joined("paths"), definitions: joined("definitions") }
}

const comma = documentOf(Buffer.from(","))

function separated(parts: readonly Document[]): Document[] {
  const filled = parts.filter(({ bytes }) => bytes.byteLength > 0)
  return filled.flatMap((part, index) => (index === 0 ? [part] : [comma, part]))
}

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
