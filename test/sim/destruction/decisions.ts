// What people decide in a random life: approvals, also replayed ones and forbidden ones,
// rejections, stops and broken glasses. The oracle is told what was accepted.

import type { JsonObject } from "../../../src/base/json.ts"
import type { Principal } from "../../../src/contract/principal.ts"
import type { HeldAction, PlanDocument } from "../../../src/ledger/plan-ledger.ts"
import type { SimRandom } from "../../../src/sim/sim-random.ts"
import { ann, bot, cron } from "../site.ts"
import type { Play } from "./play.ts"
import { bea, minute, type Stage } from "./stage.ts"

function plansOf(stage: Stage): PlanDocument[] {
  const { ledger } = stage.sim.plane.engine
  return ledger.plans.all().filter((plan) => plan.held.length > 0)
}

const pathOf = ({ loop, name }: PlanDocument) => {
  const namespace = loop.slice(0, loop.indexOf("."))
  return `/apis/setpoint.dev/v1alpha1/namespaces/${namespace}/plans/${name}/approval`
}

/** Waiting plans as a rule, sometimes one that is over. */
export async function approve(play: Play, random: SimRandom): Promise<void> {
  const { stage, sent } = play
  const plans = plansOf(stage)
  const waiting = plans.filter(({ phase }) => phase === "Pending" || phase === "Approved")
  const plan = random.pick(random.chance(0.85) ? waiting : plans)
  if (plan === undefined) return
  const part = random.chance(0.4) ? plan.held.filter(() => random.chance(0.5)) : plan.held
  const chosen = part.length === 0 ? plan.held : part
  const actions = chosen.map(({ action }) => action.digest)
  const body = { hash: plan.hash, ...(chosen.length === plan.held.length ? {} : { actions }) }
  const who = random.pick([ann, ann, ann, bea, bea, cron, bot]) ?? ann
  sent.push({ path: pathOf(plan), body })
  const answer = await stage.answer(stage.as(who).call("POST", pathOf(plan), body))
  decided(play, who, chosen, answer.kind)
}

function decided(
  { stage, people }: Play,
  who: Principal,
  chosen: readonly HeldAction[],
  answer: "done" | "refused" | "unknown",
): void {
  if (answer === "refused") return
  if (who.kind !== "human") {
    if (answer === "done") stage.oracle.broken.push(`${who.kind} ${who.name} approved`)
    return
  }
  for (const { action } of chosen) {
    const given = people.get(action.digest) ?? new Set()
    people.set(action.digest, given.add(who.name))
    if (given.size < stage.required && !action.target.startsWith("policy:")) continue
    const { uid, verb, digest, token = "" } = action
    stage.oracle.approved.push({ uid, verb, digest, token, used: false })
    if (verb === "loosen") loosened(stage, action.target, uid)
  }
}

function loosened({ oracle, clock }: Stage, target: string, uid: string): void {
  const now = clock.monotonic()
  if (target.startsWith("loop:")) oracle.loops.get(target.slice(5))?.loosened(now)
  else if (target.startsWith("policy:")) oracle.policy.loosened(now)
  else oracle.protectedUids.delete(uid)
}

/** The same words again, by the same or by someone else. */
export async function replay(play: Play, random: SimRandom): Promise<void> {
  const { stage, sent } = play
  const one = random.pick(sent)
  if (one === undefined) return
  const who = random.pick([ann, bea, bot]) ?? ann
  const plan = plansOf(stage).find((known) => pathOf(known) === one.path)
  const actions = one.body.actions
  const chosen = (plan?.held ?? []).filter(
    ({ action }) => !Array.isArray(actions) || actions.includes(action.digest),
  )
  const answer = await stage.answer(stage.as(who).call("POST", one.path, one.body))
  decided(play, who, chosen, answer.kind)
}

export async function reject({ stage }: Play, random: SimRandom): Promise<void> {
  const plan = random.pick(plansOf(stage).filter(({ phase }) => phase === "Pending"))
  if (plan === undefined) return
  const body = { hash: plan.hash, decision: "reject" }
  await stage.answer(stage.as(ann).call("POST", pathOf(plan), body))
}

export async function stop({ stage }: Play, random: SimRandom): Promise<void> {
  const what: JsonObject[] = [
    {},
    { scope: "deletes" },
    { loop: random.pick(stage.loopIds) ?? "*" },
    { object: `widgets.sim.setpoint.dev/default/${random.pick(["s", "d"])}${random.below(4)}` },
  ]
  const body = random.pick(what) ?? {}
  await stage.answer(
    stage.as(random.pick([ann, bot]) ?? ann).call("POST", "/setpoint/v1/stop", body),
  )
  stage.oracle.stopped.set(stage.clock.monotonic(), stage.sim.stop.entries())
}

export async function resume({ stage }: Play): Promise<void> {
  const [entry] = stage.sim.stop.entries()
  if (entry === undefined) return
  const { loop, object, scope } = entry
  const body = object === undefined ? { loop, scope } : { object, scope }
  stage.oracle.stopped.set(stage.clock.monotonic(), [])
  await stage.answer(stage.as(ann).call("POST", "/setpoint/v1/resume", body))
  stage.oracle.stopped.set(stage.clock.monotonic(), stage.sim.stop.entries())
}

export async function glass({ stage }: Play, random: SimRandom): Promise<void> {
  const loop = random.pick(stage.loopIds) ?? ""
  const deletes = 1 + random.below(3)
  const long = 1 + random.below(4)
  const from = stage.clock.monotonic()
  const body = { loop, reason: "it burns", deletes, for: `${long}m` }
  const who = random.pick([ann, ann, ann, bot, cron]) ?? ann
  const answer = await stage.answer(stage.as(who).call("POST", "/setpoint/v1/break-glass", body))
  if (answer.kind === "refused") return
  if (who.kind !== "human") stage.oracle.broken.push(`${who.kind} broke a glass`)
  stage.oracle.loops.get(loop)?.glasses.push({ from, until: from + long * minute, deletes })
}
