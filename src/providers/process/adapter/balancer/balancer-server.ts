// A running balancer: listens where its configuration says, gives each client a relay, lets
// backends go that left the configuration, and says by HTTP how it is. Needs no plane: with the
// last configuration it works on for ever.

import { createServer as createHttpServer, type Server as HttpServer } from "node:http"
import { createServer, type Server, type Socket } from "node:net"
import { type Backend, BackendPool } from "../../balancer/backend-pool.ts"
import type { BalancerConfig } from "../../balancer/balancer-config.ts"
import { Relay } from "./relay.ts"

export interface BalancerCounts {
  accepted: number
  refused: number
  retried: number
  failed: number
}

const listenAgainMs = 250

export class BalancerServer {
  readonly #pool = new BackendPool()
  readonly #relays = new Set<Relay>()
  readonly #counts: BalancerCounts = { accepted: 0, refused: 0, retried: 0, failed: 0 }
  readonly #leaving = new Map<Backend, NodeJS.Timeout>()
  #config: BalancerConfig | undefined
  #listener: Server | undefined
  #listening = ""
  #trouble = "no configuration yet"
  #retry: NodeJS.Timeout | undefined
  #stopped = false

  configure(config: BalancerConfig): void {
    if (this.#stopped) return
    this.#config = config
    for (const backend of this.#pool.configure(config.backends)) this.#letGo(backend, config)
    const { address, port } = config.listen
    const place = `${address} ${port}`
    if (place !== this.#listening) this.#listen(place, address, port)
    else this.#trouble = ""
  }

  /** Something is wrong with the newest configuration; the last good one stays. */
  complain(cause: string): void {
    this.#trouble = cause
  }

  get state() {
    const now = performance.now()
    return {
      ready: this.#listener !== undefined && !this.#stopped,
      ...(this.#trouble === "" ? {} : { trouble: this.#trouble }),
      connections: this.#relays.size,
      ...this.#counts,
      backends: this.#pool.all.map(({ name, connections, ejectedUntil }) => {
        return { name, connections, ejected: ejectedUntil > now }
      }),
    }
  }

  /** No new clients; those that are here may finish, for as long as the configuration says. */
  async stop(): Promise<void> {
    this.#stopped = true
    clearTimeout(this.#retry)
    // Right after a look at the socket: who connected before is a client by now, and not reset.
    await new Promise((resolve) => setImmediate(resolve))
    this.#listener?.close()
    const until = performance.now() + (this.#config?.drainMs ?? 0)
    while (this.#relays.size > 0 && performance.now() < until) {
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
    for (const relay of this.#relays) relay.close()
    for (const timer of this.#leaving.values()) clearTimeout(timer)
  }

  #listen(place: string, host: string, port: number): void {
    clearTimeout(this.#retry)
    const server = createServer({ allowHalfOpen: true }, (client) => this.#accept(client))
    server.on("error", (error) => {
      this.#trouble = `cannot listen on ${host}:${port}: ${error.message}`
      const again = () => {
        if (this.#config?.listen.address === host && this.#config.listen.port === port) {
          this.#listen(place, host, port)
        }
      }
      this.#retry = setTimeout(again, listenAgainMs)
    })
    server.on("listening", () => {
      const before = this.#listener
      this.#listener = server
      this.#listening = place
      this.#trouble = ""
      before?.close()
      if (this.#stopped) server.close()
    })
    // Another balancer of the same set may listen there as well: one takes over from the other.
    server.listen({ host, port, reusePort: true, backlog: 1024 })
  }

  #accept(client: Socket): void {
    const config = this.#config
    if (config === undefined || this.#relays.size >= config.connectionsMax) {
      this.#counts.refused++
      client.on("error", () => {})
      client.resetAndDestroy()
      return
    }
    this.#counts.accepted++
    const host = {
      pool: this.#pool,
      config: () => this.#config ?? config,
      now: () => performance.now(),
      count: (what: "retried" | "failed") => {
        this.#counts[what]++
      },
      closed: (relay: Relay) => void this.#relays.delete(relay),
    }
    this.#relays.add(new Relay(client, host))
  }

  #letGo(backend: Backend, { drainMs }: BalancerConfig): void {
    const end = () => {
      this.#leaving.delete(backend)
      for (const relay of this.#relays) if (relay.backend === backend) relay.leave()
    }
    this.#leaving.set(backend, setTimeout(end, drainMs))
  }
}

/** /live: 200. Anything else: 200 when it takes clients, or 503, and in both cases how it is. */
export function serveHealth(balancer: BalancerServer, port: number): Promise<HttpServer> {
  const server = createHttpServer(({ url }, response) => {
    const { state } = balancer
    const fine = state.ready || url === "/live"
    response.writeHead(fine ? 200 : 503, { "content-type": "application/json" })
    response.end(`${JSON.stringify(state)}\n`)
  })
  server.maxConnections = 100
  return new Promise((resolve, reject) => {
    server.once("error", reject)
    server.listen(port, "127.0.0.1", () => resolve(server))
  })
}
