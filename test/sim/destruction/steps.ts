// What can happen in a random life: people, services, agents, sources, drift, faults, clocks and
// crashes. Each step draws from its own seed, so that leaving one out changes no other. A step does
// something and tells the oracle what a person decided; it judges nothing.

import type { JsonObject } from "../../../src/base/json.ts"
import type { Principal } from "../../../src/contract/principal.ts"
import { type ApiObject, protectAnnotation } from "../../../src/object/object.ts"
import type { SimFaultRule } from "../../../src/sim/sim-faults.ts"
import type { SimRandom } from "../../../src/sim/sim-random.ts"
import { ann, bot, cron, widget, widgets } from "../site.ts"
import { approve, glass, reject, replay, resume, stop } from "./decisions.ts"
import type { Declared, Play } from "./play.ts"
import type { Mode } from "./rules.ts"
import { limitJson, minute, randomLimit, randomPolicy, type Stage } from "./stage.ts"

export type StepKind = keyof typeof steps

export const steps = {
  edit,
  prune,
  apiEdit,
  apiDelete,
  burst,
  late,
  collection,
  drift,
  fault,
  calm,
  sourceFails,
  approve,
  approve2: approve,
  replay,
  reject,
  limits,
  mode,
  policy,
  protection,
  restart,
  crash,
  jump,
  wait,
  stop,
  resume,
  glass,
} as const satisfies Record<string, (play: Play, random: SimRandom) => Promise<void>>

const weights: Partial<Record<StepKind, number>> = {
  edit: 7,
  prune: 5,
  apiEdit: 6,
  apiDelete: 6,
  burst: 5,
  late: 2,
  drift: 3,
  fault: 3,
  approve: 3,
  restart: 2,
  crash: 3,
  jump: 3,
  wait: 3,
  resume: 2,
}

export const stepKinds: readonly StepKind[] = (Object.keys(steps) as StepKind[]).flatMap((kind) =>
  Array<StepKind>(weights[kind] ?? 1).fill(kind),
)

export function randomSpec(random: SimRandom): JsonObject {
  const rules = ["ssh", "web", "dns"].filter(() => random.chance(0.5))
  return {
    size: 1 + random.below(3),
    color: random.pick(["red", "blue"]) ?? "red",
    ...(random.chance(0.6) ? { replicas: random.below(4) } : {}),
    ...(random.chance(0.5) ? { ttl: 10 * (1 + random.below(3)) } : {}),
    ...(random.chance(0.5) ? { tags: ["a", "b"].slice(random.below(2)) } : {}),
    ...(rules.length > 0 ? { rules: rules.map((name) => ({ name, port: 1 })) } : {}),
  }
}

/** Less of something that is there: what destroys by effect. */
function lessOf(spec: JsonObject, random: SimRandom): JsonObject {
  const { tags, rules, replicas, ttl, color } = spec
  const { tags: _tags, ...untagged } = spec
  const { rules: _rules, ...unruled } = spec
  const ways: JsonObject[] = [
    { ...spec, color: color === "red" ? "blue" : "red" },
    { ...spec, size: random.below(5) },
    ...(Number(replicas ?? 0) > 0 ? [{ ...spec, replicas: 0 }] : []),
    ...(Number(ttl ?? 0) > 5 ? [{ ...spec, ttl: 5 }] : []),
    ...(isFilled(rules) ? [{ ...spec, rules: rules.slice(1) }, unruled] : []),
    ...(isFilled(tags) ? [{ ...spec, tags: [] }, untagged] : []),
  ]
  return random.pick(ways) ?? spec
}

const isFilled = (value: unknown): value is JsonObject[] => Array.isArray(value) && value.length > 0

function objectOf(name: string, { spec, protect }: Declared): ApiObject {
  const object = widget(name, spec)
  if (!protect) return object
  return {
    ...object,
    metadata: { ...object.metadata, annotations: { [protectAnnotation]: "true" } },
  }
}

export function declareAll({ stage, source }: Play): void {
  stage.sim.source.declare([...source].map(([name, one]) => objectOf(name, one)))
}

async function edit(play: Play, random: SimRandom): Promise<void> {
  if (!play.stage.hasSource) return apiEdit(play, random)
  const name = random.pick([...play.source.keys()])
  const known = name === undefined ? undefined : play.source.get(name)
  if (name === undefined || known === undefined || random.chance(0.25)) {
    const protect = random.chance(0.1)
    play.source.set(`s${random.below(8)}`, { spec: randomSpec(random), protect })
  } else play.source.set(name, { ...known, spec: lessOf(known.spec, random) })
  declareAll(play)
}

async function prune(play: Play, random: SimRandom): Promise<void> {
  if (!play.stage.hasSource) return apiDelete(play, random)
  const all = random.chance(0.1)
  for (const name of [...play.source.keys()]) {
    if (all || random.chance(0.35)) play.source.delete(name)
  }
  declareAll(play)
}

async function apiEdit({ stage, api }: Play, random: SimRandom): Promise<void> {
  const name = random.pick([...api.keys()])
  const known = name === undefined ? undefined : api.get(name)
  const create = name === undefined || known === undefined || random.chance(0.3)
  const at = create ? `d${random.below(6)}` : name
  const protect = random.chance(0.1)
  const one = create
    ? { spec: randomSpec(random), protect }
    : { ...known, spec: lessOf(known.spec, random) }
  api.set(at, one)
  const who = random.pick([ann, ann, cron, bot]) ?? ann
  await apply(stage, objectOf(at, one), who)
}

async function apply(stage: Stage, object: ApiObject, who: Principal): Promise<void> {
  await stage.answer(applied(stage, object, who))
}

function applied(stage: Stage, object: ApiObject, who: Principal): Promise<ApiObject> {
  const namespaced = { ...object, metadata: { ...object.metadata, namespace: "default" } }
  const options = { fieldManager: "people", force: true }
  return stage.as(who).apply(widgets, namespaced, options)
}

async function apiDelete({ stage, api, source }: Play, random: SimRandom): Promise<void> {
  const name = random.pick([...api.keys(), ...(random.chance(0.1) ? source.keys() : [])])
  if (name === undefined) return
  const who = random.pick([ann, ann, cron, bot]) ?? ann
  const ref = { ...widgets, namespace: "default", name }
  const known = await stage.answer(stage.as(ann).get(ref))
  const uid =
    known.kind === "done" ? (known.value as ApiObject | undefined)?.metadata.uid : undefined
  // Before it is asked for: nobody knows what a request without an answer did.
  const noted = who.kind === "human" && uid !== undefined && !stage.oracle.plain.has(uid)
  if (noted) stage.oracle.plain.add(uid)
  const answer = await stage.answer(stage.as(who).delete(ref))
  if (noted && answer.kind === "refused") stage.oracle.plain.delete(uid)
  if (answer.kind === "done") api.delete(name)
}

/** Deletes and edits that destroy, at nearly the same instant, in all loops. */
async function burst(play: Play, random: SimRandom): Promise<void> {
  const { stage, api } = play
  const sent: Promise<void>[] = []
  const send = (task: () => Promise<unknown>) =>
    sent.push(
      new Promise((resolve) => {
        const run = () =>
          void task().then(
            () => resolve(),
            () => resolve(),
          )
        stage.clock.after(random.pick([0, 0, 50, 50, 51, 100]) ?? 0, run)
      }),
    )
  const objects = await stage.objects()
  for (const [name, known] of [...api]) {
    const uid = objects.find(({ metadata }) => metadata.name === name)?.metadata.uid
    if (random.chance(0.5)) {
      const one = { ...known, spec: lessOf(known.spec, random) }
      api.set(name, one)
      send(() => applied(stage, objectOf(name, one), cron))
    } else if (random.chance(0.6) && uid !== undefined) {
      const who = random.pick([ann, cron]) ?? ann
      if (who === ann) stage.oracle.plain.add(uid)
      send(() => stage.as(who).delete({ ...widgets, namespace: "default", name }))
    }
  }
  if (stage.hasSource && random.chance(0.7)) await (random.chance(0.5) ? edit : prune)(play, random)
  await stage.answer(Promise.all(sent))
}

/** Deletes that are permitted window by window, and then happen all at once. */
async function late(play: Play, random: SimRandom): Promise<void> {
  const { stage } = play
  const stopping = { loop: "default.default", scope: "deletes" }
  await stage.answer(stage.as(ann).call("POST", "/setpoint/v1/stop", stopping))
  stage.oracle.stopped.set(stage.clock.monotonic(), stage.sim.stop.entries())
  const windowMs = stage.oracle.loops.get("default.default")?.limit.now.windowMs ?? minute
  for (let count = 1 + random.below(3); count > 0; count--) {
    await apiDelete(play, random)
    await stage.clock.advance(windowMs + 1000)
  }
  stage.oracle.stopped.set(stage.clock.monotonic(), [])
  await stage.answer(stage.as(ann).call("POST", "/setpoint/v1/resume", stopping))
  stage.oracle.stopped.set(stage.clock.monotonic(), stage.sim.stop.entries())
}

async function collection({ stage, api }: Play, random: SimRandom): Promise<void> {
  const who = random.pick([ann, cron, bot]) ?? ann
  const answer = await stage.answer(
    stage.as(who).deleteCollection(widgets, { namespace: "default" }),
  )
  if (answer.kind === "done") api.clear()
}

async function drift({ stage }: Play, random: SimRandom): Promise<void> {
  const { world } = stage
  if (random.chance(0.15)) {
    const identity = `${random.pick(["s", "d"])}${random.below(8)}`
    if (world.find(identity).length > 0) return
    const value = { name: identity, ...randomSpec(random) }
    world.create({ identity, scope: "all", value }, "somebody")
    return
  }
  const all = random.chance(0.1)
  for (const { identity, value } of world.targets()) {
    if (!all && random.chance(0.6)) continue
    if (world.find(identity).length !== 1) continue
    if (all || random.chance(0.3)) world.remove(identity)
    else world.edit(identity, driftOf(value, random))
  }
}

/** More or other of what we declared: putting it back may destroy. Nothing that is only theirs. */
function driftOf(value: JsonObject, random: SimRandom): JsonObject {
  const rules = Array.isArray(value.rules) ? value.rules : []
  const ways: JsonObject[] = [
    { size: 9 },
    { color: "green" },
    ...(value.replicas === undefined ? [] : [{ replicas: 3 }]),
    ...(value.ttl === undefined ? [] : [{ ttl: 99 }]),
    ...(rules.length === 0 ? [] : [{ rules: rules.slice(1) }]),
    ...(value.tags === undefined ? [] : [{ tags: [] }]),
  ]
  return random.pick(ways) ?? {}
}

const rules: readonly SimFaultRule[] = [
  ...(
    [
      "lieEmpty",
      "partialList",
      "partialList",
      "serverError",
      "unauthorized",
      "stale",
      "hang",
      "slow",
    ] as const
  ).map(
    (how): SimFaultRule => ({ how, on: ["observe", "list"], ms: how === "stale" ? 20_000 : 2000 }),
  ),
  ...(
    ["lostReply", "hangAfter", "serverError", "refused", "late", "throttled", "hang"] as const
  ).map((how): SimFaultRule => ({ how, on: ["create", "update", "delete", "batch"], ms: 9000 })),
]

async function fault({ stage }: Play, random: SimRandom): Promise<void> {
  const rule = random.pick(rules)
  if (rule !== undefined) stage.world.faults.add({ ...rule, times: 1 + random.below(6) })
}

async function calm({ stage }: Play): Promise<void> {
  stage.world.faults.calm()
}

async function sourceFails(play: Play, random: SimRandom): Promise<void> {
  if (random.chance(0.5))
    play.stage.sim.source.fail("broken", random.chance(0.5) ? "invalid" : "unreadable")
  else declareAll(play)
}

async function limits({ stage }: Play, random: SimRandom): Promise<void> {
  const id = random.pick(stage.loopIds) ?? ""
  const limit = randomLimit(random)
  const { oracle, clock } = stage
  oracle.judge()
  oracle.loops.get(id)?.declare(clock.monotonic(), limit, oracle.ownsAny(id))
  await stage.putLoop(id, { limits: limitJson(limit) })
}

async function mode({ stage }: Play, random: SimRandom): Promise<void> {
  const id = random.pick(stage.loopIds) ?? ""
  const next = random.pick<Mode>(["Observe", "Propose", "Enforce", "Enforce"]) ?? "Enforce"
  const before = stage.oracle.loops.get(id)?.mode.now ?? "Enforce"
  const answer = await stage.putLoop(id, { mode: next })
  await stage.clock.advance(20)
  const holds = answer.kind === "refused" ? before : next
  if (answer.kind === "refused") await stage.putLoop(id, { mode: before })
  stage.oracle.loops.get(id)?.mode.set(stage.clock.monotonic(), holds)
}

async function policy({ stage }: Play, random: SimRandom): Promise<void> {
  if (stage.oracle.policy.declared !== undefined && random.chance(0.3)) await stage.dropPolicy()
  else await stage.putPolicy(randomPolicy(random))
}

/** Protects one, or takes that away. */
async function protection(play: Play, random: SimRandom): Promise<void> {
  const { stage, source, api } = play
  const from = stage.hasSource && random.chance(0.5) ? source : api
  const name = random.pick([...from.keys()])
  const known = name === undefined ? undefined : from.get(name)
  if (name === undefined || known === undefined) return
  const one = { ...known, protect: !known.protect }
  from.set(name, one)
  if (from === source) declareAll(play)
  else await apply(stage, objectOf(name, one), ann)
}

async function restart({ stage }: Play, random: SimRandom): Promise<void> {
  await stage.sim.stopPlane()
  await goneFor(stage, random)
}

async function goneFor(stage: Stage, random: SimRandom): Promise<void> {
  if (random.chance(0.3)) await stage.clock.advance(random.below(5 * minute))
  if (random.chance(0.2)) stage.clock.jumpWall((random.below(7) - 3) * 60 * minute)
  if (random.chance(0.2)) stage.clock.reboot()
  await stage.start()
}

/** At one of the next things that pass between the plane and its ports. */
async function crash(play: Play, random: SimRandom): Promise<void> {
  const { stage } = play
  stage.witness.arm(1 + random.below(25), () => stage.crash())
  const cause = random.pick([edit, prune, apiEdit, apiDelete, drift, approve]) ?? edit
  await cause(play, random)
  await stage.clock.runUntil(() => stage.crashed, { maxMs: 1 + random.below(3000) })
  stage.witness.disarm()
  stage.crash()
  stage.crashes++
  await goneFor(stage, random)
}

async function jump({ stage }: Play, random: SimRandom): Promise<void> {
  stage.clock.jumpWall((random.below(13) - 6) * 30 * minute)
}

async function wait({ stage }: Play, random: SimRandom): Promise<void> {
  await stage.clock.advance(random.below(12 * minute))
}
