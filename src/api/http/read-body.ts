// Reads a request's body, bounded in size, as strict JSON.

import type { Json } from "../../base/json.ts"
import { apiFault } from "../faults.ts"
import { readJson } from "../read-json.ts"
import type { ApiRequest } from "./exchange.ts"

export const bodyBytesMax = 3 * 1024 * 1024

export type BodyType = "json" | "merge" | "jsonPatch" | "strategic" | "apply"

const types: Readonly<Record<string, BodyType>> = {
  "": "json",
  "application/json": "json",
  "application/merge-patch+json": "merge",
  "application/json-patch+json": "jsonPatch",
  "application/strategic-merge-patch+json": "strategic",
  // YAML bodies come with the full server; JSON is YAML too, and all our clients send that.
  "application/apply-patch+yaml": "apply",
}

export function bodyType(request: ApiRequest): BodyType {
  const type = (request.headers["content-type"] ?? "").split(";")[0]?.trim().toLowerCase() ?? ""
  const known = types[type]
  if (known === undefined) throw apiFault("SPT-API-022", { type })
  return known
}

/** Undefined when there is no body. */
export async function readBody(request: ApiRequest): Promise<Json | undefined> {
  const announced = Number(request.headers["content-length"] ?? 0)
  if (announced > bodyBytesMax) refuse(announced)
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request) {
    const bytes = Buffer.isBuffer(chunk) ? chunk : Buffer.from(String(chunk))
    size += bytes.byteLength
    if (size > bodyBytesMax) refuse(size)
    chunks.push(bytes)
  }
  if (size === 0) return undefined
  return readJson(decodeUtf8(Buffer.concat(chunks)))
}

function refuse(size: number): never {
  throw apiFault("SPT-API-009", { what: "the request body", size, limit: bodyBytesMax })
}

const strict = new TextDecoder("utf-8", { fatal: true })

function decodeUtf8(bytes: Uint8Array): string {
  try {
    return strict.decode(bytes)
  } catch {
    throw apiFault("SPT-API-008", { why: "the text is not UTF-8", offset: 0 })
  }
}
