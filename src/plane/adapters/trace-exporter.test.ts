import { createServer, type RequestListener, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { afterEach, describe, expect, it } from "vitest"
import { silentLogger } from "../../telemetry/logger.ts"
import type { Span } from "../../telemetry/spans.ts"
import { traceExporter } from "./trace-exporter.ts"

let server: Server | undefined
afterEach(() => {
  server?.closeAllConnections()
  server?.close()
})

async function exporterTo(collect: RequestListener) {
  const opened = createServer(collect)
  server = opened
  await new Promise<void>((resolve) => opened.listen(0, "127.0.0.1", resolve))
  const { port } = opened.address() as AddressInfo
  const endpoint = `http://127.0.0.1:${port}`
  return traceExporter({ endpoint, resource: {}, logger: silentLogger })
}

const span: Span = {
  ...{ traceId: "0".repeat(32), spanId: "0".repeat(16), name: "a span" },
  ...{ startMs: 0, endMs: 1, attributes: {} },
}

describe("spans that wait when the plane ends", () => {
  it("are sent, all of them", async () => {
    let taken = 0
    const { sink, close } = await exporterTo((request, response) => {
      let text = ""
      request.on("data", (part) => {
        text += String(part)
      })
      request.on("end", () => {
        taken += text.split('"a span"').length - 1
        response.end("{}")
      })
    })
    for (let at = 0; at < 1500; at++) sink(span)
    await close()
    expect(taken).toBe(1500)
  })

  it("have one deadline together, however many batches nobody answers", async () => {
    let asked = 0
    const { sink, close } = await exporterTo(() => asked++)
    for (let at = 0; at < 8000; at++) sink(span)
    await close()
    expect(asked).toBe(1)
  })
})
