import { createServer, type RequestListener, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { afterEach, describe, expect, it } from "vitest"
import { Secret } from "../../base/secret.ts"
import { sendMessage } from "./send-message.ts"

let server: Server | undefined
afterEach(() => {
  server?.closeAllConnections()
  server?.close()
})

async function post(answer: RequestListener): Promise<void> {
  const opened = createServer(answer)
  server = opened
  await new Promise<void>((resolve) => opened.listen(0, "127.0.0.1", resolve))
  const { port } = opened.address() as AddressInfo
  const url = new Secret(`http://127.0.0.1:${port}/hook`)
  const message = { url, contentType: "text/plain", body: "hello", headers: {} }
  return sendMessage(message, new AbortController().signal)
}

describe("a message", () => {
  it("is sent when the other side said so, and lets go of an answer that never ends", async () => {
    let letGo = () => {}
    const gone = new Promise<void>((resolve) => {
      letGo = resolve
    })
    await post((_request, response) => {
      response.on("close", letGo)
      response.writeHead(200).write("and then")
    })
    await gone
  })

  it("is not sent when the other side says anything else", async () => {
    const refused = post((_request, response) => response.writeHead(500).end("no"))
    await expect(refused).rejects.toThrow("answered 500")
    const sent = post((_request, response) => response.writeHead(302, { location: "/x" }).end())
    await expect(sent).rejects.toThrow("answered 302")
  })
})
