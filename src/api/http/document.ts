// A document that many will ask for: its bytes and their tag are made once, and whoever names the
// tag gets 304 instead of the bytes.

import type { IncomingHttpHeaders } from "node:http"
import { sha256 } from "../../base/hash.ts"
import { jsonText } from "../../base/json-text.ts"
import type { Answer } from "./answer.ts"

export interface Document {
  readonly bytes: Uint8Array
  /** Hex, upper case. */
  readonly hash: string
}

export function jsonDocument(value: object): Document {
  return documentOf(Buffer.from(`${jsonText(value)}\n`))
}

export function documentOf(bytes: Uint8Array): Document {
  return { bytes, hash: sha256(bytes).toUpperCase() }
}

/** Its hash is one over theirs: a large document must not be read again for it. */
export function joinedDocument(parts: readonly Document[]): Document {
  const bytes = Buffer.concat(parts.map((part) => part.bytes))
  return { bytes, hash: sha256(parts.map(({ hash }) => hash).join("\n")).toUpperCase() }
}

export function answerDocument(
  document: Document,
  contentType: string,
  request: IncomingHttpHeaders,
  more: Readonly<Record<string, string>> = {},
): Answer {
  const tag = `"${document.hash}"`
  const headers = { etag: tag, vary: "Accept", ...more }
  if (names(request["if-none-match"], tag)) return { status: 304, headers }
  return { status: 200, bytes: document.bytes, contentType, headers }
}

function names(ifNoneMatch: string | undefined, tag: string): boolean {
  if (ifNoneMatch === undefined) return false
  const tags = ifNoneMatch.split(",").map((one) => one.trim().replace(/^W\//, ""))
  return tags.includes(tag) || tags.includes("*")
}

/** As Kubernetes answers where it knows no such group; clients take it for "not there". */
export const pageNotFound: Answer = { status: 404, text: "404 page not found\n" }
