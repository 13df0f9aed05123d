// Conditions that live in a loop: each has a loop of its own on one plane, with its own folder.

import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Json, JsonObject } from "../../../src/base/json.ts"
import { loopResource, manifestText, type PlaneRig } from "../plane/plane-rig.ts"
import type { LoopView, PlanView } from "../plane/views.ts"
import { waitFor } from "../plane/wait-for.ts"
import type { Condition } from "./condition.ts"

/** A loop with a folder of manifests and one of targets. */
export class LoopRig {
  readonly rig: PlaneRig
  readonly name: string
  readonly folder: string

  constructor(rig: PlaneRig, name: string) {
    this.rig = rig
    this.name = name
    this.folder = join(rig.base, `loop-${name}`)
  }

  async make(spec: JsonObject): Promise<void> {
    mkdirSync(join(this.folder, "targets"), { recursive: true })
    mkdirSync(join(this.folder, "manifests"), { recursive: true })
    const source = { directory: { path: join(this.folder, "manifests") } }
    const metadata = { name: this.name, namespace: "default" }
    const head = { apiVersion: "setpoint.dev/v1alpha1", kind: "Loop", metadata }
    const whole = { mode: "Enforce", source, ...spec }
    await this.rig.client.create(loopResource, { ...head, spec: whole })
  }

  target(name: string): string {
    return join(this.folder, "targets", name)
  }

  manifest(name: string): string {
    return join(this.folder, "manifests", `${name}.yaml`)
  }

  files(count: number, content = "as declared\n"): string[] {
    const names = Array.from({ length: count }, (_, index) => `${this.name}-${index}`)
    for (const name of names) {
      writeFileSync(this.manifest(name), manifestText(name, { path: this.target(name), content }))
    }
    return names
  }

  knobs(count: number, connection: string): void {
    for (let index = 0; index < count; index++) {
      const name = `${this.name}-${index}`
      const spec = { folder: join(this.folder, "targets"), name, connection }
      const head = { apiVersion: "test.setpoint.dev/v1", kind: "Knob", metadata: { name } }
      writeFileSync(this.manifest(name), `${JSON.stringify({ ...head, spec })}\n`)
    }
  }

  turn(mode: "ok" | "fail" | "hang"): void {
    writeFileSync(this.target("MODE"), mode)
  }

  async look(): Promise<void> {
    await this.rig.call("POST", `look?loop=default.${this.name}`)
  }

  async view(): Promise<LoopView | undefined> {
    const { loops } = await this.rig.status()
    return loops.find(({ id }) => id === `default.${this.name}`)
  }

  converged(objects: number): Promise<number> {
    return waitFor(`loop ${this.name} converges`, async () => {
      const view = await this.view()
      const all = view?.objects === objects && view.converged === objects
      return all || `${view?.converged} of ${view?.objects} ${JSON.stringify(view?.oldest)}`
    })
  }

  async approve(): Promise<void> {
    const answer = (await this.rig.call("GET", "plans")) as object as { plans: PlanView[] }
    const mine = answer.plans.filter(({ loop }) => loop === `default.${this.name}`)
    const plan = mine.find(({ phase }) => phase === "Pending")
    if (plan !== undefined) await this.rig.decide(plan, "approve")
  }
}

const manyChanges = { changes: 10_000, shrinkPercent: 0 }

/** Makes the loops, waits until all is as declared, and says how each leaves that. */
export async function loopConditions(rig: PlaneRig): Promise<readonly Condition[]> {
  const made = async (name: string, spec: JsonObject = {}) => {
    const loop = new LoopRig(rig, name)
    await loop.make(spec)
    return loop
  }
  const stuck = await made("stuck")
  const plan = await made("plan")
  const budget = await made("budget", {
    limits: { ...manyChanges, deletes: 2, deletesPercent: 50 },
  })
  const source = await made("source", { interval: "1s" })
  const drift = await made("drift", { limits: manyChanges })
  const invariant = await made("invariant", { onDrift: "Report" })
  const breaker = await made("breaker")
  const errors = await made("errors")
  stuckFile(stuck)
  for (const loop of [plan, source]) loop.files(10)
  const [budgeted, drifting] = [budget.files(20), drift.files(60)]
  invariant.files(1, "role: admin\n")
  breaker.knobs(8, "rack")
  errors.knobs(40, "")
  const sizes = [1, 10, 20, 10, 60, 1, 8, 40]
  const loops = [stuck, plan, budget, source, drift, invariant, breaker, errors]
  for (const [index, loop] of loops.entries()) await loop.converged(sizes[index] ?? 0)
  await makeInvariant(rig)
  return [
    ...[stuckCondition(stuck), planCondition(plan), budgetCondition(budget, budgeted)],
    ...[sourceCondition(source), driftCondition(drift, drifting), adminCondition(invariant)],
    knobCondition(breaker, ["SetpointBreakerOpen"]),
    knobCondition(errors, ["SetpointProviderErrors", "SetpointObservationDoubtful"]),
  ]
}

function stuckFile(loop: LoopRig): void {
  mkdirSync(loop.target("folder"))
  const spec = { path: join(loop.target("folder"), "file"), content: "x\n" }
  writeFileSync(loop.manifest("stuck-0"), manifestText("stuck-0", spec))
}

/** Where the folder of its target was there is a file now. */
function stuckCondition(loop: LoopRig): Condition {
  const folder = loop.target("folder")
  return {
    ...{ alerts: ["SetpointLoopNotConverging"], rig: loop.rig, loop: loop.name },
    cause: () => {
      rmSync(folder, { recursive: true })
      writeFileSync(folder, "in the way\n")
    },
    undo: () => {
      rmSync(folder)
      mkdirSync(folder)
    },
    poke: () => loop.look(),
  }
}

function planCondition(loop: LoopRig): Condition {
  return {
    ...{ alerts: ["SetpointPlanWaiting"], rig: loop.rig, loop: loop.name },
    cause: () => {
      for (let index = 0; index < 5; index++) rmSync(loop.manifest(`${loop.name}-${index}`))
    },
    undo: () => loop.approve(),
  }
}

function budgetCondition(loop: LoopRig, names: readonly string[]): Condition {
  const remove = (from: number, to: number) => {
    for (const name of names.slice(from, to)) rmSync(loop.manifest(name))
  }
  return {
    ...{ alerts: ["SetpointDeleteBudgetUsedUp"], rig: loop.rig, loop: loop.name },
    cause: async () => {
      remove(0, 2)
      await waitFor(
        "two are deleted",
        () => !names.slice(0, 2).some((n) => existsSync(loop.target(n))),
      )
      remove(2, 4)
    },
    undo: () => loop.approve(),
  }
}

function sourceCondition(loop: LoopRig): Condition {
  const alerts = ["SetpointSourceNotGood", "SetpointSourceStale"]
  return {
    ...{ alerts, rig: loop.rig, loop: loop.name },
    cause: () => writeFileSync(loop.manifest("broken"), "kind: [\n"),
    undo: () => rmSync(loop.manifest("broken")),
  }
}

/** It passes by itself: the loop puts everything right at once. */
function driftCondition(loop: LoopRig, names: readonly string[]): Condition {
  return {
    ...{ alerts: ["SetpointDriftStorm"], rig: loop.rig, loop: loop.name },
    cause: () => {
      for (const name of names) writeFileSync(loop.target(name), "by somebody else\n")
    },
    undo: async () => {
      const wrong = () =>
        names.filter((n) => !readFileSync(loop.target(n), "utf8").startsWith("as"))
      await waitFor("all is as declared", () => wrong().length === 0 || wrong().join())
    },
  }
}

function adminCondition(loop: LoopRig): Condition {
  const write = (role: string) => writeFileSync(loop.target("invariant-0"), `role: ${role}\n`)
  return {
    ...{ alerts: ["SetpointInvariantBroken"], rig: loop.rig, loop: loop.name },
    cause: () => write("user"),
    undo: () => write("admin"),
    poke: () => loop.look(),
  }
}

async function makeInvariant(rig: PlaneRig): Promise<Json> {
  const resource = { group: "setpoint.dev", version: "v1alpha1", resource: "invariants" }
  const made = await rig.client.create(resource, {
    apiVersion: "setpoint.dev/v1alpha1",
    kind: "Invariant",
    metadata: { name: "one-admin", namespace: "default" },
    spec: {
      loop: "invariant",
      kinds: ["File"],
      expression: 'objects.exists(o, o.spec.content.contains("role: admin"))',
    },
  })
  return made.metadata.name
}

export function knobCondition(
  loop: LoopRig,
  alerts: readonly string[],
  mode: "fail" | "hang" = "fail",
): Condition {
  return {
    ...{ alerts, rig: loop.rig, loop: loop.name },
    cause: () => loop.turn(mode),
    undo: () => loop.turn("ok"),
    poke: () => loop.look(),
  }
}
