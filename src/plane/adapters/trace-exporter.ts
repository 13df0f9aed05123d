// Sends spans to an OpenTelemetry collector, in batches, a moment after they ended. What can't be
// sent in time is dropped and counted: traces never hold up what they are about, nor its end.

import { request as httpRequest } from "node:http"
import { request as httpsRequest } from "node:https"
import type { Logger } from "../../telemetry/logger.ts"
import { otlpTraces, type Span, type SpanSink } from "../../telemetry/spans.ts"

export interface TraceExporterOptions {
  /** "http://127.0.0.1:4318": where the collector takes OTLP over HTTP. */
  readonly endpoint: string
  readonly resource: Readonly<Record<string, string>>
  readonly logger: Logger
}

export interface TraceExporter {
  readonly sink: SpanSink
  /** Sends what waits; what is not taken within one deadline for all of it is dropped. */
  close(): Promise<void>
}

const waitingMax = 8192
const batchMax = 512
const everyMs = 500
const sendMs = 5000
const closeMs = 3000

export function traceExporter(options: TraceExporterOptions): TraceExporter {
  const url = new URL("v1/traces", `${options.endpoint.replace(/\/$/, "")}/`)
  let waiting: Span[] = []
  let dropped = 0
  let wasGood = true
  let timer: NodeJS.Timeout | undefined
  let sending: Promise<void> = Promise.resolve()
  let closed = false
  const end = new AbortController()

  const flush = async (): Promise<void> => {
    while (waiting.length > 0 && !end.signal.aborted) {
      const batch = waiting.slice(0, batchMax)
      waiting = waiting.slice(batchMax)
      const body = JSON.stringify(otlpTraces(batch, options.resource))
      const why = await post(url, body, end.signal)
      if (why !== undefined && wasGood) {
        options.logger.warn("traces can't be sent", { to: url.host, why, dropped })
      }
      wasGood = why === undefined
      if (!wasGood) dropped += batch.length
    }
  }
  const soon = () => {
    timer = undefined
    sending = sending.then(flush)
  }
  return {
    sink: (span) => {
      if (closed || waiting.length >= waitingMax) {
        dropped++
        return
      }
      waiting.push(span)
      timer ??= setTimeout(soon, everyMs).unref()
    },
    close: async () => {
      closed = true
      clearTimeout(timer)
      const deadline = setTimeout(() => end.abort(), closeMs)
      await sending.then(flush)
      clearTimeout(deadline)
      end.abort() // Answers that go on after they said yes.
    },
  }
}

/** Why the collector did not take it; undefined when it did. */
function post(url: URL, body: string, end: AbortSignal): Promise<string | undefined> {
  return new Promise((resolve) => {
    const send = url.protocol === "https:" ? httpsRequest : httpRequest
    const headers = {
      "content-type": "application/json",
      "content-length": String(Buffer.byteLength(body)),
    }
    const signal = AbortSignal.any([AbortSignal.timeout(sendMs), end])
    const call = send(url, { method: "POST", headers, signal }, (answer) => {
      answer.resume()
      const { statusCode = 0 } = answer
      const taken = statusCode >= 200 && statusCode < 300
      resolve(taken ? undefined : `it answered ${statusCode}`)
    })
    call.on("error", (error: Error & { readonly code?: string }) => {
      resolve(error.code ?? error.message.slice(0, 200))
    })
    call.end(body)
  })
}
