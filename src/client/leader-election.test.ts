import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { type ApiWorld, alice, openApiWorld } from "../../test/conformance/client-world.ts"
import { systemRandom } from "../base/system.ts"
import type { Client } from "../contract/client.ts"
import { SimClock } from "../sim/sim-clock.ts"
import { inProcessClient } from "./in-process-client.ts"
import { leadOnce, type Term } from "./leader-election.ts"

const lease = { group: "coordination.k8s.io", version: "v1", resource: "leases" }
const name = { namespace: "default", name: "one" }

let world: ApiWorld
let clock: SimClock
beforeEach(async () => {
  world = await openApiWorld()
  clock = new SimClock()
})
afterEach(() => world.close())

interface Candidate {
  readonly terms: Term[]
  readonly stop: AbortController
  readonly ended: Promise<string>
  /** Nothing it asks reaches the server while this is true. */
  cut: boolean
}

/** Leads until it is stopped or loses. */
function candidate(identity: string): Candidate {
  const real = inProcessClient(world.verbs, alice)
  const stop = new AbortController()
  const terms: Term[] = []
  const self = { cut: false }
  const through =
    <A extends readonly unknown[], R>(call: (...args: A) => Promise<R>) =>
    (...args: A) =>
      self.cut ? new Promise<R>(() => {}) : call(...args)
  const client: Pick<Client, "get" | "create" | "update"> = {
    get: through(real.get),
    create: through(real.create),
    update: through(real.update),
  }
  const ended = leadOnce(
    { client, clock, random: systemRandom, ...name, identity },
    async (term) => {
      terms.push(term)
      await new Promise<void>((resolve) => term.signal.addEventListener("abort", () => resolve()))
    },
    stop.signal,
  )
  return Object.assign(self, { terms, stop, ended })
}

const leading = (...all: readonly Candidate[]) =>
  all.map(({ terms }) => terms.at(-1)?.isLeading() === true)

describe("a leader election", () => {
  it("has one leader, and gives the lease back at the end: the next need not wait", async () => {
    const a = candidate("a")
    await clock.advance(1000)
    const b = candidate("b")
    await clock.advance(60_000)
    expect(leading(a, b)).toEqual([true, false])
    a.stop.abort()
    await clock.advance(5000)
    expect(await a.ended).toBe("done")
    expect(leading(a, b)).toEqual([false, true])
    expect(b.terms[0]?.fence).toBeGreaterThan(a.terms[0]?.fence ?? 0)
    b.stop.abort()
    await clock.advance(5000)
    await b.ended
  })

  it("loses before anybody else leads when it can not renew", async () => {
    const a = candidate("a")
    await clock.advance(1000)
    const b = candidate("b")
    await clock.advance(3000)
    a.cut = true
    let both = 0
    for (let step = 0; step < 300; step++) {
      await clock.advance(100)
      if (leading(a, b).every((one) => one)) both++
    }
    expect(both).toBe(0)
    expect(leading(a, b)).toEqual([false, true])
    expect(a.terms[0]?.signal.aborted).toBe(true)
    expect(await a.ended).toBe("lost")
    b.stop.abort()
    await clock.advance(5000)
    await b.ended
  })

  it("does not believe the clocks of others: a record that keeps changing is alive", async () => {
    const a = candidate("a")
    await clock.advance(1000)
    // The holder's clock is a year behind; only that it renews counts.
    clock.jumpWall(-365 * 86_400_000)
    await clock.advance(20_000)
    clock.jumpWall(365 * 86_400_000)
    const b = candidate("b")
    await clock.advance(60_000)
    expect(leading(a, b)).toEqual([true, false])
    for (const one of [a, b]) one.stop.abort()
    await clock.advance(5000)
    expect(await b.ended).toBe("stopped")
    await a.ended
  })

  it("writes what Kubernetes' own clients read", async () => {
    const a = candidate("a")
    await clock.advance(1000)
    const stored = await world.verbs.get(alice, { ...lease, ...name })
    expect(stored?.spec).toMatchObject({
      holderIdentity: "a",
      leaseDurationSeconds: 15,
      leaseTransitions: 0,
      renewTime: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/),
    })
    a.stop.abort()
    await clock.advance(5000)
    await a.ended
  })
})
