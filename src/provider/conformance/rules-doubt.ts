// Rules for reading in bad weather: an error is not an empty answer.

import { describeSeen, must, Violation } from "./bench.ts"
import { atEveryCall, nameOf, type RuleDefinition } from "./rule.ts"
import { type PortCall, tapWorld } from "./world-tap.ts"

const abortAfterMs = 40

export const absentIsNotUnknown: RuleDefinition = {
  name: "absent-is-not-unknown",
  rule: "An error, timeout, refusal or lost answer is unknown, never absent or an empty list.",
  async examine(examination) {
    const modes = ["serverError", "unauthorized", "throttled", "lostReply", "timeout"] as const
    for (const mode of modes.filter(examination.has)) {
      for (const there of [false, true]) {
        await atEveryCall(examination, async (bench, point) => {
          const { first, others } = bench.samples
          for (const spec of there ? [first, ...others] : others) await bench.make(spec)
          let hit: PortCall | undefined
          const world = tapWorld(bench.setup.world, {
            async prepare(call) {
              if (call.number !== point) return
              hit = call
              await bench.arm(mode)
            },
          })
          const { observation, listing } = await bench.see(first, { world, abortAfterMs })
          if (hit === undefined) return false
          const what = `${mode} at ${nameOf(hit)}`
          must(listing?.complete !== true, `a list is complete in spite of ${mode}`)
          must(observation.kind !== "absent", `${what} is read as ${describeSeen(observation)}`)
          must(there || observation.kind === "unknown", `${what} made a target out of nothing`)
          return true
        })
      }
    }
  },
}

export const partialIsNotComplete: RuleDefinition = {
  name: "partial-is-not-complete",
  rule: "A list that was cut short is not complete, and what it lacks is not absent.",
  async examine(examination) {
    if (!examination.has("partialList")) return
    await atEveryCall(examination, async (bench, point) => {
      const all = [bench.samples.first, ...bench.samples.others]
      for (const spec of all) await bench.make(spec)
      let reached = false
      for (const spec of all) {
        const world = tapWorld(bench.setup.world, {
          async prepare(call) {
            if (call.number !== point) return
            reached = true
            await bench.arm("partialList")
          },
        })
        const { observation, listing } = await bench.see(spec, { world })
        must(observation.kind !== "absent", "a target that exists is absent by a partial list")
        if (listing?.complete !== true) continue
        const listed = new Set(listing.items.map((item) => item.identity))
        const lacking = all.find((each) => !listed.has(bench.kind.identity(each)))
        must(lacking === undefined, "a list that lacks a target says that it is complete")
      }
      return reached
    })
  },
}

export const readsEndOnAbort: RuleDefinition = {
  name: "calls-end-on-abort",
  rule: "A call whose signal aborts ends soon, and a mutation that hung is unknown, not failed.",
  async examine(examination) {
    if (!examination.has("timeout")) return
    for (const verb of ["observe", "create", "update", "delete"] as const) {
      await atEveryCall(examination, async (bench, point) => {
        const { first, second } = bench.samples
        const token = verb === "create" ? undefined : await bench.make(first)
        let hit: PortCall | undefined
        const world = tapWorld(bench.setup.world, {
          async prepare(call) {
            if (call.number !== point) return
            hit = call
            await bench.arm("timeout")
          },
        })
        const options = { world, abortAfterMs, ...(token === undefined ? {} : { token }) }
        if (verb === "observe") await bench.see(first, options)
        else {
          const result = await bench.act(verb, verb === "update" ? second : first, options)
          if (hit?.mutates === true && result.kind !== "unknown") {
            throw new Violation(`${verb} answered ${result.kind} although ${nameOf(hit)} hung`)
          }
        }
        return hit !== undefined
      })
    }
  },
}
