import { describe, expect, it } from "vitest"
import { finishAction } from "../contract/action.ts"
import { SimClock } from "../sim/sim-clock.ts"
import { simKind } from "../sim/sim-kind.ts"
import { SimWorld } from "../sim/sim-world.ts"
import { createKindRuntime } from "./kind-runtime.ts"
import type { Proposal } from "./proposal.ts"
import { defaultRound, Round } from "./round.ts"

function fixture() {
  const clock = new SimClock()
  const kind = createKindRuntime(simKind({ world: new SimWorld({ clock }) }))
  const closed: { at: number; uids: string[] }[] = []
  const round = new Round(clock, defaultRound, (proposals) => {
    const uids = proposals.map(({ action }) => action.uid)
    closed.push({ at: clock.monotonic(), uids })
  })
  const proposal = (uid: string): Proposal => {
    const names = { uid, object: `widgets/default/${uid}`, target: `sim:${uid}` }
    const action = finishAction({
      ...{ ...names, verb: "create", kind: "Widget", loop: "default.site" },
      ...{ generation: 1, incarnation: 1, changes: [] },
      cause: { kind: "edit", text: "declared" },
    })
    return {
      ...{ action, key: names.object, kind, applied: {}, fresh: true, adoptDeclared: false },
      object: { apiVersion: "v1", kind: "Widget", metadata: { name: uid } },
      target: { ...names, desired: {}, identity: uid },
      record: {
        ...{ format: 1, ...names, loop: "default.site", kind: "Widget" },
        ...{ owned: false, incarnation: 1, generation: 1 },
      },
      limitedChange: false,
      desiredHash: "",
    }
  }
  return { clock, round, closed, proposal }
}

describe("a round", () => {
  it("closes 50 ms after its last pass left, with everything in it", async () => {
    const { clock, round, closed, proposal } = fixture()
    for (const uid of ["a", "b"]) {
      const ticket = round.enter()
      ticket.propose(proposal(uid))
      ticket.leave()
      await clock.advance(30)
    }
    await clock.advance(19)
    expect(closed).toEqual([])
    await clock.advance(1)
    expect(closed).toEqual([{ at: 80, uids: ["a", "b"] }])
  })

  it("waits for passes that are still reading, and half a second at most", async () => {
    const { clock, round, closed, proposal } = fixture()
    const slow = round.enter()
    const quick = round.enter()
    quick.propose(proposal("quick"))
    quick.leave()
    await clock.advance(499)
    expect(closed).toEqual([])
    await clock.advance(1)
    expect(closed).toEqual([{ at: 500, uids: ["quick"] }])
    slow.propose(proposal("slow"))
    slow.leave()
    await clock.advance(50)
    expect(closed.at(-1)).toEqual({ at: 550, uids: ["slow"] })
  })

  it("keeps the newest proposal of an object only", async () => {
    const { clock, round, closed, proposal } = fixture()
    const ticket = round.enter()
    ticket.propose(proposal("a"))
    ticket.propose(proposal("a"))
    ticket.leave()
    await clock.advance(50)
    expect(closed).toEqual([{ at: 50, uids: ["a"] }])
  })

  it("with nothing in it ends silently, and the next one opens later", async () => {
    const { clock, round, closed } = fixture()
    const first = round.enter()
    expect(first.openedAt).toBe(0)
    first.leave()
    first.leave()
    await clock.advance(1000)
    expect(closed).toEqual([])
    expect(round.enter().openedAt).toBe(1000)
  })

  it("is not judged when it was cancelled", async () => {
    const { clock, round, closed, proposal } = fixture()
    const ticket = round.enter()
    ticket.propose(proposal("a"))
    ticket.leave()
    round.cancel()
    await clock.advance(1000)
    expect(closed).toEqual([])
    expect(clock.pending).toBe(0)
  })
})
