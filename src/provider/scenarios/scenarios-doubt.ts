// Scenarios in which something can't be known: keys that are refused, a server that is gone, half
// an answer, a source that lost its content, an observer that lies. Nothing may be destroyed or
// made twice on such words, and afterwards everything goes on.

import { must } from "../conformance/bench.ts"
import { type Scenario, wide } from "./scenario.ts"
import { heldAs, untouched } from "./scenarios-calm.ts"
import type { Stage, Wanted } from "./stage.ts"

export const credentials: Scenario = {
  name: "credentials",
  promise: "With keys that are refused nothing is changed, and the objects say so.",
  loop: wide,
  async play(stage) {
    await stage.settle(0, 1)
    const before = await stage.snapshot()
    const end = await stage.trouble("credentials")
    stage.declare([0, 1], 2)
    await stage.notReady(0)
    await stage.calm()
    await untouched(stage, before, "working with keys that are refused")
    await end()
    await stage.becomes("the work goes on with good keys", [0, 1], 2)
    await stage.settled([0, 1], 2)
    must(!(await stage.has(1)), "what is declared no more is still there")
    return undefined
  },
}

export const serverStopped: Scenario = {
  name: "server-stopped",
  promise: "A server that goes away half-way loses nothing, and nothing is made twice.",
  loop: wide,
  async play(stage) {
    await stage.settle(0, 1)
    const done = () => actsDone(stage)
    let acts = 0
    let most = 0
    let end: (() => Promise<void>) | undefined
    let stopping: Promise<void> | undefined
    const stop = async () => {
      // The act before this one may still be under way.
      most = (await done()) + 1
      end = await stage.trouble("server-stopped")
    }
    // Those that come meanwhile begin when it has stopped, or they might still get through.
    const stopOnce = () => {
      stopping ??= stop()
      return stopping
    }
    stage.hooks = { before: async () => void (++acts >= 2 && (await stopOnce())) }
    const wanted: readonly Wanted[] = [[0, 1], 1, 2, 3]
    stage.declare(...wanted)
    await stage.until("the server stops", async () => end !== undefined || `${acts} acts`)
    await stage.notReady(3)
    await stage.calm()
    must((await done()) <= most, "acts are said to be done while the server is stopped")
    stage.hooks = {}
    await end?.()
    await stage.becomes("the work goes on", ...wanted)
    await stage.settled(...wanted)
    const size = (await stage.snapshot()).size
    must(size === wanted.length, `${wanted.length} objects have ${size} targets`)
    return undefined
  },
}

export const partialAnswer: Scenario = {
  name: "partial-answer",
  promise: "What half an answer lacks is neither made again nor taken for gone.",
  loop: wide,
  async play(stage) {
    const all = [0, 1, 2, 3, 4, 5]
    await stage.settle(...all)
    const before = await stage.snapshot()
    const acts = (await stage.receipts()).length
    const end = await stage.trouble("partial-answer")
    stage.declare(...all.slice(1))
    // Longer than a plane doubts that what it just made is gone.
    await stage.calm(12_000)
    await stage.calm()
    await untouched(stage, before, "acting on half an answer")
    const more = (await stage.receipts()).length - acts
    must(more === 0, `${more} acts were tried on half an answer`)
    await end()
    await stage.untilLooking("the dropped target goes", async () => {
      return !(await stage.has(0)) || "it is still there"
    })
    await stage.settled(...all.slice(1))
    return undefined
  },
}

async function actsDone(stage: Stage): Promise<number> {
  return (await stage.receipts()).filter(({ result }) => result === "done").length
}

export const sourceEmptied: Scenario = {
  name: "source-emptied",
  promise: "A source that is emptied or lost deletes nothing without a person.",
  async play(stage) {
    await stage.settle(0, 1, 2)
    const before = await stage.snapshot()
    stage.plane.loseSource()
    await stage.calm()
    await untouched(stage, before, "losing the source")
    stage.plane.declare([])
    await heldAs(stage, "delete")
    await stage.calm()
    await untouched(stage, before, "an empty source")
    await stage.settle(0, 1, 2)
    await untouched(stage, before, "getting the source back")
    return undefined
  },
}

export const observerLies: Scenario = {
  name: "observer-lies",
  promise: "An observer that says everything is gone makes the plane neither destroy nor repeat.",
  loop: { onConflict: "DeclaredWins" },
  async play(stage) {
    await stage.settle(0, 1, 2)
    const before = await stage.snapshot()
    const done = () => actsDone(stage)
    const acts = await done()
    stage.lies = () => true
    await heldAs(stage, "create", "AllVanished")
    await untouched(stage, before, "believing that all is gone")
    stage.lies = () => false
    await stage.untilLooking("the truth is seen again", async () => {
      return stage.plane.pending().length === 0 || "the plan still waits"
    })
    await stage.settled(0, 1, 2)
    must((await done()) === acts, "the lie was acted on")
    await lieAboutOne(stage)
    return undefined
  },
}

/** One that is said to be gone is made again by the plane; the system itself has to refuse. */
async function lieAboutOne(stage: Stage): Promise<void> {
  if (stage.kind.identityRule !== "derived") return
  const [field] = Object.keys(stage.system.drifts)
  const one = stage.identity(0)
  stage.lies = (identity) => identity === one
  if (field !== undefined) await stage.system.drifts[field]?.(stage.spec(0))
  const before = await stage.snapshot()
  await stage.untilLooking("a create is tried", async () => {
    const tried = (await stage.receipts()).filter(({ action }) => {
      return action.verb === "create" && action.object.endsWith(`/${stage.name(0)}`)
    })
    const again = tried.slice(1)
    if (again.length === 0) return "no create"
    must(!again.some(({ result }) => result === "done"), "a second create is said to be done")
    return true
  })
  await untouched(stage, before, "making again what is there")
  stage.lies = () => false
  await stage.becomes("it is healed when the truth is seen", 0)
}
