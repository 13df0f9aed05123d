// Large answers are sent compressed to those who understand it, as Kubernetes does: above 128 KiB,
// and never a watch. Compressing runs beside the event loop.

import { gzip } from "node:zlib"
import { jsonText } from "../../base/json-text.ts"
import type { Answer } from "./answer.ts"

const bytesMin = 128 * 1024
/** Quick rather than small: the network is mostly this host. */
const level = 1

/** Small ones at once, as they are. */
export function compressed(answer: Answer, accepts: unknown): Answer | Promise<Answer> {
  if (typeof accepts !== "string" || !/\bgzip\b/.test(accepts)) return answer
  const whole = asBytes(answer)
  const { bytes } = whole
  return bytes === undefined || bytes.byteLength < bytesMin ? whole : pack(whole, bytes)
}

async function pack(whole: Answer, bytes: Uint8Array): Promise<Answer> {
  const packed = await new Promise<Uint8Array>((resolve, reject) => {
    gzip(bytes, { level }, (error, result) => (error === null ? resolve(result) : reject(error)))
  })
  const headers = { ...whole.headers, "content-encoding": "gzip", vary: "Accept-Encoding" }
  return { ...whole, bytes: packed, headers }
}

/** Encoded once, here or when it is sent. */
function asBytes(answer: Answer): Answer {
  if (answer.body === undefined) return answer
  const { body, ...rest } = answer
  const bytes = Buffer.from(`${jsonText(body)}\n`)
  return { ...rest, bytes, contentType: answer.contentType ?? "application/json" }
}
