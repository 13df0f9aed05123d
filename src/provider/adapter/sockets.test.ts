// Sockets against real ones on loopback: what is bounded, what is refused, and that an early end is
// never an answer.

import { createSocket, type Socket as DatagramSocket } from "node:dgram"
import { connect, createServer, type Server, type Socket } from "node:net"
import { afterEach, describe, expect, test } from "vitest"
import { createSockets } from "./sockets.ts"

const closing: (() => void)[] = []
afterEach(() => {
  for (const close of closing.splice(0)) close()
})

const never = new AbortController().signal
const text = (value: string) => Buffer.from(value)
const frame = (value: string) => Buffer.concat([Buffer.from([0, value.length]), text(value)])

async function tcp(serve: (socket: Socket) => void): Promise<number> {
  const server: Server = createServer((socket) => {
    socket.on("error", () => {})
    serve(socket)
  })
  closing.push(() => server.close())
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const address = server.address()
  return typeof address === "object" && address !== null ? address.port : 0
}

async function udp(answer: (question: Buffer, reply: (data: Buffer) => void) => void) {
  const socket: DatagramSocket = createSocket("udp4")
  closing.push(() => socket.close())
  socket.on("message", (question, from) =>
    answer(question, (data) => socket.send(data, from.port, from.address)),
  )
  await new Promise<void>((resolve) => socket.bind(0, "127.0.0.1", resolve))
  return socket.address().port
}

async function collect(port: number, options = {}, signal = never): Promise<readonly string[]> {
  const frames: string[] = []
  const takes = (one: Uint8Array) => {
    frames.push(Buffer.from(one).toString())
    return frames.at(-1) !== "last"
  }
  const to = { host: "127.0.0.1", port }
  await createSockets({ silentMs: 300, ...options }).framed(to, text("ask"), takes, signal)
  return frames
}

describe("framed messages", () => {
  test("are cut where they end, however they arrive", async () => {
    const all = Buffer.concat([frame("one"), frame("two"), frame("last")])
    const port = await tcp((socket) => {
      for (const byte of all) socket.write(Buffer.from([byte]))
    })
    expect(await collect(port)).toEqual(["one", "two", "last"])
  })

  test("that end early are an error, not an answer", async () => {
    const port = await tcp((socket) => socket.end(frame("one").subarray(0, 4)))
    await expect(collect(port)).rejects.toThrow(/the connection ended early/)
  })

  test("that stay away are an error in time", async () => {
    const port = await tcp(() => {})
    await expect(collect(port)).rejects.toThrow(/no answer in time/)
  })

  test("end when they are called off", async () => {
    const port = await tcp(() => {})
    const stop = new AbortController()
    const ended = collect(port, { silentMs: 60_000 }, stop.signal)
    stop.abort()
    await expect(ended).rejects.toThrow(/called off/)
  })

  test("are bounded in bytes and in number", async () => {
    const endless = (socket: Socket) => socket.write(Buffer.concat(Array(5000).fill(frame("more"))))
    await expect(collect(await tcp(endless), { bytesMax: 10_000 })).rejects.toThrow(/longer than/)
    await expect(collect(await tcp(endless), { framesMax: 100 })).rejects.toThrow(/more than 100/)
  })

  test("that are refused say so with their errno", async () => {
    const port = await tcp(() => {})
    for (const close of closing.splice(0)) close()
    await expect(collect(port)).rejects.toMatchObject({ details: { errno: "ECONNREFUSED" } })
  })

  test("carry one change and its one answer", async () => {
    const port = await tcp((socket) => {
      socket.on("data", (chunk: Buffer) => socket.write(frame(`got ${chunk.subarray(2)}`)))
    })
    const answer = await createSockets().change({ host: "127.0.0.1", port }, text("this"), never)
    expect(Buffer.from(answer).toString()).toBe("got this")
  })

  test("longer than a frame are not sent", async () => {
    const port = await tcp(() => {})
    const sent = createSockets().change({ host: "127.0.0.1", port }, Buffer.alloc(65_536), never)
    await expect(sent).rejects.toThrow(/too long/)
  })
})

describe("datagrams", () => {
  const ask = (port: number, options = {}, signal = never) =>
    createSockets({ datagramMs: 300, ...options }).datagram(
      ...[{ host: "127.0.0.1", port }, text("ask")],
      (answer) => Buffer.from(answer).toString() === "mine",
      signal,
    )

  test("wait for the answer that is accepted", async () => {
    const port = await udp((_, reply) => {
      reply(text("other"))
      reply(text("mine"))
    })
    expect(Buffer.from(await ask(port)).toString()).toBe("mine")
  })

  test("without an answer are an error in time", async () => {
    await expect(ask(await udp(() => {}))).rejects.toThrow(/no answer in time/)
  })

  test("end when they are called off", async () => {
    const stop = new AbortController()
    const ended = ask(await udp(() => {}), { datagramMs: 60_000 }, stop.signal)
    stop.abort()
    await expect(ended).rejects.toThrow(/called off/)
  })

  test("take only so many answers to other questions", async () => {
    const port = await udp((_, reply) => {
      for (let index = 0; index < 200; index++) reply(text("other"))
    })
    await expect(ask(port)).rejects.toThrow(/other questions|no answer in time/)
  })
})

describe("a listener", () => {
  test("hears datagrams and TCP, answers, and looks at so many per second", async () => {
    const port = await udp(() => {})
    for (const close of closing.splice(0)) close()
    let heard = 0
    const at = { host: "127.0.0.1", port }
    const listening = createSockets({ hintsPerSecond: 3 }).listen(at, () => {
      heard++
      return text("mine")
    })
    closing.push(() => listening.close())
    const sockets = createSockets({ datagramMs: 3000 })
    const answer = await sockets.datagram(at, text("hint"), () => true, never)
    expect(Buffer.from(answer).toString()).toBe("mine")
    const socket = connect(port, "127.0.0.1")
    closing.push(() => socket.destroy())
    socket.write(frame("hint"))
    const back = await new Promise<Buffer>((resolve) => socket.once("data", resolve))
    expect(back).toEqual(frame("mine"))
    const flood = createSocket("udp4")
    for (let index = 0; index < 50; index++) flood.send(text("hint"), port, "127.0.0.1")
    await new Promise((resolve) => setTimeout(resolve, 100))
    flood.close()
    expect(heard).toBeLessThan(20)
  })
})
