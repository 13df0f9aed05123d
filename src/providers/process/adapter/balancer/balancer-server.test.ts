// A real balancer between real sockets.

import { connect, type Socket } from "node:net"
import { afterEach, describe, expect, it } from "vitest"
import { disarm } from "../../../../base/protections.ts"
import type { BalancerConfig } from "../../balancer/balancer-config.ts"
import { BalancerServer } from "./balancer-server.ts"
import { type Answering, answering, ask, freePort } from "./testing/loopback.ts"

const cleanUps: (() => unknown)[] = []
afterEach(async () => {
  for (const clean of cleanUps.splice(0).reverse()) await clean()
})

async function backend(...given: Parameters<typeof answering>): Promise<Answering> {
  const made = await answering(...given)
  cleanUps.push(() => made.die())
  return made
}

type Change = Partial<Omit<BalancerConfig, "backends">>

async function balancer(backends: readonly Answering[], change: Change = {}) {
  const port = await freePort()
  const server = new BalancerServer()
  cleanUps.push(() => server.stop())
  const config = (next: readonly Answering[], more: Change = {}): BalancerConfig => ({
    ...{ format: 1, listen: { address: "127.0.0.1", port } },
    ...{ connectionsMax: 100, connectTimeoutMs: 500, waitMs: 0, drainMs: 50, ejectMs: 1000 },
    retryBeforeFirstByte: false,
    ...{ ...change, ...more },
    backends: next.map((one) => ({ name: one.name, address: "127.0.0.1", port: one.port })),
  })
  const configure = (next: readonly Answering[], more: Change = {}) =>
    server.configure(config(next, more))
  configure(backends)
  await until(() => server.state.ready)
  return { port, server, configure, config }
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 5))
}

const silent = () => {}

describe("a balancer", () => {
  it("gives each client to the backend with the fewest connections", async () => {
    const a = await backend("a", silent)
    const b = await backend("b", silent)
    const { port, server } = await balancer([a, b])
    const clients = Array.from({ length: 6 }, () => connect(port, "127.0.0.1"))
    for (const client of clients) client.on("error", () => {})
    cleanUps.push(() => clients.map((client) => client.destroy()))
    await until(() => a.sockets.size + b.sockets.size === 6)
    expect([a.sockets.size, b.sockets.size]).toEqual([3, 3])
    expect(server.state.connections).toBe(6)
  })

  const one = async () => {
    const a = await backend("a")
    const b = await backend("b")
    const { port, server } = await balancer([a, b])
    await a.die()
    const answers = await Promise.all(Array.from({ length: 10 }, () => ask(port, "hi\n")))
    return { answers, state: server.state }
  }

  it("takes the next backend when one can't be reached, and leaves that one alone", async () => {
    const { answers, state } = await one()
    expect(new Set(answers)).toEqual(new Set(["b: hi\n"]))
    expect(state.backends.find(({ name }) => name === "a")?.ejected).toBe(true)
    expect(state.failed).toBe(0)
  })

  it("would fail that client without going on (twin)", async () => {
    cleanUps.push(disarm("connect-failure-goes-on"))
    expect((await one()).answers).toContain("reset")
  })

  it("uses a backend again that answers again", async () => {
    const a = await backend("a")
    const { port } = await balancer([a], { waitMs: 5000 })
    await a.die()
    const asked = ask(port, "hi\n")
    await backend("a", undefined, a.port)
    expect(await asked).toBe("a: hi\n")
  })

  it("sends no new client to a backend that left, and lets those finish that it has", async () => {
    const held: (() => void)[] = []
    const a = await backend("a", (socket, line) => {
      held.push(() => socket.end(`a: ${line}\n`))
    })
    const b = await backend("b")
    const { port, configure } = await balancer([a], { drainMs: 60_000 })
    const slow = ask(port, "slow\n")
    await until(() => held.length === 1)
    configure([b])
    expect(await ask(port, "new\n")).toBe("b: new\n")
    for (const answer of held) answer()
    expect(await slow).toBe("a: slow\n")
    configure([b], { drainMs: 0 })
  })

  it("ends what a backend that left has not finished when its time is over", async () => {
    const a = await backend("a", (socket) => void socket.write("half"))
    const { port, configure } = await balancer([a], { retryBeforeFirstByte: true })
    const asked = ask(port, "slow\n")
    await until(() => a.sockets.size === 1)
    await new Promise((resolve) => setTimeout(resolve, 20))
    configure([])
    expect(await asked).toBe("reset")
  })

  it("turns clients away beyond its bound", async () => {
    const a = await backend("a", silent)
    const { port, server } = await balancer([a], { connectionsMax: 1 })
    const first = connect(port, "127.0.0.1")
    first.on("error", () => {})
    cleanUps.push(() => first.destroy())
    await until(() => server.state.connections === 1)
    expect(await ask(port, "hi\n")).toBe("reset")
    expect(server.state.refused).toBe(1)
  })

  const dying = async (retryBeforeFirstByte: boolean, bytes = 1) => {
    const a = await backend("a", (socket) => void socket.resetAndDestroy())
    const b = await backend("b", (socket, line) => {
      socket.end(`b: ${line.length}\n`)
    })
    const { port, server } = await balancer([a, b], { retryBeforeFirstByte })
    const text = `${"x".repeat(bytes)}\n`
    const answers = [await ask(port, text), await ask(port, text)]
    return { answers, retried: server.state.retried }
  }

  it("sends a request again when its backend dies without an answer, if asked to", async () => {
    const { answers, retried } = await dying(true)
    expect(answers).toEqual(["b: 1\n", "b: 1\n"])
    expect(retried).toBe(1)
  })

  it("sends nothing twice unless asked to, and nothing that it did not keep", async () => {
    expect((await dying(false)).answers).toEqual(["reset", "b: 1\n"])
    expect((await dying(true, 1_000_000)).answers[0]).toBe("reset")
  })

  it("does not carry a request that ends every backend through all of them", async () => {
    const all = await Promise.all(
      ["a", "b", "c", "d", "e"].map((name) => {
        return backend(name, (socket) => void socket.resetAndDestroy())
      }),
    )
    const { port, server } = await balancer(all, { retryBeforeFirstByte: true })
    expect(await ask(port, "poison\n")).toBe("reset")
    expect(server.state.retried).toBe(2)
  })

  /** How the connection of a client ends that asks nothing, and itself ends only if it says so. */
  const asksNothing = (port: number, ends: boolean) =>
    new Promise<string>((resolve) => {
      const client = connect(port, "127.0.0.1", () => void (ends && client.end()))
      cleanUps.push(() => client.destroy())
      client.on("end", () => client.end()).resume()
      client.on("error", () => resolve("reset"))
      client.on("close", (broken) => resolve(broken ? "reset" : "ended"))
    })

  it("blames no backend for a client that asks nothing and goes", async () => {
    const all = [await backend("a"), await backend("b")]
    const { port, server } = await balancer(all, { waitMs: 60_000, retryBeforeFirstByte: true })
    for (let count = 0; count < 5; count++) expect(await asksNothing(port, true)).toBe("ended")
    expect(all.map(({ accepted }) => accepted()).reduce((sum, one) => sum + one)).toBe(5)
    expect(server.state).toMatchObject({ retried: 0, failed: 0 })
    expect(server.state.backends.map(({ ejected }) => ejected)).toEqual([false, false])
  })

  it("ends in time with a client that asks nothing, whatever its backends do", async () => {
    for (const [greet, end] of [
      [(socket: Socket) => void socket.end(), "ended"],
      // Not at once: that would look as if it could not be reached.
      [(socket: Socket) => void setTimeout(() => socket.resetAndDestroy(), 50), "reset"],
    ] as const) {
      const one = await backend("a", silent, 0, greet)
      const { port, server } = await balancer([one], { waitMs: 60_000 })
      expect(await asksNothing(port, false)).toBe(end)
      expect(one.accepted()).toBe(3)
      expect(server.state.backends[0]?.ejected).toBe(end === "reset")
    }
  })

  it("passes on the end of a backend that answers nothing, and does not blame it", async () => {
    const all = await Promise.all(
      ["a", "b", "c", "d", "e"].map((name) => backend(name, (socket) => void socket.end())),
    )
    const { port, server, configure } = await balancer(all)
    expect(await ask(port, "hi\n")).toBe("")
    expect(server.state.retried).toBe(0)
    configure(all, { retryBeforeFirstByte: true })
    expect(await ask(port, "hi\n")).toBe("")
    expect(server.state.retried).toBe(2)
    expect(server.state.backends.some(({ ejected }) => ejected)).toBe(false)
  })

  it("tells a client by a reset that its answer was cut off", async () => {
    const a = await backend("a", (socket) => {
      socket.write("half of it", () => socket.resetAndDestroy())
    })
    const { port } = await balancer([a], { retryBeforeFirstByte: true })
    expect(await ask(port, "hi\n")).toBe("reset")
  })

  it("carries megabytes both ways, to slow readers too", async () => {
    const size = 2 * 1024 * 1024
    const a = await backend("a", (socket, line) => {
      socket.end(line)
    })
    const { port } = await balancer([a])
    const answer = await ask(port, `${"y".repeat(size)}\n`)
    expect(answer.length).toBe(size)
  })

  it("moves to another port and keeps the clients that it has", async () => {
    const held: (() => void)[] = []
    const a = await backend("a", (socket, line) => {
      held.push(() => socket.end(`a: ${line}\n`))
    })
    const { port, configure } = await balancer([a])
    const asked = ask(port, "hi\n")
    await until(() => held.length === 1)
    const other = await freePort()
    configure([a], { listen: { address: "127.0.0.1", port: other } })
    const again = await (async () => {
      for (;;) {
        const socket = connect(other, "127.0.0.1")
        const open = await new Promise((resolve) => {
          socket.on("connect", () => resolve(true)).on("error", () => resolve(false))
        })
        socket.destroy()
        if (open === true) return true
      }
    })()
    expect(again).toBe(true)
    for (const answer of held) answer()
    expect(await asked).toBe("a: hi\n")
    expect(await ask(port, "old\n")).toBe("reset")
  })

  it("lets its clients finish when it stops, and takes no new ones", async () => {
    const held: (() => void)[] = []
    const a = await backend("a", (socket, line) => {
      held.push(() => socket.end(`a: ${line}\n`))
    })
    const { port, server } = await balancer([a], { drainMs: 60_000 })
    const asked = ask(port, "hi\n")
    await until(() => held.length === 1)
    const stopped = server.stop()
    await new Promise((resolve) => setTimeout(resolve, 20))
    expect(await ask(port, "new\n")).toBe("reset")
    for (const answer of held) answer()
    expect(await asked).toBe("a: hi\n")
    await stopped
  })
})

describe("two balancers on one port", () => {
  it("share its clients, and one that stops loses none that it has", async () => {
    const held: (() => void)[] = []
    const a = await backend("a", (socket, line) => {
      if (line === "slow") held.push(() => socket.end("a: slow\n"))
      else socket.end(`a: ${line}\n`)
    })
    const { port, server, config } = await balancer([a])
    const next = new BalancerServer()
    next.configure(config([a], { drainMs: 60_000 }))
    await until(() => next.state.ready)
    const slow = Array.from({ length: 40 }, () => ask(port, "slow\n"))
    await until(() => held.length === 40)
    expect(server.state.connections + next.state.connections).toBe(40)
    expect(next.state.connections).toBeGreaterThan(0)
    const stopped = next.stop()
    await new Promise((resolve) => setTimeout(resolve, 20))
    const quick = await Promise.all(Array.from({ length: 40 }, () => ask(port, "hi\n")))
    expect(new Set(quick)).toEqual(new Set(["a: hi\n"]))
    for (const answer of held) answer()
    expect(new Set(await Promise.all(slow))).toEqual(new Set(["a: slow\n"]))
    await stopped
  })
})
