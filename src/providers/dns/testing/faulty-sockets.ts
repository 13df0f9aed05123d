// Sockets that fail on demand: the next exchange is lost, cut, refused or answered with an error,
// as a real name server's would be.

import type { SocketsAct } from "../../../contract/sockets.ts"
import type { FaultMode } from "../../../provider/conformance/subject.ts"
import { dnsFault } from "../faults.ts"

export interface FaultySockets {
  readonly sockets: SocketsAct
  failNext(mode: FaultMode): void
  mutations(): number
}

const rcodes: Partial<Record<FaultMode, number>> = { serverError: 2, unauthorized: 9, throttled: 5 }

/** The question with an rcode for an answer; as servers do it, without a signature. */
function refusal(payload: Uint8Array, rcode: number): Buffer {
  const header = Buffer.from(payload.subarray(0, 12))
  header.writeUInt16BE((header.readUInt16BE(2) & 0x7800) | 0x8000 | rcode, 2)
  header.fill(0, 4)
  return header
}

const lost = (what: string) => dnsFault("SPT-DNS-001", { cause: `${what} was lost` })

function never(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const stop = () => reject(lost("an answer"))
    if (signal.aborted) return stop()
    signal.addEventListener("abort", stop, { once: true })
  })
}

export function faultySockets(real: SocketsAct): FaultySockets {
  let armed: FaultMode | undefined
  let mutations = 0
  const take = () => {
    const mode = armed
    armed = undefined
    return mode
  }
  const sockets: SocketsAct = {
    listen: (at, received) => real.listen(at, received),
    async datagram(to, payload, accepts, signal) {
      const mode = take()
      if (mode === "timeout") return never(signal)
      if (mode === "lostReply") throw lost("the answer")
      const rcode = rcodes[mode ?? "timeout"]
      if (rcode !== undefined) return refusal(payload, rcode)
      return real.datagram(to, payload, accepts, signal)
    },
    async framed(to, payload, takes, signal) {
      const mode = take()
      if (mode === "timeout") return never(signal)
      if (mode === "lostReply") throw lost("the answer")
      const rcode = rcodes[mode ?? "timeout"]
      if (rcode !== undefined) return void takes(refusal(payload, rcode))
      const cut = mode === "partialList" ? cutting(takes) : takes
      return real.framed(to, payload, cut, signal)
    },
    async change(to, payload, signal) {
      mutations++
      const mode = take()
      if (mode === "timeout") return never(signal)
      const rcode = rcodes[mode ?? "timeout"]
      if (rcode !== undefined) return refusal(payload, rcode)
      const answer = await real.change(to, payload, signal)
      if (mode === "lostReply") throw lost("the answer")
      return answer
    },
  }
  return {
    sockets,
    failNext: (mode) => {
      armed = mode
    },
    mutations: () => mutations,
  }
}

/** Only the first half of the first message's bytes arrives. */
function cutting(takes: (frame: Uint8Array) => boolean): (frame: Uint8Array) => boolean {
  return (frame) => takes(frame.subarray(0, Math.floor(frame.length / 2)))
}
