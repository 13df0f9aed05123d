// Probes in virtual time: who is asked, how often, and what follows.

import fc from "fast-check"
import { afterEach, beforeEach, describe, expect, test } from "vitest"
import { disarm } from "../../base/protections.ts"
import type { PlaceFacts, ProcessesRead } from "../../contract/processes.ts"
import { SimClock } from "../../sim/sim-clock.ts"
import { SimRandom } from "../../sim/sim-random.ts"
import { Caretaker, type VerdictKeeper } from "./caretaker.ts"
import { type Answer, afterAnswer, firstState, unasked, type Verdict } from "./probe-state.ts"
import { type ProcessSpec, processSpec } from "./process-spec.ts"

const identity = { pid: 7, startTime: "1", bootId: "boot" }
const yes: Answer = { yes: true }
const no: Answer = { yes: false, why: "refused" }
const tcp = { tcp: { port: 1 } }

let clock: SimClock
let answers: Record<string, Answer | undefined>
let asked: string[]
let atOnce: { now: number; most: number }
let kept: Map<string, Verdict>
let alive: boolean
let woken: number
let armed: (() => void)[]

beforeEach(() => {
  clock = new SimClock()
  answers = {}
  asked = []
  atOnce = { now: 0, most: 0 }
  kept = new Map()
  alive = true
  woken = 0
  armed = []
})
afterEach(() => {
  for (const arm of armed) arm()
})

const verdicts: VerdictKeeper = {
  read: (directory, run) => kept.get(`${directory} ${run}`),
  write: (directory, run, verdict) => void kept.set(`${directory} ${run}`, verdict),
}

function newCaretaker(): Caretaker {
  return new Caretaker({
    ...{ clock, random: new SimRandom(1), verdicts, logs: { keep: async () => {} } },
    calls: {
      ask: async ({ tcp: asks }) => {
        const name = asks?.port === 1 ? "startup" : asks?.port === 2 ? "liveness" : "readiness"
        asked.push(name)
        atOnce.now++
        atOnce.most = Math.max(atOnce.most, atOnce.now)
        await new Promise<void>((resolve) => clock.after(1, resolve))
        atOnce.now--
        return answers[name] ?? yes
      },
    },
  })
}

const processes = {
  facts: () => (alive ? { ...identity, state: "S", parent: 1, group: 7, session: 7 } : undefined),
} as Partial<ProcessesRead> as ProcessesRead

const place = (run = 1): PlaceFacts => {
  return { run, note: {}, identity, alive: true, startedAt: clock.now() }
}
const specOf = (probes: object): ProcessSpec => processSpec.parse({ command: ["x"], probes })
const probe = (port: number, more: object = {}) => ({ tcp: { port }, periodSeconds: 1, ...more })

function watch(caretaker: Caretaker, spec: ProcessSpec, directory = "/d") {
  const facts = place()
  const look = () => caretaker.health(directory, spec, facts)
  look()
  const closing = caretaker.watch(directory, spec, processes, () => {
    woken++
  })
  return { look, closing }
}

describe("probes", () => {
  test("the startup probe comes first and alone; the others begin when it said yes", async () => {
    const probes = { startup: probe(1), liveness: probe(2), readiness: probe(3) }
    answers.startup = no
    const { look } = watch(newCaretaker(), specOf({ ...probes }))
    await clock.advance(1500)
    expect(new Set(asked)).toEqual(new Set(["startup"]))
    expect(look()).toMatchObject({ started: false, ready: false })
    answers.startup = yes
    await clock.advance(3000)
    expect(look()).toMatchObject({ started: true, ready: true })
    asked = []
    await clock.advance(10_000)
    expect(new Set(asked)).toEqual(new Set(["liveness", "readiness"]))
  })

  test("a startup probe that never says yes asks for a restart", async () => {
    answers.startup = no
    const { look } = watch(newCaretaker(), specOf({ startup: probe(1) }))
    await clock.advance(5000)
    expect(look().hung).toContain("startup probe failed: refused")
  })

  test("liveness asks for a restart after three failures in a row, and wakes", async () => {
    const { look } = watch(newCaretaker(), specOf({ liveness: probe(2) }))
    await clock.advance(10_000)
    expect([look().hung, woken]).toEqual([undefined, 0])
    answers.liveness = no
    await clock.advance(2000)
    expect(look().hung).toBeUndefined()
    await clock.advance(2000)
    expect(look().hung).toContain("liveness probe failed: refused")
    expect(woken).toBe(1)
    asked = []
    await clock.advance(10_000)
    expect(asked).toEqual([])
  })

  test("a plane that can no longer ask restarts nobody and changes no readiness", async () => {
    const spec = specOf({ liveness: probe(2), readiness: probe(3) })
    const { look } = watch(newCaretaker(), spec)
    await clock.advance(5000)
    answers = { liveness: unasked("EMFILE"), readiness: unasked("EMFILE") }
    await clock.advance(60_000)
    expect(look()).toMatchObject({ ready: true })
    expect(look().hung).toBeUndefined()
    answers = { liveness: no }
    await clock.advance(5000)
    expect(look().hung).toContain("liveness probe failed: refused")
  })

  test("twin: counted as an answer, all would be restarted", async () => {
    armed.push(disarm("unasked-is-no-answer"))
    const { look } = watch(newCaretaker(), specOf({ liveness: probe(2) }))
    await clock.advance(5000)
    answers.liveness = unasked("EMFILE")
    await clock.advance(5000)
    expect(look().hung).toContain("EMFILE")
  })

  test("readiness goes and comes, and is told once each time", async () => {
    const spec = specOf({ readiness: probe(3, { successThreshold: 2 }) })
    const { look } = watch(newCaretaker(), spec)
    expect(look().ready).toBe(false)
    await clock.advance(3000)
    expect([look().ready, woken]).toEqual([true, 1])
    answers.readiness = no
    await clock.advance(5000)
    expect([look().ready, look().hung, woken]).toEqual([false, undefined, 2])
  })

  test("a plane that starts again keeps what was said, and asks again", async () => {
    const spec = specOf({ readiness: probe(3) })
    watch(newCaretaker(), spec).closing.close()
    const first = watch(newCaretaker(), spec)
    await clock.advance(2000)
    expect(first.look().ready).toBe(true)
    const facts = place()
    expect(newCaretaker().health("/d", spec, facts).ready).toBe(true)
    expect(newCaretaker().health("/d", spec, { ...facts, run: 2 }).ready).toBe(false)
    armed.push(disarm("readiness-outlives-the-plane"))
    expect(newCaretaker().health("/d", spec, facts).ready).toBe(false)
  })

  test("nothing is asked that nobody watches, or that does not run", async () => {
    const caretaker = newCaretaker()
    const spec = specOf({ readiness: probe(3) })
    caretaker.health("/d", spec, place())
    await clock.advance(5000)
    expect(asked).toEqual([])
    const { closing } = watch(caretaker, spec)
    await clock.advance(2000)
    expect(asked.length).toBeGreaterThan(0)
    closing.close()
    asked = []
    await clock.advance(5000)
    expect(asked).toEqual([])
    watch(caretaker, spec)
    caretaker.health("/d", spec, { ...place(), alive: false })
    await clock.advance(5000)
    expect(asked).toEqual([])
  })

  test("an initial delay is kept, and other probes apply at once", async () => {
    const caretaker = newCaretaker()
    const facts = place()
    const late = specOf({ liveness: probe(2, { initialDelaySeconds: 30 }) })
    watch(caretaker, late)
    await clock.advance(29_000)
    expect(asked).toEqual([])
    await clock.advance(2000)
    expect(asked.length).toBeGreaterThan(0)
    caretaker.health("/d", specOf({}), facts)
    asked = []
    await clock.advance(5000)
    expect(asked).toEqual([])
  })

  test("five hundred are asked in turn, a few at once, without a crowd after a start", async () => {
    const caretaker = newCaretaker()
    const spec = specOf({ readiness: probe(3, { periodSeconds: 10 }) })
    for (let index = 0; index < 500; index++) watch(caretaker, spec, `/d${index}`)
    await clock.advance(30_000)
    expect(atOnce.most).toBeLessThanOrEqual(32)
    expect(asked.length).toBeGreaterThan(1200)
    expect(asked.length).toBeLessThan(2500)
  })

  test("an end without a word wakes the target", async () => {
    watch(newCaretaker(), specOf({}))
    await clock.advance(20_000)
    expect(woken).toBe(0)
    alive = false
    await clock.advance(6000)
    expect(woken).toBeGreaterThan(0)
  })
})

test("whatever is answered, a restart follows exactly so many failures in a row", () => {
  const { probes } = specOf({ liveness: { ...tcp, failureThreshold: 4 } })
  fc.assert(
    fc.property(fc.array(fc.boolean(), { maxLength: 40 }), (said) => {
      let state = firstState(probes, undefined)
      let [row, expected] = [0, false]
      for (const one of said) {
        row = one ? 0 : row + 1
        expected ||= row >= 4
        state = afterAnswer(state, probes, "liveness", one ? yes : no)
        expect(state.hung !== undefined).toBe(expected)
      }
    }),
  )
})
