// Stands between the plane and a name server and cuts answers in half while it is told to:
// datagrams lose their end, TCP streams end early. What is sent to the server goes through
// unchanged.

import { createSocket } from "node:dgram"
import { connect, createServer, type Socket } from "node:net"
import { freePort } from "./name-servers.ts"

export interface CuttingProxy {
  readonly port: number
  readonly address: string
  /** Answers over TCP end after so many bytes, datagrams in the middle; undefined lets all pass. */
  cutAfter: number | undefined
  close(): Promise<void>
}

export async function startProxy(serverPort: number): Promise<CuttingProxy> {
  const port = await freePort()
  const open = new Set<Socket>()
  const proxy: CuttingProxy = {
    ...{ port, address: `127.0.0.1:${port}`, cutAfter: undefined },
    async close() {
      for (const socket of open) socket.destroy()
      datagrams.close()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  const server = createServer((client) => {
    const upstream = connect(serverPort, "127.0.0.1")
    let seen = 0
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      open.add(socket)
      socket.on("error", () => other.destroy())
      socket.on("close", () => {
        open.delete(socket)
        other.destroy()
      })
    }
    client.pipe(upstream)
    upstream.on("data", (chunk: Buffer) => {
      const left = (proxy.cutAfter ?? Number.POSITIVE_INFINITY) - seen
      seen += chunk.length
      if (left >= chunk.length) client.write(chunk)
      else client.end(chunk.subarray(0, Math.max(0, left)))
    })
  })
  const datagrams = createSocket("udp4")
  datagrams.on("message", (question, from) => {
    const asking = createSocket("udp4")
    asking.on("message", (answer) => {
      const length = proxy.cutAfter === undefined ? answer.length : Math.floor(answer.length / 2)
      datagrams.send(answer.subarray(0, length), from.port, from.address, () => {})
      asking.close()
    })
    asking.on("error", () => asking.close())
    asking.connect(serverPort, "127.0.0.1", () => asking.send(question))
  })
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve))
  await new Promise<void>((resolve) => datagrams.bind(port, "127.0.0.1", resolve))
  return proxy
}
