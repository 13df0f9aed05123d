// The whole program of `setpoint balancer`: follows its configuration until it is told to stop.

import { BalancerServer, serveHealth } from "./balancer-server.ts"
import { followConfig } from "./follow-config.ts"

export interface BalancerOptions {
  readonly config: string
  /** A port of this host for its health; none when missing. */
  readonly health?: number
  say(line: string): void
  /** Aborted when it is to stop. */
  readonly signal: AbortSignal
}

export async function runBalancer({ config, health, say, signal }: BalancerOptions): Promise<void> {
  const balancer = new BalancerServer()
  const page = health === undefined ? undefined : await serveHealth(balancer, health)
  let told = ""
  const follower = followConfig(config, {
    changed(next) {
      told = ""
      balancer.configure(next)
      const names = next.backends.map(({ name }) => name).join(", ")
      say(`${next.listen.address}:${next.listen.port} -> ${names === "" ? "nobody" : names}`)
    },
    broken(cause) {
      balancer.complain(cause)
      if (cause !== told) say(cause)
      told = cause
    },
  })
  await new Promise<void>((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener("abort", () => resolve(), { once: true })
  })
  follower.close()
  say("stops: no new connections")
  await balancer.stop()
  page?.close()
  page?.closeAllConnections()
}
