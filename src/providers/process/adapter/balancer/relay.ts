// One client's connection: finds a backend for it, carries bytes both ways with back-pressure, and
// goes to another backend when one can't be reached, or ends before it has answered anything and
// what the client sent may be sent again. A backend that ends a connection properly is not to blame
// for it: clients that ask nothing, or nonsense, take nobody out of service. It closes everything
// that it opened.

import { connect, type Socket } from "node:net"
import { protects } from "../../../../base/protections.ts"
import type { Backend, BackendPool } from "../../balancer/backend-pool.ts"
import { type BalancerConfig, retryBytesMax } from "../../balancer/balancer-config.ts"

export interface RelayHost {
  readonly pool: BackendPool
  config(): BalancerConfig
  now(): number
  count(what: "retried" | "failed"): void
  closed(relay: Relay): void
}

const againMs = 25
/** A request that ends every backend it meets must not meet them all; nor may one without any. */
const replaysMax = 2
const keepAliveMs = 30_000

export class Relay {
  readonly #client: Socket
  readonly #host: RelayHost
  readonly #tried = new Set<Backend>()
  /** Of the time to look for backends: for all that this client may meet. */
  #waitLeft: number
  #giveUpAt = 0
  #backend: Backend | undefined
  #upstream: Socket | undefined
  #connected = false
  /** What the client sent so far, while it may have to be sent again; undefined: never again. */
  #kept: Buffer[] | undefined = []
  #keptBytes = 0
  #replays = 0
  #clientEnded = false
  #answered = false
  #done = false
  #timer: NodeJS.Timeout | undefined

  constructor(client: Socket, host: RelayHost) {
    this.#client = client
    this.#host = host
    this.#waitLeft = host.config().waitMs
    client.setNoDelay(true)
    client.setKeepAlive(true, keepAliveMs)
    client.on("data", (chunk: Buffer) => this.#fromClient(chunk))
    client.on("end", () => {
      this.#clientEnded = true
      if (this.#connected) this.#upstream?.end()
    })
    client.on("drain", () => this.#upstream?.resume())
    client.on("error", () => {}) // It closes then.
    client.on("close", () => this.close())
    this.#search()
  }

  get backend(): Backend | undefined {
    return this.#backend
  }

  /** The backend is to be left: to another one when nothing is lost by it, else it is the end. */
  leave(): void {
    if (!this.#mayRetry()) this.close()
    else {
      if (this.#keptBytes > 0) this.#replays++
      this.#retry()
    }
  }

  /** A client whose answer is cut off is told so by a reset: an end would look like a whole one. */
  close(): void {
    if (this.#done) return
    this.#done = true
    this.#dropUpstream()
    if (this.#client.readyState === "open") this.#client.resetAndDestroy()
    else this.#client.destroy()
    this.#kept = undefined
    this.#host.closed(this)
  }

  #search(): void {
    this.#giveUpAt = this.#host.now() + this.#waitLeft
    this.#next()
  }

  #next(): void {
    if (this.#done) return
    const backend = this.#host.pool.pick(this.#tried, this.#host.now())
    if (backend !== undefined) this.#connect(backend)
    else if (this.#host.now() >= this.#giveUpAt) this.#fail()
    else {
      // Nobody is there: a restart or the next configuration may bring somebody in time.
      this.#tried.clear()
      this.#timer = setTimeout(() => this.#next(), againMs)
    }
  }

  #connect(backend: Backend): void {
    const { address: host, port } = backend
    const upstream = connect({ host, port, allowHalfOpen: true })
    this.#backend = backend
    this.#upstream = upstream
    this.#host.pool.began(backend)
    upstream.setNoDelay(true)
    upstream.setKeepAlive(true, keepAliveMs)
    const { connectTimeoutMs } = this.#host.config()
    this.#timer = setTimeout(() => upstream.destroy(), connectTimeoutMs)
    upstream.on("connect", () => this.#begin(upstream))
    upstream.on("data", (chunk: Buffer) => this.#fromBackend(backend, upstream, chunk))
    upstream.on("drain", () => this.#client.resume())
    upstream.on("end", () => {
      if (upstream === this.#upstream) this.#ended(backend)
    })
    upstream.on("error", () => {}) // What it means is said when it closes.
    upstream.on("close", () => {
      if (upstream !== this.#upstream) return
      if (upstream.readableEnded) this.#dropUpstream()
      else this.#lost(backend)
    })
  }

  #begin(upstream: Socket): void {
    if (upstream !== this.#upstream) return
    clearTimeout(this.#timer)
    this.#connected = true
    this.#waitLeft = Math.max(0, this.#giveUpAt - this.#host.now())
    for (const chunk of this.#kept ?? []) upstream.write(chunk)
    if (this.#clientEnded) upstream.end()
    this.#client.resume()
  }

  #fromClient(chunk: Buffer): void {
    this.#keep(chunk)
    if (!this.#connected) {
      // What is kept goes out when there is a connection; no more than that is read before.
      if (this.#keptBytes > retryBytesMax / 2) this.#client.pause()
    } else if (this.#upstream?.write(chunk) === false) this.#client.pause()
  }

  #keep(chunk: Buffer): void {
    if (this.#kept === undefined) return
    this.#keptBytes += chunk.length
    if (this.#connected && this.#keptBytes > retryBytesMax) this.#kept = undefined
    else this.#kept.push(chunk)
  }

  #fromBackend(backend: Backend, upstream: Socket, chunk: Buffer): void {
    if (upstream !== this.#upstream) return
    if (!this.#answered) {
      this.#answered = true
      this.#kept = undefined
      this.#host.pool.answered(backend)
    }
    if (!this.#client.write(chunk)) upstream.pause()
  }

  /** Nothing was sent yet; or all that was is kept, nothing came back, and it may be sent again. */
  #mayRetry(): boolean {
    if (this.#done || this.#answered || this.#kept === undefined) return false
    if (!this.#connected) return protects("connect-failure-goes-on")
    if (this.#replays >= replaysMax) return false
    // A client that has ended and asked nothing will never ask: nobody else is needed for it.
    return this.#keptBytes > 0 ? this.#host.config().retryBeforeFirstByte : !this.#clientEnded
  }

  /**
   * The backend closed its side properly: it is well, or the kernel did so for one that was killed.
   * Where that loses nothing the client goes to another one, and else it gets this end.
   */
  #ended(backend: Backend): void {
    if (this.#mayRetry()) {
      this.#tried.add(backend)
      this.#replays++
      this.#retry()
      return
    }
    this.#kept = undefined
    this.#client.end()
    // It has all there is; it gets a while to read it and to close its side.
    this.#client.setTimeout(this.#host.config().drainMs, () => this.close())
  }

  /** It can't be reached, or broke the connection. */
  #lost(backend: Backend): void {
    if (this.#done) return
    if (!this.#answered) {
      this.#host.pool.failed(backend, this.#host.config().ejectMs, this.#host.now())
      this.#tried.add(backend)
    }
    if (!this.#mayRetry()) this.#fail()
    else {
      if (this.#connected) this.#replays++
      this.#retry()
    }
  }

  #fail(): void {
    this.#host.count("failed")
    this.close()
  }

  #retry(): void {
    const connected = this.#connected
    this.#host.count("retried")
    this.#dropUpstream()
    if (connected) this.#search()
    else this.#next()
  }

  #dropUpstream(): void {
    clearTimeout(this.#timer)
    const [upstream, backend] = [this.#upstream, this.#backend]
    this.#upstream = undefined
    this.#backend = undefined
    this.#connected = false
    if (backend !== undefined) this.#host.pool.ended(backend)
    upstream?.destroy()
  }
}
