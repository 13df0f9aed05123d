// A pool with its objects in memory: what compose says is written as the plane would write it, and
// the processes do what they are told after a tick. Time moves only when told.

import { equalJson, type Json, type JsonObject } from "../../../base/json.ts"
import type { Composition, NoComposition, RefusedChild } from "../../../contract/composite.ts"
import type { ApiObject } from "../../../object/object.ts"
import { gpuPool } from "../quota-kinds.ts"
import { wantedState } from "../workload-children.ts"

const group = "gpu.setpoint.dev/v1alpha1"

export class SimulatedPool {
  now = Date.parse("2030-01-01T00:00:00Z")
  readonly related: ApiObject[] = []
  children: ApiObject[] = []
  stalled: string | undefined
  status: JsonObject = {}
  againMs: number | undefined
  /** Everything that was written, in order, for people to read. */
  readonly log: string[] = []
  /** Processes with these names do not stop: their guard holds the act. */
  readonly held = new Set<string>()
  /** What a finished run of this process ends with; those that are not here go on. */
  readonly ends = new Map<string, "Completed" | "Failed">()
  /** Why the API would not take this process, as it takes everything but what a test says. */
  refuses: (child: ApiObject) => string | undefined = () => undefined
  #made = 0

  add(kind: string, name: string, spec: JsonObject): ApiObject {
    const object: ApiObject = {
      ...{ apiVersion: group, kind, spec: { pool: "p", ...spec } },
      metadata: {
        ...{ name, uid: `uid-${this.#made++}`, generation: 1 },
        creationTimestamp: new Date(this.now).toISOString(),
      },
    }
    this.related.push(object)
    return object
  }

  tenant(name: string, nominal: number, more: JsonObject = {}): void {
    const quota = { nominal, guaranteed: 0, borrowLimit: 0, weight: 1, ...more }
    const times = { minRuntimeSeconds: 0, reclaimGraceSeconds: 60 }
    this.add("Tenant", name, { quota: { a100: quota }, ...times })
  }

  node(name: string, gpus: number, more: JsonObject = {}): void {
    const spec = { simulated: true, cordoned: false, outOfService: false, ...more }
    this.add("GpuNode", name, { flavor: "a100", gpus, ...spec })
  }

  /** A sign of life of this node. */
  hear(name: string): void {
    const renewTime = new Date(this.now).toISOString()
    const lease = `gpunode-${name}`
    if (this.find("Lease", lease) === undefined) this.add("Lease", lease, { renewTime })
    else this.change("Lease", lease, () => ({ renewTime }))
  }

  workload(name: string, tenant: string, more: JsonObject = {}): void {
    this.add("Workload", name, {
      ...{ tenant, flavor: "a100", priority: 0, gpus: 1, members: 1, preemptible: true },
      process: { command: ["sleep", "1000"], restart: "OnFailure" },
      ...more,
    })
  }

  change(kind: string, name: string, change: (spec: JsonObject) => JsonObject): void {
    const index = this.#indexOf(kind, name)
    const object = this.related[index]
    if (object !== undefined) this.related[index] = { ...object, spec: change(object.spec ?? {}) }
  }

  remove(kind: string, name: string): void {
    this.related.splice(this.#indexOf(kind, name), 1)
  }

  #indexOf(kind: string, name: string): number {
    return this.related.findIndex((one) => one.kind === kind && one.metadata.name === name)
  }

  find(kind: string, name: string): ApiObject | undefined {
    return this.related[this.#indexOf(kind, name)]
  }

  phase(name: string): Json | undefined {
    return this.find("Workload", name)?.status?.phase
  }

  inPhase(phase: string): string[] {
    const own = this.related.filter(({ kind }) => kind === "Workload")
    return own.filter(({ status }) => status?.phase === phase).map(({ metadata }) => metadata.name)
  }

  child(name: string): ApiObject | undefined {
    return this.children.find(({ metadata }) => metadata.name === name)
  }

  /**
   * Composes, writes and lets processes act, until nothing is written; then a little time goes
   * by.
   */
  settle(seconds = 1, passesMax = 50): number {
    let writes = 0
    for (let pass = 0; pass < passesMax; pass++) {
      const written = this.compose() + this.act()
      writes += written
      if (written === 0) break
    }
    this.now += seconds * 1000
    return writes
  }

  /** How many objects were written; with a limit, the plane dies after that many. */
  compose(writesMax = Number.POSITIVE_INFINITY): number {
    const parent: ApiObject = {
      ...{ apiVersion: group, kind: "GpuPool", metadata: { name: "p", uid: "pool" } },
      spec: { heartbeatSeconds: 60, cooldownSeconds: 30 },
    }
    const related = [...this.related]
    const { children, now } = this
    let refused: RefusedChild[] = []
    let answer = gpuPool.compose({ parent, children, related, now, refused })
    for (let more = this.#refusals(answer); more.length > 0; more = this.#refusals(answer)) {
      refused = [...refused, ...more]
      answer = gpuPool.compose({ parent, children, related, now, refused })
    }
    this.stalled = "stalled" in answer ? answer.stalled : undefined
    if ("stalled" in answer) return 0
    this.status = answer.status
    this.againMs = answer.againMs
    const gone = this.children.length
    const named = [...answer.children, ...refused.map(({ object }) => object)]
    const wanted = new Set(named.map(({ metadata }) => metadata.name))
    this.children = this.children.filter(({ metadata }) => wanted.has(metadata.name))
    let writes = gone - this.children.length
    for (const child of answer.children) {
      if (writes < writesMax) writes += this.#write(child)
    }
    for (const { object, status } of answer.reports ?? []) {
      if (writes < writesMax) writes += this.#report(object, status)
    }
    return writes
  }

  #refusals(answer: Composition | NoComposition): RefusedChild[] {
    if ("stalled" in answer) return []
    return [...answer.children, ...(answer.tries ?? [])].flatMap((object) => {
      const message = this.refuses(object)
      return message === undefined ? [] : [{ object, message }]
    })
  }

  #write(manifest: ApiObject): number {
    const index = this.children.findIndex((one) => one.metadata.name === manifest.metadata.name)
    const old = this.children[index]
    const { generation = 0, uid = `uid-${this.#made++}` } = old?.metadata ?? {}
    if (old !== undefined && equalJson(old.spec, manifest.spec)) {
      const marks = [old, manifest].map(({ metadata }) => metadata.annotations as JsonObject)
      if (equalJson(marks[0], marks[1])) return 0
    }
    const metadata = { ...manifest.metadata, uid, generation: generation + 1 }
    const next = { ...manifest, metadata, ...(old?.status ? { status: old.status } : {}) }
    if (index < 0) this.children.push(next)
    else this.children[index] = next
    this.log.push(`${manifest.metadata.name} ${String(wantedState(manifest))}`)
    return 1
  }

  #report(object: ApiObject, status: JsonObject): number {
    const index = this.#indexOf(object.kind, object.metadata.name)
    const old = this.related[index]
    if (old === undefined || equalJson(old.status, status)) return 0
    this.related[index] = { ...old, status }
    if (object.kind === "Workload" && old.status?.phase !== status.phase) {
      this.log.push(`${object.metadata.name} is ${String(status.phase)}`)
    }
    return 1
  }

  /** Processes become what they are told to be, those that are `due` in this moment. */
  act(due: (name: string) => boolean = () => true): number {
    let changes = 0
    this.children = this.children.map((child) => {
      if (this.held.has(child.metadata.name) || !due(child.metadata.name)) return child
      const wanted = wantedState(child) === "Running" ? "Running" : "Stopped"
      const end = wanted === "Running" ? this.ends.get(child.metadata.name) : undefined
      const before = child.status?.outputs as JsonObject | undefined
      const sameRun = child.status?.observedGeneration === child.metadata.generation
      const startedAt = sameRun ? before?.startedAt : new Date(this.now).toISOString()
      const status: JsonObject = {
        observedGeneration: child.metadata.generation,
        outputs: { phase: end ?? wanted, ...(startedAt === undefined ? {} : { startedAt }) },
        conditions: [{ type: "Ready", status: end === "Failed" ? "False" : "True" }],
      }
      if (equalJson(child.status, status)) return child
      changes++
      return { ...child, status }
    })
    return changes
  }
}
