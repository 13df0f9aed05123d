// Rules for calm weather: nothing fails, and the provider does what was asked, once, and no more.

import type { JsonObject } from "../../base/json.ts"
import type { ActResult, KindProvider } from "../../contract/provider.ts"
import { type Bench, describeSeen, must, sameSnapshot, Violation } from "./bench.ts"
import type { RuleDefinition } from "./rule.ts"

export const observeChangesNothing: RuleDefinition = {
  name: "observe-changes-nothing",
  rule: "Observing and listing change nothing, whatever is or is not there.",
  examine: ({ open }) =>
    open(async (bench) => {
      const { first, others } = bench.samples
      const all = [first, ...others]
      await bench.outside.addForeign()
      await unchanged(bench, all)
      for (const spec of all) await bench.make(spec)
      await unchanged(bench, all)
      await bench.outside.drift(bench.kind.identity(first))
      await unchanged(bench, all)
    }),
}

async function unchanged(bench: Bench, specs: readonly JsonObject[]): Promise<void> {
  const before = await bench.snapshot()
  const count = await bench.outside.mutations()
  for (const spec of specs) await bench.observe(spec)
  must((await bench.outside.mutations()) === count, "an observation changed the system")
  must(sameSnapshot(before, await bench.snapshot()), "a target changed while it was observed")
  const attempt = bench.refused[0]
  must(attempt === undefined, `an observation tried to change something (${attempt})`)
}

export const createThenEqual: RuleDefinition = {
  name: "create-then-equal",
  rule: "What was created is observed as it was desired.",
  examine: ({ open }) =>
    open(async (bench) => {
      for (const spec of [bench.samples.first, ...bench.samples.others]) {
        const before = await bench.observe(spec)
        must(before.kind === "absent", `before create a target is ${describeSeen(before)}`)
        must(before.proof !== "", "an absence comes without a proof")
        await bench.make(spec)
        await bench.mustMatch(spec, "after create")
        const listed = await bench.outside.list()
        must(listed.has(bench.kind.identity(spec)), "create says done, and nothing is there")
      }
    }),
}

export const updateConverges: RuleDefinition = {
  name: "update-converges",
  rule: "An update makes the target as desired, also after it drifted, and touches no other.",
  examine: ({ open }) =>
    open(async (bench) => {
      const { first, second, others } = bench.samples
      for (const spec of others) await bench.make(spec)
      const token = await bench.make(first)
      const updated = await bench.act("update", second, { token })
      must(updated.kind === "done", `update answered ${JSON.stringify(updated)}`)
      await bench.mustMatch(second, "after update")
      await bench.outside.drift(bench.kind.identity(second))
      const drifted = await bench.observe(second)
      must(drifted.kind === "present", `after drift the target is ${describeSeen(drifted)}`)
      must(drifted.unfinished === undefined, "what somebody changed is taken for unfinished")
      const healed = await bench.act("update", second, { token: drifted.token })
      must(healed.kind === "done", `update after drift answered ${JSON.stringify(healed)}`)
      await bench.mustMatch(second, "after drift and update")
      for (const spec of others) await bench.mustMatch(spec, "after updating another target")
    }),
}

export const deleteThenAbsent: RuleDefinition = {
  name: "delete-then-absent",
  rule: "What was deleted is observed as absent, with a proof, and nothing else is gone.",
  examine: ({ open }) =>
    open(async (bench) => {
      const { first, others } = bench.samples
      for (const spec of others) await bench.make(spec)
      const token = await bench.make(first)
      const deleted = await bench.act("delete", first, { token })
      must(deleted.kind === "done", `delete answered ${JSON.stringify(deleted)}`)
      const seen = await bench.observe(first)
      must(seen.kind === "absent", `after delete the target is ${describeSeen(seen)}`)
      must(seen.proof !== "", "the absence comes without a proof")
      const listed = await bench.outside.list()
      must(!listed.has(bench.kind.identity(first)), "delete says done, and it is still there")
      for (const spec of others) await bench.mustMatch(spec, "after deleting another target")
    }),
}

export const actsAreIdempotent: RuleDefinition = {
  name: "acts-are-idempotent",
  rule: "Repeating an act that has succeeded makes nothing twice and does not fail hard.",
  examine: ({ open, subject }) =>
    open(async (bench) => {
      const { first, second, others } = bench.samples
      for (const spec of others) await bench.make(spec)
      let token = await bench.make(first)
      const made = await bench.snapshot()
      // Without an identity a create can't be recognised, and the engine never repeats it.
      if (subject.kind.identityRule !== "none") {
        await repeat(bench, "create", first, {})
        must(sameSnapshot(made, await bench.snapshot()), "a repeated create changed something")
      }
      await bench.act("update", second, { token })
      const updated = await bench.snapshot()
      token = await bench.tokenOf(second)
      await repeat(bench, "update", second, { token })
      must(sameSnapshot(updated, await bench.snapshot()), "a repeated update changed something")
      token = await bench.tokenOf(second)
      await bench.act("delete", second, { token })
      const deleted = await bench.snapshot()
      await repeat(bench, "delete", second, { token })
      must(sameSnapshot(deleted, await bench.snapshot()), "a repeated delete changed something")
    }),
}

async function repeat(
  bench: Bench,
  verb: "create" | "update" | "delete",
  spec: JsonObject,
  options: { readonly token?: string },
): Promise<void> {
  const again = await bench.act(verb, spec, options)
  const soft = again.kind === "done" || (again.kind === "failed" && again.stuck !== true)
  must(soft, `a repeated ${verb} answered ${JSON.stringify(again)}`)
}

export const foreignUntouched: RuleDefinition = {
  name: "foreign-untouched",
  rule: "Targets that are nobody's stay as they are through a whole life of our own.",
  examine: ({ open }) =>
    open(async (bench) => {
      const foreign = [await bench.outside.addForeign(), await bench.outside.addForeign()]
      const before = await bench.snapshot()
      const { first, second, others } = bench.samples
      const check = async (when: string) => {
        const now = await bench.snapshot()
        for (const identity of foreign) {
          must(now.get(identity) === before.get(identity), `${when} changed a foreign target`)
        }
      }
      for (const spec of others) await bench.make(spec)
      const token = await bench.make(first)
      await check("create")
      await bench.act("update", second, { token })
      await check("update")
      await bench.act("delete", second, { token: await bench.tokenOf(second) })
      for (const spec of others) {
        await bench.act("delete", spec, { token: await bench.tokenOf(spec) })
      }
      await check("delete")
    }),
}

export const batchAnswersEach: RuleDefinition = {
  name: "batch-answers-each",
  rule: "A batch gives one result per action, in order, and does what the single acts do.",
  notFor: ({ kind }) => (kind.actBatch === undefined ? "it has no actBatch" : undefined),
  examine: ({ open }) =>
    open(async (bench) => {
      const { first, second, others } = bench.samples
      const made = await batch(bench, "create", [first, ...others], [])
      must(
        made.every(({ kind }) => kind === "done"),
        `a batch answered ${JSON.stringify(made)}`,
      )
      for (const spec of [first, ...others]) await bench.mustMatch(spec, "after a batch of creates")
      const stale = await bench.tokenOf(first)
      await bench.outside.drift(bench.kind.identity(first))
      const [other] = others
      if (other === undefined) return
      const before = await bench.snapshot()
      const tokens = [await bench.tokenOf(other), stale]
      const [, refused] = await batch(bench, "update", [other, second], tokens)
      must(refused?.kind === "failed", "a stale token inside a batch is not answered with failed")
      const identity = bench.kind.identity(first)
      const kept = (await bench.snapshot()).get(identity) === before.get(identity)
      must(kept, "a batch with a stale token changed the target")
    }),
}

async function batch(
  bench: Bench,
  verb: "create" | "update",
  specs: readonly JsonObject[],
  tokens: readonly string[],
): Promise<readonly ActResult[]> {
  const kind: KindProvider = bench.kind
  const scope = kind.scope?.(specs[0] ?? {}) ?? ""
  const perform = (signal: AbortSignal) => {
    const items = specs.map((spec, index) => {
      const token = tokens[index]
      const target = bench.targetOf(spec)
      const options = token === undefined ? {} : { token }
      return { target, context: bench.contextOf(verb, target, options, signal) }
    })
    return kind.actBatch?.(scope, items) ?? Promise.resolve([])
  }
  const results = await bench.bounded("a batch", {}, perform, (cause) => {
    throw new Violation(`a batch in calm weather threw: ${cause}`)
  })
  must(results.length === specs.length, `${specs.length} actions got ${results.length} results`)
  return results
}
