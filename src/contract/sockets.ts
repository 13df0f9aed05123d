// The handle for protocols that are not HTTP: datagrams, and messages framed by two length bytes
// on TCP (DNS). Questions are for observing; `change` sends what may change something and asks the
// gate before it does. Failures of the network are thrown, never turned into answers.

import type { Closeable } from "./world.ts"

export interface SocketAddress {
  readonly host: string
  readonly port: number
}

export interface SocketsRead {
  /** One datagram out; the first answer from that address that `accepts` takes. */
  datagram(
    to: SocketAddress,
    payload: Uint8Array,
    accepts: (answer: Uint8Array) => boolean,
    signal: AbortSignal,
  ): Promise<Uint8Array>
  /** One framed message out over TCP; answers until `takes` says false. Early ends are thrown. */
  framed(
    to: SocketAddress,
    payload: Uint8Array,
    takes: (frame: Uint8Array) => boolean,
    signal: AbortSignal,
  ): Promise<void>
  /**
   * Messages that others send here, as datagrams or framed over TCP; what `received` returns is the
   * answer. A hint, no truth.
   */
  listen(
    at: SocketAddress,
    received: (payload: Uint8Array, from: SocketAddress) => Uint8Array | undefined,
  ): Closeable
}

export interface SocketsAct extends SocketsRead {
  /** One framed message out over TCP, its one answer back. */
  change(to: SocketAddress, payload: Uint8Array, signal: AbortSignal): Promise<Uint8Array>
}
