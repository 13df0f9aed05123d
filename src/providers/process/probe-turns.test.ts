// Whose turn it is when more probes are due than may be asked at once: nobody is asked twice, left
// out, or kept waiting by others that hang. In virtual time.

import { beforeEach, describe, expect, test } from "vitest"
import type { PlaceFacts, ProcessesRead } from "../../contract/processes.ts"
import { SimClock } from "../../sim/sim-clock.ts"
import { SimRandom } from "../../sim/sim-random.ts"
import { Caretaker } from "./caretaker.ts"
import type { Answer } from "./probe-state.ts"
import { processSpec } from "./process-spec.ts"

const identity = { pid: 7, startTime: "1", bootId: "boot" }
const processes = {
  facts: () => ({ ...identity, state: "S", parent: 1, group: 7, session: 7 }),
} as Partial<ProcessesRead> as ProcessesRead

let clock: SimClock
let caretaker: Caretaker
/** By the port of their process, in order. */
let asked: number[]
let answers: Map<number, () => void>
/** Ports of processes that answer by themselves, and after which time. */
let quick: (port: number) => number | undefined

beforeEach(() => {
  clock = new SimClock()
  asked = []
  answers = new Map()
  quick = () => undefined
  caretaker = new Caretaker({
    ...{ clock, random: new SimRandom(1), logs: { keep: async () => {} } },
    verdicts: { read: () => undefined, write: () => {} },
    calls: {
      ask: (_, { port = 0 }) =>
        new Promise<Answer>((resolve) => {
          asked.push(port)
          const answer = () => resolve({ yes: true })
          answers.set(port, answer)
          const afterMs = quick(port)
          if (afterMs !== undefined) clock.after(afterMs, answer)
        }),
    },
  })
})

const place = (run = 1, alive = true): PlaceFacts => {
  return { run, note: {}, identity, alive, startedAt: clock.now() }
}

function process(port: number) {
  const probes = { readiness: { tcp: {}, periodSeconds: 10, timeoutSeconds: 3600 } }
  const spec = processSpec.parse({ command: ["x"], port, probes })
  const look = (facts = place()) => caretaker.health(`/d${port}`, spec, facts)
  look()
  caretaker.watch(`/d${port}`, spec, processes, () => {})
  return { look, forget: () => caretaker.forget(`/d${port}`) }
}

const timesAsked = (port: number) => asked.filter((one) => one === port).length

describe("a probe whose turn has not come", () => {
  test("is asked once, however often it was planned anew meanwhile", async () => {
    for (let port = 1; port <= 32; port++) process(port)
    const late = process(33)
    await clock.advance(100)
    expect(timesAsked(33)).toBe(0)
    for (let run = 2; run < 6; run++) {
      late.look(place(run))
      await clock.advance(10)
    }
    for (const answer of answers.values()) answer()
    await clock.advance(100)
    expect(timesAsked(33)).toBe(1)
  })

  test("does not wait for others that are not asked any more", async () => {
    for (let port = 1; port <= 32; port++) process(port)
    const taken = [process(33), process(34)]
    process(35)
    await clock.advance(100)
    for (const one of taken) one.forget()
    answers.get(1)?.()
    await clock.advance(100)
    expect(asked.slice(32)).toEqual([35])
  })

  test("is asked although all before it hang", async () => {
    quick = (port) => (port > 200 ? 1 : undefined)
    for (let port = 1; port <= 200; port++) process(port)
    for (let port = 201; port <= 220; port++) process(port)
    await clock.advance(30_000)
    for (let port = 201; port <= 220; port++) expect(timesAsked(port)).toBeGreaterThan(1)
    for (let port = 1; port <= 200; port++) expect(timesAsked(port)).toBe(1)
  })
})

test("a process that was away for a moment has one turn each period, as before", async () => {
  quick = () => 500
  const { look } = process(1)
  for (let count = 0; count < 5; count++) {
    await clock.advance(100)
    look(place(1, false))
    look(place(1, true))
  }
  await clock.advance(2000)
  asked = []
  await clock.advance(100_000)
  expect(timesAsked(1)).toBeGreaterThanOrEqual(9)
  expect(timesAsked(1)).toBeLessThanOrEqual(11)
})
