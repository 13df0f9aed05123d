// Spans of a trace, and how OpenTelemetry's collectors take them (OTLP over HTTP, as JSON). Pure:
// somebody else sends them.

import { hex, type Random } from "../base/random.ts"

export interface Span {
  /** 32 hexadecimal digits. */
  readonly traceId: string
  /** 16 hexadecimal digits. */
  readonly spanId: string
  readonly parentId?: string
  readonly name: string
  /** Wall time in milliseconds. */
  readonly startMs: number
  readonly endMs: number
  readonly attributes: Readonly<Record<string, string | number | boolean>>
  /** Why it failed, when it did. */
  readonly error?: string
}

export type SpanSink = (span: Span) => void

export const newTraceId = (random: Random): string => hex(random.bytes(16))
export const newSpanId = (random: Random): string => hex(random.bytes(8))

/** One request to a collector's /v1/traces. */
export function otlpTraces(
  spans: readonly Span[],
  resource: Readonly<Record<string, string>>,
): object {
  const scope = { name: "setpoint" }
  return {
    resourceSpans: [
      {
        resource: { attributes: attributesOf(resource) },
        scopeSpans: [{ scope, spans: spans.map(otlpSpan) }],
      },
    ],
  }
}

const internal = 1
const [statusUnset, statusError] = [0, 2]

function otlpSpan(span: Span): object {
  const { traceId, spanId, parentId, name, startMs, endMs, attributes, error } = span
  return {
    ...{ traceId, spanId, name, kind: internal },
    ...(parentId === undefined ? {} : { parentSpanId: parentId }),
    startTimeUnixNano: nanos(startMs),
    endTimeUnixNano: nanos(Math.max(startMs, endMs)),
    attributes: attributesOf(attributes),
    status: error === undefined ? { code: statusUnset } : { code: statusError, message: error },
  }
}

/** Whole nanoseconds do not fit a number. */
const nanos = (ms: number): string => (BigInt(Math.round(ms * 1000)) * 1000n).toString()

function attributesOf(given: Span["attributes"]): object[] {
  return Object.entries(given).map(([key, value]) => ({ key, value: otlpValue(value) }))
}

function otlpValue(value: string | number | boolean): object {
  if (typeof value === "string") return { stringValue: value.slice(0, 1000) }
  if (typeof value === "boolean") return { boolValue: value }
  return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value }
}
