// Writes pieces of answers. Over HTTP/1.1 a piece is a chunk, which is the same for everybody: it
// is made once and handed to each connection whole, where node would write its length, its bytes
// and its end apart, for each of them again. What one connection gets in one turn goes together.

import type { Socket } from "node:net"
import type { FrontResponse } from "./front-request.ts"
import type { Bytes } from "./messages.ts"

export interface Drain {
  readonly writableNeedDrain?: boolean
  once(event: "drain", listener: () => void): unknown
}

export class ChunkWriter {
  #corked: Socket[] = []

  /** Writes the same to each response that it is given. */
  writing(bytes: Bytes): (response: FrontResponse) => void {
    if (typeof bytes !== "string") return (response) => void response.write(bytes)
    let chunk: Buffer | undefined
    return (response) => {
      const socket = bytes === "" ? undefined : chunkedSocket(response)
      if (socket === undefined) response.write(bytes, "latin1")
      else {
        chunk ??= chunkOf(bytes)
        this.#write(socket, chunk)
      }
    }
  }

  /** Once a turn, after everything was written. */
  flush(): void {
    const corked = this.#corked
    if (corked.length === 0) return
    this.#corked = []
    for (const socket of corked) socket.uncork()
  }

  #write(socket: Socket, chunk: Buffer): void {
    if (socket.writableCorked === 0) {
      socket.cork()
      this.#corked.push(socket)
    }
    socket.write(chunk)
  }
}

/** Says whether what was written is still on its way, and when it is not any more. */
export function drainOf(response: FrontResponse): Drain {
  return response.stream ?? chunkedSocket(response) ?? response
}

/** Undefined as long as others are answered before it. */
function chunkedSocket(response: FrontResponse): Socket | undefined {
  // Over HTTP/2 its socket is made for whoever asks.
  if (response.stream !== undefined) return undefined
  if (!response.headersSent || response.chunkedEncoding !== true) return undefined
  return response.socket?.writable === true ? response.socket : undefined
}

const chunkOf = (text: string): Buffer =>
  Buffer.from(`${text.length.toString(16)}\r\n${text}\r\n`, "latin1")
