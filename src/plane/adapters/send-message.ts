// Posts a message to a webhook: one request, bounded in time, no redirect followed, nothing read of
// the answer but its status. What it says of a failure names the host alone: the rest of an address
// is often a password.

import { createHmac } from "node:crypto"
import { request as httpRequest } from "node:http"
import { request as httpsRequest } from "node:https"
import type { OutgoingMessage, SendMessage } from "../../contract/notification.ts"
import { controllerFault } from "../../controllers/faults.ts"

export const sendMessage: SendMessage = (message, signal) =>
  new Promise((resolve, reject) => {
    const text = message.url.reveal()
    const url = URL.canParse(text) ? new URL(text) : undefined
    const fail = (cause: string) => reject(controllerFault("SPT-NOTE-003", { cause }))
    if (url === undefined || !["https:", "http:"].includes(url.protocol)) {
      return fail("its address is no http or https URL")
    }
    const send = url.protocol === "https:" ? httpsRequest : httpRequest
    const options = { method: "POST", agent: false, signal, headers: headersOf(message) }
    const call = send(url, options, (answer) => {
      const { statusCode = 0 } = answer
      // Nothing else that it says is asked for, and nobody bounds how long it would go on.
      answer.destroy()
      const taken = statusCode >= 200 && statusCode < 300
      if (taken) resolve()
      else fail(`${url.host} answered ${statusCode}`)
    })
    call.on("error", (error) => fail(`${url.host}: ${codeOf(error)}`))
    call.end(message.body)
  })

function headersOf(message: OutgoingMessage): Record<string, string> {
  const { body, contentType, headers, signingKey } = message
  const own = Object.entries(headers).map(([name, value]) => [name, value.reveal()])
  const signature =
    signingKey === undefined
      ? {}
      : {
          "setpoint-signature": `sha256=${createHmac("sha256", signingKey.reveal())
            .update(body)
            .digest("hex")}`,
        }
  return {
    ...Object.fromEntries(own),
    "content-type": contentType,
    "content-length": String(Buffer.byteLength(body)),
    "user-agent": "setpoint",
    ...signature,
  }
}

const codeOf = (error: Error & { readonly code?: string }): string =>
  error.code ?? error.message.slice(0, 200)
