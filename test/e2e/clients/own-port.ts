// A port for one plane of one test. Not the usual one, which another plane could take while this
// one starts again, and none that the system gives to whoever connects to somewhere: clients must
// find the same plane behind it.

import { createServer } from "node:net"

export async function ownPort(): Promise<number> {
  for (;;) {
    const port = 12_000 + Math.floor(Math.random() * 18_000)
    const server = createServer()
    const free = await new Promise<boolean>((resolve) => {
      server.once("error", () => resolve(false))
      server.listen(port, "127.0.0.1", () => resolve(true))
    })
    await new Promise((resolve) => server.close(resolve))
    if (free) return port
  }
}
