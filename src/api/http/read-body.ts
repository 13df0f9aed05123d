// Reads a request's body, bounded in size, as what its content type says: JSON, YAML, or the
// protobuf form of a built-in kind. All become the same JSON value; what a key held before a second
// one of its name is lost, and named, so that the caller's choice of strictness can be kept.

import { isAscii } from "node:buffer"
import type { Json } from "../../base/json.ts"
import { apiFault } from "../faults.ts"
import { decodeProtobuf, type TypeNames } from "../protobuf/decode-protobuf.ts"
import { readJsonDocument } from "../read-json.ts"
import { readYaml } from "../yaml/read-yaml.ts"
import { bodyBytesMax } from "./body-limit.ts"
import type { ApiRequest } from "./exchange.ts"

export type BodyType = "json" | "merge" | "jsonPatch" | "strategic" | "apply"

type Encoding = "json" | "yaml" | "protobuf"

const types: Readonly<Record<string, readonly [BodyType, Encoding]>> = {
  // kubectl 1.20 sends none.
  "": ["json", "json"],
  "application/json": ["json", "json"],
  "application/yaml": ["json", "yaml"],
  "application/vnd.kubernetes.protobuf": ["json", "protobuf"],
  "application/merge-patch+json": ["merge", "json"],
  "application/json-patch+json": ["jsonPatch", "json"],
  "application/strategic-merge-patch+json": ["strategic", "json"],
  "application/apply-patch+yaml": ["apply", "yaml"],
}

export function bodyType(request: ApiRequest): BodyType {
  return formOf(request)[0]
}

function formOf(request: ApiRequest): readonly [BodyType, Encoding] {
  const type = (request.headers["content-type"] ?? "").split(";")[0]?.trim().toLowerCase() ?? ""
  const known = Object.hasOwn(types, type) ? types[type] : undefined
  if (known === undefined) throw apiFault("SPT-API-022", { type: type.slice(0, 100) })
  return known
}

export interface RequestBody {
  /** Undefined when there is no body. */
  readonly value: Json | undefined
  /** Paths that were there twice: fieldValidation=Strict refuses them, Warn names them. */
  readonly duplicates: readonly string[]
}

export const noBody: RequestBody = { value: undefined, duplicates: [] }

/** The value alone, where a duplicate key can only be a mistake. Undefined without a body. */
export async function readBody(request: ApiRequest): Promise<Json | undefined> {
  const { value, duplicates } = await readRequestBody(request)
  const [first] = duplicates
  if (first === undefined) return value
  throw apiFault("SPT-API-008", { why: `duplicate field "${first}"`, offset: 0 })
}

/** `fallback` is what the path serves, for a protobuf body that does not name its kind. */
export function readRequestBody(
  request: ApiRequest,
  fallback?: () => TypeNames,
): RequestBody | Promise<RequestBody> {
  const [, encoding] = formOf(request)
  const { whole } = request
  if (whole !== undefined) return bodyOf(whole, encoding, fallback)
  return readBytes(request).then((bytes) => bodyOf(bytes, encoding, fallback))
}

function bodyOf(
  body: string | Buffer,
  encoding: Encoding,
  fallback: (() => TypeNames) | undefined,
): RequestBody {
  if (body.length === 0) return noBody
  if (encoding === "protobuf") {
    return { value: decodeProtobuf(Buffer.from(body), fallback?.()), duplicates: [] }
  }
  const text = typeof body === "string" ? body : decodeUtf8(body)
  return encoding === "yaml" ? readYaml(text) : readJsonDocument(text)
}

/** By events: an iterator over a stream costs more than the body of most requests. */
function readBytes(request: ApiRequest): Promise<Buffer> {
  const announced = Number(request.headers["content-length"] ?? 0)
  if (announced > bodyBytesMax) refuse(announced)
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let size = 0
    const take = (chunk: Buffer | string) => {
      const bytes = typeof chunk === "string" ? Buffer.from(chunk) : chunk
      size += bytes.byteLength
      chunks.push(bytes)
      if (size <= bodyBytesMax) return
      request.off("data", take)
      request.pause()
      reject(tooLarge(size))
    }
    let isWhole = false
    const brokeOff = () => {
      if (isWhole) return
      reject(apiFault("SPT-API-008", { why: "it broke off", offset: size }))
    }
    // Each of the last three comes once at most: `once` would wrap them for nothing.
    request.on("data", take)
    request.on("end", () => {
      isWhole = true
      resolve(chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks))
    })
    request.on("error", reject)
    request.on("close", brokeOff)
    if (request.destroyed && !request.complete) brokeOff()
  })
}

function refuse(size: number): never {
  throw tooLarge(size)
}

const tooLarge = (size: number): Error =>
  apiFault("SPT-API-009", { what: "the request body", size, limit: bodyBytesMax })

const strict = new TextDecoder("utf-8", { fatal: true })

function decodeUtf8(bytes: Buffer): string {
  if (isAscii(bytes)) return bytes.toString("latin1")
  try {
    return strict.decode(bytes)
  } catch {
    throw apiFault("SPT-API-008", { why: "the text is not UTF-8", offset: 0 })
  }
}
