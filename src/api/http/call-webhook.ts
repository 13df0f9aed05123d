// Calls a webhook: one POST over HTTPS, JSON there and back, within a time and a size. Redirects
// are not followed and no answer but 200 counts. Never retries: the caller knows whether it may.
// Services have no addresses here but those that whoever runs the plane gives them.

import { type RequestOptions, request } from "node:https"
import type { Json } from "../../base/json.ts"
import { jsonText, parseJson } from "../../base/json-text.ts"
import type { CallWebhook, WebhookCall } from "../../contract/webhook.ts"

const answerBytesMax = 32 * 1024 * 1024

export interface ServicePlace {
  readonly host: string
  readonly port: number
}

/** By "NAMESPACE/NAME". */
export type WebhookServices = ReadonlyMap<string, ServicePlace>

export const callWebhook: CallWebhook = webhookCaller(new Map())

export function webhookCaller(services: WebhookServices): CallWebhook {
  return (call) => post(call, services)
}

const serviceOf = (hostname: string): string | undefined => {
  const match = /^([^.]+)\.([^.]+)\.svc$/.exec(hostname)
  return match === null ? undefined : `${match[2]}/${match[1]}`
}

/** The connection goes to the place, the certificate must be that of the service. */
function placed(url: URL, services: WebhookServices): Partial<RequestOptions> {
  const place = services.get(serviceOf(url.hostname) ?? "")
  if (place === undefined) return {}
  return { hostname: place.host, port: place.port, servername: url.hostname }
}

const unknownHost: ReadonlySet<string> = new Set(["ENOTFOUND", "EAI_AGAIN"])

function failureText(error: Error & { readonly code?: string }, { hostname }: URL): string {
  const service = serviceOf(hostname)
  if (service === undefined || !unknownHost.has(error.code ?? "")) return error.message
  return `${error.message}; --webhook-service ${service}=HOST:PORT gives it an address`
}

const post = ({ client, body, timeoutMs }: WebhookCall, services: WebhookServices) =>
  new Promise<Json>((resolve, reject) => {
    const text = Buffer.from(jsonText(body))
    const where = `Post "${client.url}"`
    const signal = AbortSignal.timeout(timeoutMs)
    const fail = (why: string) =>
      reject(new Error(`${where}: ${signal.aborted ? `no answer within ${timeoutMs} ms` : why}`))
    if (!URL.canParse(client.url) || new URL(client.url).protocol !== "https:") {
      fail("'https' is the only allowed URL scheme")
      return
    }
    const url = new URL(client.url)
    const call = request(
      client.url,
      {
        method: "POST",
        agent: false,
        signal,
        headers: {
          "content-type": "application/json",
          accept: "application/json",
          "content-length": text.length,
          host: url.host,
        },
        ...(client.authorities === undefined ? {} : { ca: client.authorities }),
        ...placed(url, services),
      },
      (answer) => {
        const parts: Buffer[] = []
        let bytes = 0
        answer.on("data", (part: Buffer) => {
          bytes += part.length
          parts.push(part)
          if (bytes > answerBytesMax) call.destroy(new Error("the answer is too large"))
        })
        answer.on("error", (error) => fail(error.message))
        answer.on("end", () => {
          if (answer.statusCode !== 200) {
            fail(`the server responded with status code ${answer.statusCode}`)
            return
          }
          try {
            resolve(parseJson(Buffer.concat(parts).toString("utf8")))
          } catch {
            fail("the answer is no JSON")
          }
        })
      },
    )
    call.on("error", (error) => fail(failureText(error, url)))
    call.end(text)
  })
