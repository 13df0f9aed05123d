// A fleet of processes in memory, as a plane and the kind Process would run them: what a composer
// says is written to it, whole or cut off anywhere, and time makes replicas ready, or never. For
// tests of the composer only.

import { keyedHash } from "../../../../base/hash.ts"
import type { Json, JsonObject } from "../../../../base/json.ts"
import type { Composition } from "../../../../contract/composite.ts"
import type { ApiObject } from "../../../../object/object.ts"
import { composeSet, type SetSpec } from "../compose-set.ts"
import { isServing } from "../replica.ts"

/** How the programs of one version behave, as the last word of its command names it. */
export type Behaviour = "good" | "never" | "flaps"

interface Running {
  object: ApiObject
  readonly behaviour: Behaviour
  readyAt: number
  /** Ready since then. */
  since?: number
  /** Set when it is told to stop. */
  goneAt?: number
}

export const templateOf = (version: string, behaviour: Behaviour): JsonObject => ({
  command: ["/srv/app", version, behaviour],
})

export class SimulatedFleet {
  now = 1_700_000_000_000
  spec: SetSpec
  status: JsonObject | undefined
  readonly running = new Map<string, Running>()
  generation = 1
  /** Of the plane. */
  key = new Uint8Array(32)
  balancers: readonly ApiObject[] = []
  /** Nothing outside is done: objects are made and marked, processes neither begin nor end. */
  frozen = false
  startMs = 3000
  stopMs = 2000
  /** Every revision that the set went to, in order. */
  readonly directions: string[] = []
  #flap = false

  constructor(spec: SetSpec) {
    this.spec = spec
  }

  declare(change: Partial<SetSpec>): void {
    this.spec = { ...this.spec, ...change }
    this.generation++
  }

  get objects(): ApiObject[] {
    return [...this.running.values()].map(({ object }) => object)
  }

  compose(): Composition {
    const metadata = { name: "web", namespace: "default", generation: this.generation }
    const parent = { metadata, spec: this.spec }
    const known = this.status === undefined ? {} : { status: this.status }
    const { now, objects, balancers } = this
    const hashSecret = (value: Json) => keyedHash(this.key, value)
    const input = { children: objects, related: balancers, now, hashSecret }
    const composed = composeSet({ parent: { ...parent, ...known }, ...input })
    if ("stalled" in composed) throw new Error(composed.stalled)
    return composed
  }

  /** One pass; `writesMax` writes are made and then the plane is killed. */
  pass(writesMax = Number.POSITIVE_INFINITY): Composition {
    const composed = this.compose()
    const writes = [
      ...composed.children.flatMap((child) => this.#write(child)),
      ...this.#missing(composed).map((name) => () => this.#end(name)),
      () => this.#report(composed.status),
    ]
    for (const write of writes.slice(0, writesMax)) write()
    return composed
  }

  #report(status: JsonObject): void {
    this.status = status
    const revision = String(status.revision)
    if (this.directions.at(-1) !== revision) this.directions.push(revision)
  }

  #write(child: ApiObject): (() => void)[] {
    const { name } = child.metadata
    const known = this.running.get(name)
    if (known === undefined) return [() => this.#start(child)]
    const { metadata, status } = known.object
    const object = { ...child, metadata: { ...metadata, ...child.metadata }, status: status ?? {} }
    return [
      () => {
        known.object = object
      },
    ]
  }

  #start(child: ApiObject): void {
    const behaviour = wordOf(child, 2) as Behaviour
    const object = { ...child, status: this.frozen ? {} : statusOf(undefined) }
    const readyAt = this.now + this.startMs
    this.running.set(child.metadata.name, { object, behaviour, readyAt })
  }

  #missing({ children }: Composition): string[] {
    const wanted = new Set(children.map((child) => child.metadata.name))
    return [...this.running.keys()].filter((name) => !wanted.has(name))
  }

  #end(name: string): void {
    const known = this.running.get(name)
    if (known === undefined || known.goneAt !== undefined) return
    known.goneAt = this.now + this.stopMs
    const deletionTimestamp = new Date(this.now).toISOString()
    const metadata = { ...known.object.metadata, deletionTimestamp }
    known.object = { ...known.object, metadata, status: statusOf(undefined) }
  }

  /** Time passes in the world: processes become ready, flap, and end. */
  tick(ms: number): void {
    this.now += ms
    this.#flap = !this.#flap
    for (const [name, one] of this.running) {
      if (this.frozen && (one.goneAt !== undefined || one.object.status?.outputs === undefined)) {
        continue
      }
      if (one.goneAt !== undefined) {
        if (this.now >= one.goneAt) this.running.delete(name)
        continue
      }
      const up = this.now >= one.readyAt && one.behaviour !== "never"
      const ready = up && (one.behaviour === "good" || this.#flap)
      if (ready) one.since ??= this.now
      else delete one.since
      one.object = { ...one.object, status: statusOf(one.since) }
    }
  }

  /** The process dies by itself and is started again by its provider. */
  crash(index: number): void {
    const alive = [...this.running.values()].filter((one) => one.goneAt === undefined)
    const hit = alive[index % Math.max(1, alive.length)]
    if (hit === undefined) return
    hit.readyAt = this.now + this.startMs
    delete hit.since
    hit.object = { ...hit.object, status: statusOf(undefined) }
  }

  /** Milliseconds until something happens in the world by itself. */
  get nextEventMs(): number | undefined {
    const times = [...this.running.values()].map((one) => one.goneAt ?? one.readyAt)
    const coming = times.filter((time) => time > this.now)
    return coming.length === 0 ? undefined : Math.min(...coming) - this.now
  }

  /** Ready, in service, not told to stop. */
  get serving(): number {
    return this.objects.filter(isServing).length
  }

  get versions(): string[] {
    return this.objects.map((object) => wordOf(object, 1))
  }
}

/** As the kind Process reports it. */
export function statusOf(readySince: number | undefined): JsonObject {
  const ready = readySince !== undefined
  const since = new Date(readySince ?? 0).toISOString()
  return {
    outputs: { ready },
    conditions: [{ type: "Ready", status: ready ? "True" : "False", lastTransitionTime: since }],
  }
}

function wordOf({ spec }: ApiObject, index: number): string {
  return String(Array.isArray(spec?.command) ? spec.command[index] : "")
}
