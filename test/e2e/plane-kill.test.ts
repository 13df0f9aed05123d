// Gate: kill -9 of the real plane at any moment, under load: afterwards everything is exactly as
// declared, nothing was made twice, nothing held was done, the journal verifies and the revision
// only grew.

import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { itInFull } from "../full.ts"
import { KillBook, seededRandom } from "./plane/kill-book.ts"
import { fileKey, PlaneRig } from "./plane/plane-rig.ts"
import { pause, waitFor } from "./plane/wait-for.ts"

const slowKind = fileURLToPath(new URL("./plane/slow-kind.ts", import.meta.url))
const cycles = process.env.SETPOINT_TEST_FULL === "1" ? 20 : 2
/** Per cycle, over 40 files: no file may drift so often that it is held as flapping. */
const drifts = cycles > 40 ? 2 : 4
const seed = Number(process.env.SETPOINT_TEST_SEED ?? Date.now() % 1_000_000)

let rig: PlaneRig
let book: KillBook
let random = seededRandom(seed)
beforeEach(() => {
  rig = new PlaneRig()
  book = new KillBook()
  random = seededRandom(seed)
})
afterEach(() => rig.close())

const pick = (count: number) => Math.floor(random() * count)

/** Starts it and kills it some time later; one in five dies while it is still starting. */
async function live(load: () => void): Promise<void> {
  const ended = rig.launch()
  load()
  if (random() < 0.2) await pause(random() * 600)
  else {
    await waitFor("its API is there", () => rig.output !== "" || rig.errors || "nothing said")
    await pause(random() * 500)
  }
  if (!rig.alive) throw new Error(`it ended by itself: ${(await ended).errors}`)
  await rig.end("SIGKILL")
}

/** Dies while an approved plan is carried out. */
async function dieThrice(): Promise<void> {
  for (let death = 0; death < 3; death++) {
    await pause(random() * 80)
    await rig.end("SIGKILL")
    await book.read(rig.data, rig.loop, new Set())
    await rig.start()
  }
}

function expectExactly(declared: ReadonlyMap<string, string>): void {
  expect(readdirSync(rig.targets).sort()).toEqual([...declared.keys()].sort())
  for (const [name, content] of declared) {
    expect(readFileSync(rig.target(name), "utf8")).toBe(content)
  }
}

describe("kill -9 between the effect and its receipt, and a manifest that moved on", () => {
  it.each(["create", "update"])(
    "after a %s: goes on by itself, without asking anyone",
    async (verb) => {
      const args = ["--provider", slowKind]
      const control = join(rig.base, "control")
      mkdirSync(control)
      const declare = (content: string) => {
        const spec = { path: rig.target("slow"), content, control, name: "slow" }
        const head = {
          apiVersion: "test.setpoint.dev/v1",
          kind: "Slow",
          metadata: { name: "slow" },
        }
        writeFileSync(rig.manifest("slow"), JSON.stringify({ ...head, spec }))
      }
      const held = join(control, "end-slow")
      if (verb === "update") {
        declare("first")
        await rig.start({ args })
        await rig.converged(1)
        writeFileSync(held, "")
      } else {
        writeFileSync(held, "")
        await rig.start({ args })
      }
      declare("second")
      await waitFor("the effect is there", () => existsSync(join(control, "ending-slow")))
      await rig.end("SIGKILL")
      rmSync(held)
      declare("third")
      await rig.start({ args })
      await waitFor("it is as declared", async () => {
        const content = readFileSync(rig.target("slow"), "utf8")
        return content === "third" || `${content}; ${(await rig.pendingPlan())?.summary}`
      })
      await rig.converged(1)
      expect(await rig.pendingPlan()).toBeUndefined()
      expect(readdirSync(rig.targets)).toEqual(["slow"])
    },
  )
})

describe(`${cycles} kills with kill -9 (seed ${seed})`, () => {
  it("during convergence, edits, drift and a held prune that is approved at last", async () => {
    const declared = new Map<string, string>()
    const declare = (name: string, content: string) => {
      declared.set(name, content)
      rig.declare(name, content)
    }
    const names = rig.declareMany(120, () => "first\n")
    for (const name of names) declared.set(name, "first\n")
    const [edited, drifting, held] = [names.slice(0, 40), names.slice(40, 80), names.slice(80)]
    await rig.start()
    await rig.loosen()
    await rig.end("SIGKILL")
    await live(() => {})
    await rig.start()
    await rig.converged(120)
    const identity = (name: string) => {
      const { ino, ctimeNs } = lstatSync(rig.target(name), { bigint: true })
      return `${name} ${ino} ${ctimeNs}`
    }
    const before = held.map(identity)
    for (const name of held) rmSync(rig.manifest(name))
    await waitFor("40 deletes are held", async () => {
      const plan = await rig.pendingPlan()
      return plan?.summary === "40 deletes" || (plan?.summary ?? "no plan")
    })
    await rig.end("SIGKILL")
    const heldKeys = new Set(held.map(fileKey))
    let next = 0
    for (let cycle = 0; cycle < cycles; cycle++) {
      await live(() => {
        for (let index = 0; index < 6; index++) {
          declare(edited[pick(edited.length)] ?? "", `edit ${cycle}\n`)
        }
        for (let index = 0; index < drifts; index++) {
          const path = rig.target(drifting[next++ % drifting.length] ?? "")
          if (random() < 0.5) rmSync(path, { force: true })
          else writeFileSync(path, `drift ${cycle}\n`)
        }
      })
      await book.read(rig.data, rig.loop, heldKeys)
      expect(held.map(identity)).toEqual(before)
    }
    await rig.start()
    await waitFor("80 converge", async () => {
      const loop = await rig.loopStatus()
      const reasons = (await rig.pendingPlan())?.reasons.map((reason) => reason.message)
      return loop.converged >= 80 || JSON.stringify({ ...loop.states, reasons })
    })
    expect(held.map(identity)).toEqual(before)
    expectExactly(declared)
    const plan = await rig.pendingPlan()
    if (plan === undefined) throw new Error("the plan is gone")
    expect(plan.summary).toBe("40 deletes")
    await rig.decide(plan, "approve")
    await dieThrice()
    for (const name of held) declared.delete(name)
    await rig.converged(80)
    expectExactly(declared)
    await waitFor("the plan is done", async () => {
      const now = (await rig.plans()).find((one) => one.name === plan.name)
      return now?.phase === "Done" || `${now?.phase} ${now?.done}`
    })
    expect(await rig.pendingPlan()).toBeUndefined()
    console.log(
      `${cycles + 5} kills, ${book.entries} journal entries, ${book.grown} revisions grew`,
    )
    expect(book.problems).toEqual([])
  }, 1_200_000)

  itInFull(
    "during creates and deletes",
    async () => {
      const declared = new Map<string, string>()
      const stays = rig.declareMany(40, () => "stays\n")
      for (const name of stays) declared.set(name, "stays\n")
      await rig.start()
      await rig.converged(stays.length)
      const limits = { deletes: 100_000, deletesPercent: 100, changes: 100_000, window: "1s" }
      await rig.loosen({ limits })
      await rig.end("SIGKILL")
      for (let cycle = 0; cycle < cycles; cycle++) {
        await book.read(rig.data, rig.loop, new Set())
        await live(() => {
          const old = [...declared.keys()].filter((name) => name.startsWith("n"))
          for (const name of old.filter(() => random() < 0.4)) {
            declared.delete(name)
            rmSync(rig.manifest(name))
          }
          for (let index = 0; index < 12; index++) {
            const name = `n${cycle}-${index}`
            declared.set(name, `${name}\n`)
            rig.declare(name, `${name}\n`)
          }
        })
      }
      await rig.start()
      await rig.converged(declared.size)
      expectExactly(declared)
      await rig.end("SIGTERM")
      await book.read(rig.data, rig.loop, new Set())
      console.log(
        `${cycles + 1} kills, ${book.entries} journal entries, ${book.grown} revisions grew`,
      )
      expect(book.problems).toEqual([])
    },
    1_200_000,
  )
})
