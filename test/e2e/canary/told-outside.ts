// Whoever a plane tells something by itself: a collector of traces and a receiver of notifications.
// Everything that came is kept as it came.

import { createServer } from "node:http"
import type { AddressInfo } from "node:net"

export class ToldOutside {
  readonly bodies = new Map<string, string[]>()
  readonly #server = createServer((request, response) => {
    const parts: Buffer[] = []
    request.on("data", (part: Buffer) => parts.push(part))
    request.on("end", () => {
      const path = request.url ?? ""
      const came = JSON.stringify(request.headers) + Buffer.concat(parts).toString()
      this.bodies.set(path, [...(this.bodies.get(path) ?? []), came])
      response.writeHead(200, { "content-type": "application/json" }).end("{}")
    })
  })

  async open(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve))
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  at(path: string): string {
    return (this.bodies.get(path) ?? []).join("\n")
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
  }
}
