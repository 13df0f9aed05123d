// Answers that were given to node and that their clients have not read. Who reads nothing of one
// for a while loses its connection, and all that is unread takes so much memory at most: over that,
// the one that waits longest goes.

import { constants } from "node:http2"
import type { FrontResponse } from "./front-request.ts"

export interface UnreadLimits {
  readonly bytes: number
  /** Without anything that went out. */
  readonly patienceMs: number
}

/** Over TLS every answer is on its way for a moment; node bounds how many small ones are. */
const smallBytesMax = 64 * 1024

const defaultLimits: UnreadLimits = { bytes: 256 * 1024 * 1024, patienceMs: 60_000 }

export class Unread {
  readonly #limits: UnreadLimits
  /** The oldest first. */
  readonly #sizes = new Map<FrontResponse, number>()
  #bytes = 0

  constructor(limits: UnreadLimits = defaultLimits) {
    this.#limits = limits
  }

  /** After all of it was given to node; most went out at once. */
  note(response: FrontResponse, bytes: number): void {
    if (bytes <= smallBytesMax || (response.writableLength ?? 0) === 0 || this.#sizes.has(response))
      return
    this.#sizes.set(response, bytes)
    this.#bytes += bytes
    const over = () => this.#over(response)
    response.on("finish", over)
    response.on("close", over)
    this.#hurry(response)
    for (const [oldest] of this.#sizes) {
      if (this.#bytes <= this.#limits.bytes) break
      this.#over(oldest)
      oldest.destroy()
    }
  }

  #over(response: FrontResponse): void {
    this.#bytes -= this.#sizes.get(response) ?? 0
    this.#sizes.delete(response)
  }

  /** Node ends a connection of HTTP/1.1 by itself; it counts from what went out last. */
  #hurry({ stream, socket }: FrontResponse): void {
    const { patienceMs } = this.#limits
    if (stream === undefined) socket?.setTimeout(patienceMs)
    else stream.setTimeout(patienceMs, () => stream.close(constants.NGHTTP2_CANCEL))
  }
}
