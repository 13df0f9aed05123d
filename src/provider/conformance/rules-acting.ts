// Rules for acting in bad weather: somebody else was faster, an answer got lost, the process died.

import type { JsonObject } from "../../base/json.ts"
import { type ActVerb, type Bench, must, sameSnapshot, Violation } from "./bench.ts"
import { firstDifference } from "./matches.ts"
import { atEveryCall, type Examination, nameOf, type RuleDefinition } from "./rule.ts"
import { type PortCall, tapWorld } from "./world-tap.ts"

const verbs: readonly ActVerb[] = ["create", "update", "delete"]

export const staleTokenRefused: RuleDefinition = {
  name: "stale-token-refused",
  rule: "An act planned on an older observation fails and leaves the target as somebody made it.",
  examine: ({ open, subject: { kind } }) =>
    open(async (bench) => {
      const { first, second } = bench.samples
      const token = await bench.make(first)
      await bench.outside.drift(kind.identity(first))
      const drifted = await bench.snapshot()
      for (const verb of ["update", "delete"] as const) {
        const result = await bench.act(verb, second, { token })
        const kept = sameSnapshot(drifted, await bench.snapshot())
        must(kept, `${verb} with a stale token changed the target`)
        must(result.kind === "failed", `${verb} with a stale token answered ${result.kind}`)
      }
      if (kind.identityRule !== "derived") return
      const other = await bench.act("create", second, { idempotencyKey: "another-incarnation" })
      const kept = sameSnapshot(drifted, await bench.snapshot())
      must(kept, "create replaced a target that somebody else had made")
      must(other.kind === "failed", `create over an existing target answered ${other.kind}`)
    }),
}

export const checkedAtEffect: RuleDefinition = {
  name: "checked-at-effect",
  rule: "A change by somebody else between two port calls of an act is never overwritten.",
  async examine(examination) {
    for (const verb of ["update", "delete"] as const) {
      await atEveryCall(examination, async (bench, point) => {
        const { first, second } = bench.samples
        const identity = bench.kind.identity(first)
        const token = await bench.make(first)
        let hit: PortCall | undefined
        let meddled: string | undefined
        const world = tapWorld(bench.setup.world, {
          async prepare(call) {
            if (call.number !== point) return
            hit = call
            if (!(await bench.outside.list()).has(identity)) return
            await bench.outside.drift(identity)
            meddled = (await bench.snapshot()).get(identity)
          },
        })
        await bench.act(verb, second, { token, world })
        if (hit === undefined) return false
        const now = (await bench.snapshot()).get(identity)
        const kept = meddled === undefined || now === meddled
        must(kept, `${verb} overwrote a change made just before ${nameOf(hit)}`)
        return true
      })
    }
  },
}

export const lostReplyMakesNoSecond: RuleDefinition = {
  name: "lost-reply",
  rule: "A create whose answer is lost and that is repeated makes one target, or says unknown.",
  async examine(examination) {
    if (!examination.has("lostReply")) return
    const { kind } = examination.subject
    await atEveryCall(examination, async (bench, point) => {
      const { first } = bench.samples
      let hit: PortCall | undefined
      const world = tapWorld(bench.setup.world, {
        async prepare(call) {
          if (call.number !== point) return
          hit = call
          await bench.arm("lostReply")
        },
      })
      const result = await bench.act("create", first, { world })
      if (hit === undefined) return false
      const made = await bench.outside.list()
      must(made.size <= 1, `one create made ${made.size} targets`)
      if (kind.identityRule === "none") {
        const honest = !hit.mutates || made.size === 0 || result.kind === "unknown"
        must(honest, `a create that can't know its result answered ${result.kind}`)
        return true
      }
      must(made.size === 0 || result.kind !== "failed", "a create that happened answered failed")
      bench.forget()
      await bench.act("create", first)
      const size = (await bench.outside.list()).size
      must(size === 1, `after a lost answer and a repeated create there are ${size} targets`)
      await bench.converge(first, "there")
      must((await bench.outside.list()).size === 1, "converging made a second target")
      return true
    })
  },
}

export const resultsAreTrue: RuleDefinition = {
  name: "results-are-true",
  rule: "`done` means that it happened and `failed` that nothing changed, whatever went wrong.",
  async examine(examination) {
    const modes = ["serverError", "unauthorized", "throttled", "lostReply"] as const
    for (const mode of modes.filter(examination.has)) {
      for (const verb of verbs) await resultsUnder(examination, verb, mode)
    }
  },
}

async function resultsUnder(
  examination: Examination,
  verb: ActVerb,
  mode: "serverError" | "unauthorized" | "throttled" | "lostReply",
): Promise<void> {
  await atEveryCall(examination, async (bench, point) => {
    const { spec, token } = await begin(bench, verb)
    const before = await bench.snapshot()
    let hit: PortCall | undefined
    const world = tapWorld(bench.setup.world, {
      async prepare(call) {
        if (call.number !== point) return
        hit = call
        await bench.arm(mode)
      },
    })
    const result = await bench.act(verb, spec, { world, ...token })
    if (hit === undefined) return false
    const what = `${verb} with ${mode} at ${nameOf(hit)}`
    const same = sameSnapshot(before, await bench.snapshot())
    if (result.kind === "failed") must(same, `${what} answered failed, and something changed`)
    if (result.kind === "done") must(!same, `${what} answered done, and nothing happened`)
    return true
  })
}

export const crashAnywhere: RuleDefinition = {
  name: "crash-anywhere",
  rule: "A crash at any port call leaves what is known as ours and converges to one target.",
  async examine(examination) {
    for (const verb of verbs) {
      for (const side of ["before", "after"] as const) {
        await atEveryCall(examination, (bench, point) => crashAt(bench, verb, side, point))
      }
    }
  },
}

async function crashAt(
  bench: Bench,
  verb: ActVerb,
  side: "before" | "after",
  point: number,
): Promise<boolean> {
  const { spec, token } = await begin(bench, verb)
  const before = await bench.snapshot()
  let hit: PortCall | undefined
  const die = (call: PortCall) => {
    // A dead process makes no more calls, whatever the provider catches.
    if (hit === undefined && call.number !== point) return
    hit ??= call
    throw new Violation("the process has crashed")
  }
  const world = tapWorld(
    bench.setup.world,
    side === "before" ? { before: die } : { before: (call) => hit && die(call), after: die },
  )
  await bench.act(verb, spec, { world, ...token })
  if (hit === undefined) return false
  const where = `a crash ${side} ${nameOf(hit)} of ${verb}`
  if (verb === "create") bench.forget()
  if (verb === "create" && bench.kind.identityRule === "none") {
    const more = (await bench.outside.list()).size - before.size
    must(more <= 1, `${where} left ${more} targets`)
    return true
  }
  if (verb === "create") await knownAsOurs(bench, spec, where)
  try {
    await bench.converge(spec, verb === "delete" ? "gone" : "there")
  } catch (error) {
    throw new Violation(`after ${where}: ${error instanceof Error ? error.message : error}`)
  }
  await onlyThis(bench, spec, verb, where)
  return true
}

/** What is not as desired and could be anybody's would wait until a person adopts it. */
async function knownAsOurs(bench: Bench, spec: JsonObject, where: string): Promise<void> {
  const seen = await bench.observe(spec)
  if (seen.kind !== "present") return
  if (firstDifference(bench.kind, spec, seen.value) === undefined) return
  const ours = seen.unfinished === true || seen.mark === bench.targetOf(spec).uid
  must(ours, `${where} left something that could be anybody's`)
}

async function onlyThis(
  bench: Bench,
  spec: JsonObject,
  verb: ActVerb,
  where: string,
): Promise<void> {
  const listed = await bench.outside.list()
  const wanted = verb === "delete" ? 0 : 1
  must(listed.size === wanted, `after ${where} there are ${listed.size} targets, not ${wanted}`)
  const known = verb === "delete" || listed.has(bench.kind.identity(spec))
  must(known, `after ${where} the target has another identity`)
}

/** Everything that must be there before the verb makes sense, and what the act is given. */
async function begin(
  bench: Bench,
  verb: ActVerb,
): Promise<{ spec: JsonObject; token: { readonly token?: string } }> {
  const { first, second } = bench.samples
  if (verb === "create") return { spec: first, token: {} }
  const token = await bench.make(first)
  return { spec: verb === "update" ? second : first, token: { token } }
}
