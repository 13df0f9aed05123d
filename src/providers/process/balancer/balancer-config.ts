// The file that a running balancer works by, and its bounds. The composer writes it, the balancer
// reads it again whenever it changes; a text that can't be understood is refused as a whole, and
// the balancer goes on with what it had.

import { z } from "zod"
import { parseJson } from "../../../base/json-text.ts"

const port = z.int().min(1).max(65_535)
const milliseconds = z.int().min(0).max(86_400_000)
const address = z
  .string()
  .min(1)
  .max(253)
  .regex(/^[A-Za-z0-9.:_-]+$/)

const backend = z.strictObject({ name: z.string().min(1).max(253), address, port })

const balancerConfig = z.strictObject({
  format: z.literal(1),
  listen: z.strictObject({ address, port }),
  /** Only these get new connections. */
  backends: z.array(backend).max(1000),
  /** More clients than this are turned away at once. */
  connectionsMax: z.int().min(1).max(1_000_000),
  connectTimeoutMs: milliseconds,
  /** A client for which there is no backend waits for so long. */
  waitMs: milliseconds,
  /** Connections to a backend that left, and all when the balancer stops, may last so long. */
  drainMs: milliseconds,
  /** A backend that failed is left alone for so long, twice as long when it fails again. */
  ejectMs: milliseconds,
  /** What a client sent is sent to another backend when the first one ends without an answer. */
  retryBeforeFirstByte: z.boolean(),
})

export type BackendAddress = z.output<typeof backend>
export type BalancerConfig = z.output<typeof balancerConfig>

/** How much of a client's request is kept to be sent again. */
export const retryBytesMax = 64 * 1024
export const configBytesMax = 1024 * 1024

/** The configuration, or in words what is wrong with the text. */
export function readConfig(text: string): BalancerConfig | string {
  let value: unknown
  try {
    value = parseJson(text)
  } catch (error) {
    return `it is no JSON: ${error instanceof Error ? error.message : String(error)}`
  }
  const read = balancerConfig.safeParse(value)
  if (!read.success) {
    const [issue] = read.error.issues
    return `${issue?.path.join(".") || "it"}: ${issue?.message ?? "is wrong"}`
  }
  const names = new Set(read.data.backends.map(({ name }) => name))
  return names.size === read.data.backends.length ? read.data : "two backends have one name"
}
