// Ports in a row that nobody uses, for the replicas of the demo and their balancer.

import { createServer } from "node:net"

/** Below those that the kernel gives away for outgoing connections. */
const lowest = 15_000
const highest = 30_000
const triesMax = 200

export async function freePorts(count: number): Promise<number> {
  for (let tries = 0; tries < triesMax; tries++) {
    const base = lowest + Math.floor(Math.random() * (highest - lowest - count))
    const ports = Array.from({ length: count }, (_, index) => base + index)
    const free = await Promise.all(ports.map(isFree))
    if (free.every((one) => one)) return base
  }
  throw new Error(`no ${count} free ports in a row between ${lowest} and ${highest}`)
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once("error", () => resolve(false))
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)))
  })
}
