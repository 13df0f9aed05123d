// Whether a webhook comes from somebody who knows a token: a signature over the body as GitHub,
// Gitea and Forgejo send it, or the token itself as GitLab does. Compared in constant time, and
// with as much work when there is no token.

import { createHmac, timingSafeEqual } from "node:crypto"
import type { IncomingHttpHeaders } from "node:http"

export interface HookCall {
  readonly headers: IncomingHttpHeaders
  readonly body: Uint8Array
}

const tokenMin = 16
const nobody = "no token is this long and has a blank "

/** A token that can be guessed is none. */
export function isHookFrom({ headers, body }: HookCall, token: string | undefined): boolean {
  const known = token !== undefined && token.length >= tokenMin
  const key = known ? token : nobody
  const signature = createHmac("sha256", key).update(body).digest()
  const given = oneHeader(headers["x-hub-signature-256"])?.replace(/^sha256=/, "")
  const gitea = oneHeader(headers["x-gitea-signature"])
  const plain = oneHeader(headers["x-gitlab-token"])
  const signed = [given, gitea].some((text) => sameBytes(fromHex(text), signature))
  const told = sameBytes(digest(plain ?? ""), digest(key)) && plain !== undefined
  return known && (signed || told)
}

const digest = (text: string) => createHmac("sha256", "same length").update(text).digest()

const oneHeader = (value: string | readonly string[] | undefined): string | undefined =>
  typeof value === "string" ? value : undefined

const fromHex = (text: string | undefined) =>
  Buffer.from(text !== undefined && /^[0-9a-f]{64}$/i.test(text) ? text : "", "hex")

const sameBytes = (left: Uint8Array, right: Uint8Array): boolean =>
  left.length === right.length && timingSafeEqual(left, right)
