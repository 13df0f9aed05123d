// A port with TLS whose connections live in a thread of their own (the front), so that handshakes,
// encryption and HTTP do not take the time of the thread that answers. A front that dies takes its
// connections along, not the plane: the next one listens on the same port a moment later.

import type { Worker } from "node:worker_threads"
import { deferred } from "../../../base/async.ts"
import { startWorker } from "../../../store/engines/start-worker.ts"
import { apiFault } from "../../faults.ts"
import type { OnRequest } from "../listener.ts"
import { checkPair, type PairText, type TlsListener, type TlsOptions } from "../tls-listener.ts"
import { AnswerBox } from "./answer-box.ts"
import { Exchanges } from "./exchanges.ts"
import type { FrontData } from "./front-worker.ts"
import type { FromFront, ToFront } from "./messages.ts"

/** A front that did not say in this time that it closed is ended. */
const patienceMs = 5000
const againMs = 1000

export type StartFront = (data: FrontData) => Worker

export async function listenInFront(
  { isOurs: _isOurs, ...data }: TlsOptions,
  onRequest: OnRequest,
  start: StartFront = (given) => startWorker("front-worker", import.meta.url, given),
): Promise<TlsListener> {
  const front = new TlsFront(data, onRequest, start)
  await front.begin()
  return front
}

class TlsFront implements TlsListener {
  readonly #onRequest: OnRequest
  readonly #start: StartFront
  readonly #stopped = deferred<void>()
  #data: FrontData
  #port = 0
  #worker: Worker | undefined
  #outbox: AnswerBox | undefined
  #isStopping = false

  constructor(data: FrontData, onRequest: OnRequest, start: StartFront) {
    this.#data = data
    this.#onRequest = onRequest
    this.#start = start
  }

  get port(): number {
    return this.#port
  }

  /** Resolves when it listens; rejects when it can not. */
  async begin(): Promise<void> {
    const worker = this.#start(this.#data)
    const outbox = new AnswerBox(worker)
    const exchanges = new Exchanges(outbox, this.#onRequest)
    this.#worker = worker
    this.#outbox = outbox
    const began = deferred<void>()
    let isListening = false
    worker.on("message", (messages: readonly FromFront[]) => {
      for (const message of messages) {
        if (message[0] === "listening") {
          this.#port = message[1]
          isListening = true
          began.resolve()
        } else if (message[0] === "refused") began.reject(this.#refusal(message[1], message[2]))
        else if (message[0] === "stopped") this.#end()
        else exchanges.hear(message)
      }
    })
    worker.once("error", (error: Error) => {
      began.reject(this.#refusal("", error.message))
      if (isListening) process.emitWarning(`connections were lost: ${error.stack ?? error.message}`)
    })
    worker.once("exit", () => {
      exchanges.lose()
      began.reject(this.#refusal("", "its thread ended"))
      if (isListening && this.#worker === worker) this.#lost()
    })
    try {
      await began.promise
    } catch (error) {
      this.#worker = undefined
      await worker.terminate()
      throw error
    }
  }

  async stop(): Promise<void> {
    this.#isStopping = true
    if (this.#worker === undefined) return
    this.#say(["stop"])
    await this.#stopped.promise
  }

  closeIdle(): void {
    this.#say(["closeIdle"])
  }

  closeAll(): void {
    this.#say(["closeAll"])
    setTimeout(() => this.#end(), patienceMs).unref()
  }

  renew(pair: PairText): void {
    // The next front begins with it too: what can't be shown would end them all.
    checkPair(this.#data, pair)
    const { certificate, key } = pair
    this.#data = { ...this.#data, certificate, key }
    this.#say(["renew", certificate, key])
  }

  /** At once, behind everything that was said before. */
  #say(message: ToFront): void {
    this.#outbox?.say(message)
    this.#outbox?.flush()
  }

  #end(): void {
    const worker = this.#worker
    this.#worker = undefined
    this.#outbox = undefined
    void worker?.terminate()
    this.#stopped.resolve()
  }

  #lost(): void {
    this.#worker = undefined
    this.#outbox = undefined
    // Clients know this port.
    this.#data = { ...this.#data, ports: [this.#port] }
    this.#again()
  }

  #again(): void {
    if (this.#isStopping) {
      this.#stopped.resolve()
      return
    }
    this.begin().catch(() => {
      if (this.#isStopping) this.#stopped.resolve()
      else setTimeout(() => this.#again(), againMs).unref()
    })
  }

  #refusal(where: string, why: string): Error {
    const { host, ports } = this.#data
    return apiFault("SPT-API-026", { where: where === "" ? `${host}:${ports.at(-1)}` : where, why })
  }
}
