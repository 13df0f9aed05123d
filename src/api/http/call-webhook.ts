// Calls a webhook: one POST over HTTPS, JSON there and back, within a time and a size. Redirects
// are not followed and no answer but 200 counts. Never retries: the caller knows whether it may.

import { request } from "node:https"
import type { Json } from "../../base/json.ts"
import { jsonText, parseJson } from "../../base/json-text.ts"
import type { CallWebhook } from "../../contract/webhook.ts"

const answerBytesMax = 32 * 1024 * 1024

export const callWebhook: CallWebhook = ({ client, body, timeoutMs }) =>
  new Promise<Json>((resolve, reject) => {
    const text = Buffer.from(jsonText(body))
    const where = `Post "${client.url}"`
    const fail = (why: string) => reject(new Error(`${where}: ${why}`))
    if (!URL.canParse(client.url) || new URL(client.url).protocol !== "https:") {
      fail("'https' is the only allowed URL scheme")
      return
    }
    const signal = AbortSignal.timeout(timeoutMs)
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
        },
        ...(client.authorities === undefined ? {} : { ca: client.authorities }),
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
    call.on("error", (error) => {
      fail(signal.aborted ? `no answer within ${timeoutMs} ms` : error.message)
    })
    call.end(text)
  })
