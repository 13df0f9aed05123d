// One random life from one seed: a stage, some steps, and after each the oracle. A life that broke
// a rule can be lived again with fewer steps, until none can be left out.

import { SimRandom } from "../../../src/sim/sim-random.ts"
import { bot } from "../site.ts"
import type { Play } from "./play.ts"
import { Stage } from "./stage.ts"
import { declareAll, randomSpec, type StepKind, stepKinds, steps } from "./steps.ts"

export interface Step {
  readonly kind: StepKind
  readonly seed: number
}

export interface Life {
  readonly seed: number
  readonly steps: readonly Step[]
  readonly broken: readonly string[]
  readonly cases: number
  readonly rounds: number
  readonly acts: number
  readonly destructions: number
  readonly approved: number
  readonly crashes: number
  readonly stage: Stage
}

export function stepsOf(seed: number): Step[] {
  const random = new SimRandom(seed * 7919 + 13)
  return Array.from({ length: 4 + random.below(9) }, () => ({
    kind: random.pick(stepKinds) ?? "wait",
    seed: random.below(1_000_000_000),
  }))
}

export async function live(seed: number, chosen: readonly Step[] = stepsOf(seed)): Promise<Life> {
  const random = new SimRandom(seed)
  const stage = new Stage(seed, random)
  const play: Play = { stage, source: new Map(), api: new Map(), sent: [], people: new Map() }
  await stage.open(random)
  await settleIn(play, random)
  let cases = 0
  for (const step of chosen) {
    await take(play, step)
    cases++
    if (stage.oracle.broken.length > 0) break
  }
  const { oracle, witness } = stage
  const approved = oracle.destructions.filter((one) => one.approved).length
  return {
    ...{ seed, steps: chosen, broken: oracle.broken, cases, approved },
    rounds: witness.rounds,
    acts: oracle.acts,
    destructions: oracle.destructions.length,
    crashes: stage.crashes,
    stage,
  }
}

/** A few objects to begin with. */
async function settleIn(play: Play, random: SimRandom): Promise<void> {
  const { stage, source, api } = play
  const one = () => ({ spec: randomSpec(random), protect: random.chance(0.15) })
  if (stage.hasSource) {
    for (let index = 0; index < 2 + random.below(4); index++) source.set(`s${index}`, one())
    declareAll(play)
  }
  const count = stage.hasSource ? 1 + random.below(3) : 2 + random.below(4)
  for (let index = 0; index < count; index++) {
    await steps.apiEdit({ ...play, api }, new SimRandom(random.below(1_000_000)))
  }
  await stage.clock.advance(1500)
  noteProtected(play)
  stage.oracle.judge()
}

async function take(play: Play, { kind, seed }: Step): Promise<void> {
  const { stage } = play
  const random = new SimRandom(seed)
  await steps[kind](play, random)
  noteProtected(play)
  const look = random.chance(0.3)
  if (look) await stage.answer(stage.as(bot).call("POST", "/setpoint/v1/look"))
  await stage.clock.advance(random.chance(0.8) ? random.below(4000) : random.below(120_000))
  noteProtected(play)
  stage.oracle.judge()
}

/** From when the plane has noticed it; only a person takes that away again. */
function noteProtected({ stage, source, api }: Play): void {
  const { inventory } = stage.sim.plane.engine.ledger
  for (const [name, { protect }] of [...source, ...api]) {
    const uid = stage.uidOf(name)
    if (protect && uid !== undefined && inventory.isProtected(uid)) {
      stage.oracle.protectedUids.add(uid)
    }
  }
}

/** The fewest steps that still break a rule. */
export async function shrink(life: Life): Promise<Life> {
  let least = life
  for (let size = Math.ceil(life.steps.length / 2); size >= 1; size = size === 1 ? 0 : size >> 1) {
    for (let start = 0; start < least.steps.length; ) {
      const fewer = least.steps.filter((_, index) => index < start || index >= start + size)
      const tried = await live(life.seed, fewer)
      if (tried.broken.length > 0) least = tried
      else start += size
    }
  }
  return least
}

export function tell({ seed, steps: taken, broken }: Life): string {
  const list = taken.map(({ kind, seed: own }) => `${kind}(${own})`).join(" ")
  return `seed ${seed}: ${broken.join("; ")}\n  after ${list}`
}
