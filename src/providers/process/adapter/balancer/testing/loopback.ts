// Small servers and clients on the loopback interface, for tests of the balancer.

import { connect, createServer, type Server, type Socket } from "node:net"

export interface Answering {
  readonly name: string
  readonly port: number
  readonly sockets: Set<Socket>
  /** How many connections it has had. */
  accepted(): number
  /** As kill -9 does: all connections are reset, and nobody listens any more. */
  die(): Promise<void>
}

/** Answers each line with "NAME: LINE" and an end, or as `behave` says, after `greet`. */
export async function answering(
  name: string,
  behave: (socket: Socket, line: string) => void = (socket, line) => {
    socket.end(`${name}: ${line}\n`)
  },
  at = 0,
  greet: (socket: Socket) => void = () => {},
): Promise<Answering> {
  const sockets = new Set<Socket>()
  let accepted = 0
  const server = createServer((socket) => {
    accepted++
    sockets.add(socket)
    let text = ""
    socket.on("data", (chunk) => {
      text += String(chunk)
      if (text.includes("\n")) behave(socket, text.slice(0, text.indexOf("\n")))
    })
    socket.on("error", () => {})
    socket.on("close", () => sockets.delete(socket))
    greet(socket)
  })
  const port = await listening(server, at)
  return {
    ...{ name, port, sockets, accepted: () => accepted },
    die: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        for (const socket of sockets) socket.resetAndDestroy()
      }),
  }
}

function listening(server: Server, at: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("error", reject)
    server.listen(at, "127.0.0.1", () => {
      const address = server.address()
      resolve(typeof address === "object" && address !== null ? address.port : 0)
    })
  })
}

export async function freePort(): Promise<number> {
  const server = createServer()
  const port = await listening(server, 0)
  await new Promise((resolve) => server.close(resolve))
  return port
}

/** What comes back for a text; "reset" when the connection was reset. */
export function ask(port: number, text: string): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1", () => socket.write(text))
    let answer = ""
    socket.on("data", (chunk) => {
      answer += String(chunk)
    })
    socket.on("end", () => socket.end())
    socket.on("error", () => resolve("reset"))
    socket.on("close", () => resolve(answer))
  })
}
