// Asks an issuer of tokens: by https only, without redirects, bounded in size and time.

import { request as httpsRequest } from "node:https"

export interface BoundedRequest {
  readonly method?: "GET" | "POST"
  readonly body?: string
  readonly contentType?: string
  readonly signal?: AbortSignal
}

export type BoundedFetch = (url: string | URL, asked: BoundedRequest) => Promise<Response>

const answerBytesMax = 1024 * 1024
export const timeoutMs = 10_000

/** `authority` is the PEM of who signed the server's certificate; the system's when missing. */
export function boundedHttps(authority: string | undefined): BoundedFetch {
  const trust = authority === undefined ? {} : { ca: authority }
  return (url, { method = "GET", body, contentType = "", signal }) =>
    new Promise((resolve, reject) => {
      const headers =
        body === undefined
          ? {}
          : { "content-type": contentType, "content-length": Buffer.byteLength(body) }
      const all = { ...trust, method, headers, signal, timeout: timeoutMs }
      const request = httpsRequest(url, all, (response) => {
        const chunks: Buffer[] = []
        let size = 0
        response.on("data", (chunk: Buffer) => {
          size += chunk.byteLength
          if (size > answerBytesMax) request.destroy(new Error("its answer is too long"))
          else chunks.push(chunk)
        })
        response.on("error", reject)
        response.on("end", () => {
          const status = response.statusCode ?? 500
          resolve(new Response(Buffer.concat(chunks), { status: status < 200 ? 500 : status }))
        })
      })
      request.on("timeout", () => request.destroy(new Error("it did not answer in time")))
      request.on("error", reject)
      request.end(body)
    })
}
