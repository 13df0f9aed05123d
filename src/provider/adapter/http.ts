// HTTP for providers over node:http and node:https: one request, one bounded answer, no redirects.
// A failure of the network is thrown, never turned into an answer; a reading handle sends only GET
// and HEAD, so that an observation can't change anything.

import type { Http, HttpRequest, HttpResponse } from "../../contract/world.ts"
import { providerFault } from "../faults.ts"

export interface HttpOptions {
  readonly readOnly?: boolean
  readonly bodyBytesMax?: number
  /** For requests that don't say their own. */
  readonly timeoutMs?: number
}

const readingMethods = new Set(["GET", "HEAD"])

export function createHttp(options: HttpOptions = {}): Http {
  const bodyBytesMax = options.bodyBytesMax ?? 8 * 1024 * 1024
  return {
    async request(request, signal) {
      const method = request.method.toUpperCase()
      const url = shown(request.url)
      if (options.readOnly === true && !readingMethods.has(method)) {
        throw providerFault("SPT-PROV-008", { method, url })
      }
      const deadline = AbortSignal.timeout(request.timeoutMs ?? options.timeoutMs ?? 10_000)
      const ended = AbortSignal.any([signal, deadline])
      try {
        return await exchange({ ...request, method }, ended, bodyBytesMax)
      } catch (error) {
        if (error instanceof TypeError) {
          throw providerFault("SPT-PROV-009", { url, cause: error.message }, error)
        }
        const cause = deadline.aborted
          ? "no answer in time"
          : signal.aborted
            ? "it was called off"
            : causeOf(error)
        throw providerFault("SPT-PROV-007", { method, url, cause }, error)
      }
    },
  }
}

function exchange(
  { method, url, headers, body }: HttpRequest,
  signal: AbortSignal,
  bodyBytesMax: number,
): Promise<HttpResponse> {
  const address = new URL(url)
  if (address.protocol !== "http:" && address.protocol !== "https:") {
    throw new TypeError(`the scheme ${address.protocol} is not http or https`)
  }
  // Loaded with the first request: many planes and every short command never send one.
  const name = address.protocol === "https:" ? "node:https" : "node:http"
  const { request: start } = process.getBuiltinModule(name)
  return new Promise((resolve, reject) => {
    const bytes = body === undefined ? undefined : Buffer.from(body)
    const length = bytes === undefined ? {} : { "content-length": String(bytes.length) }
    // Without keep-alive an idle connection can't be closed under a request that is just leaving.
    const options = { method, headers: { ...headers, ...length }, signal, agent: false }
    const outgoing = start(address, options, (incoming) => {
      const chunks: Buffer[] = []
      let size = 0
      incoming.on("data", (chunk: Buffer) => {
        size += chunk.length
        if (size > bodyBytesMax) {
          incoming.destroy(new Error(`the answer is longer than ${bodyBytesMax} bytes`))
        } else chunks.push(chunk)
      })
      incoming.on("error", reject)
      incoming.on("end", () => {
        if (!incoming.complete) return reject(new Error("the answer ended early"))
        resolve({
          status: incoming.statusCode ?? 0,
          headers: flat(incoming.headers),
          body: Buffer.concat(chunks).toString("utf8"),
        })
      })
    })
    outgoing.on("error", reject)
    outgoing.end(bytes)
  })
}

function flat(
  headers: Readonly<Record<string, string | readonly string[] | undefined>>,
): Record<string, string> {
  const out: Record<string, string> = {}
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined) out[name] = typeof value === "string" ? value : value.join(", ")
  }
  return out
}

/** Without user, password and query, which may be secret. */
function shown(url: string): string {
  const parsed = URL.parse(url)
  return parsed === null ? "(no address)" : `${parsed.protocol}//${parsed.host}${parsed.pathname}`
}

function causeOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const code: unknown = Reflect.get(error, "code")
  return typeof code === "string" && !error.message.includes(code)
    ? `${error.message} (${code})`
    : error.message
}
