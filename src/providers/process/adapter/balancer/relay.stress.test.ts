// Hundreds of clients while backends die, come back, hang, answer in pieces and leave. Each client
// gets its own whole answer or a reset, never a part of one or somebody else's; and nothing is left
// open or counted afterwards.

import { afterEach, expect, it } from "vitest"
import { SimRandom } from "../../../../sim/sim-random.ts"
import type { BalancerConfig } from "../../balancer/balancer-config.ts"
import { BalancerServer } from "./balancer-server.ts"
import { type Answering, answering, ask, freePort } from "./testing/loopback.ts"

const cleanUps: (() => unknown)[] = []
afterEach(async () => {
  for (const clean of cleanUps.splice(0).reverse()) await clean()
})

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))
const clients = process.env.SETPOINT_TEST_FULL === "1" ? 3000 : 300

it.each([1, 2, 3])("clients get whole answers or none, story %i", async (seed) => {
  const random = new SimRandom(seed)
  const chance = (share: number) => random.next() < share
  const pick = <T>(all: readonly T[]): T => all[Math.floor(random.next() * all.length)] as T
  const serve = (name: string, at = 0) =>
    answering(
      name,
      (socket, line) => {
        const mood = random.next()
        if (mood < 0.05) socket.resetAndDestroy()
        else if (mood < 0.1) socket.write(`${line} `, () => socket.resetAndDestroy())
        else if (mood < 0.15) setTimeout(() => socket.end(`${line} whole\n`), 30)
        else {
          socket.write(`${line} `)
          setTimeout(() => socket.end("whole\n"), random.next() * 5)
        }
      },
      at,
    )
  const all: Answering[] = await Promise.all(["a", "b", "c", "d"].map((name) => serve(name)))
  cleanUps.push(() => Promise.all(all.map((one) => one.die())))
  const port = await freePort()
  const server = new BalancerServer()
  cleanUps.push(() => server.stop())
  const configure = (members: readonly Answering[]) => {
    const config: BalancerConfig = {
      ...{ format: 1, listen: { address: "127.0.0.1", port } },
      ...{ connectionsMax: 1000, connectTimeoutMs: 200, waitMs: 2000, drainMs: 10, ejectMs: 5 },
      retryBeforeFirstByte: true,
      backends: members.map((one) => ({ name: one.name, address: "127.0.0.1", port: one.port })),
    }
    server.configure(config)
  }
  configure(all)
  while (!server.state.ready) await pause(1)
  let going = true
  const trouble = (async () => {
    while (going) {
      await pause(random.next() * 10)
      const victim = pick(all)
      if (chance(0.4)) configure(all.filter((one) => one !== victim))
      else if (chance(0.5)) {
        await victim.die()
        all[all.indexOf(victim)] = await serve(victim.name, victim.port)
      } else configure(all)
    }
  })()
  const answers = await Promise.all(
    Array.from({ length: clients }, async (_, index) => {
      await pause(random.next() * 400)
      return { index, answer: await ask(port, `request-${index}\n`) }
    }),
  )
  going = false
  await trouble
  const wrong = answers.filter(({ index, answer }) => {
    return answer !== `request-${index} whole\n` && answer !== "reset"
  })
  expect(wrong).toEqual([])
  const whole = answers.filter(({ answer }) => answer !== "reset").length
  expect(whole).toBeGreaterThan(clients / 2)
  configure(all)
  while (server.state.connections > 0) await pause(5)
  expect(server.state.backends.map(({ connections }) => connections)).toEqual([0, 0, 0, 0])
  expect(server.state.retried).toBeGreaterThan(0)
})
