// Event objects for what people want to hear of. The same reason about the same object is one
// event whose count grows, written at most once a minute; only the newest are kept. Recording
// never waits, never fails a caller, sets no timer, and writes nothing when nothing happened.

import { type Clock, toTimestamp } from "../base/clock.ts"
import { toFault } from "../base/faults.ts"
import { sha256 } from "../base/hash.ts"
import { loopId } from "../contract/loop.ts"
import { enginePrincipal } from "../contract/principal.ts"
import type { Verbs } from "../contract/verbs.ts"
import { type ApiObject, revisionAnnotation, setpointGroup } from "../object/object.ts"

export interface EventSubject {
  readonly apiVersion: string
  readonly kind: string
  /** "" for cluster-scoped ones; their events lie in `default`. */
  readonly namespace: string
  readonly name: string
  readonly uid?: string
}

export interface EventNote {
  readonly type: "Normal" | "Warning"
  /** CamelCase. */
  readonly reason: string
  readonly message: string
  readonly about: EventSubject
  /** Whose source revision it carries, when it is not about a loop itself. */
  readonly loop?: string
}

export interface EventRecorderPorts {
  readonly clock: Clock
  /** Revision of a loop's source that is in force. */
  revisionOf?(loop: string): string | undefined
  verbs(): Pick<Verbs, "create" | "delete" | "get" | "list" | "patch">
  failed(error: unknown): void
}

interface Known {
  readonly namespace: string
  readonly name: string
  count: number
  writtenAt: number
}

export const eventResource = { group: "", version: "v1", resource: "events" } as const
export const eventsKept = 1000

const component = "setpoint"
const quietMs = 60_000
const waitingMax = 500
const messageMax = 1000

export class EventRecorder {
  readonly #ports: EventRecorderPorts
  /** In the order of their last write, the oldest first; undefined until the store was read. */
  #known: Map<string, Known> | undefined
  #work: Promise<void> = Promise.resolve()
  #waiting = 0
  #closed = false

  constructor(ports: EventRecorderPorts) {
    this.#ports = ports
  }

  /** Answers at once; more than can be written in time is left out. */
  note(note: EventNote): void {
    if (this.#closed || this.#waiting >= waitingMax) return
    this.#waiting++
    this.#work = this.#work
      .then(() => this.#record(note))
      .catch((error) => {
        if (!this.#closed) this.#ports.failed(error)
      })
    void this.#work.then(() => this.#waiting--)
  }

  /** Resolves when everything that was noted is written. */
  settled(): Promise<void> {
    return this.#work
  }

  async close(): Promise<void> {
    this.#closed = true
    await this.#work
  }

  async #record(note: EventNote): Promise<void> {
    this.#known ??= await this.#read()
    const { about } = note
    const namespace = about.namespace === "" ? "default" : about.namespace
    const id = `${about.kind}/${about.name}/${note.reason}`
    const name = `${about.name.slice(0, 200)}.${sha256(`${about.apiVersion}/${id}`).slice(0, 12)}`
    const key = `${namespace}/${name}`
    const known = this.#known.get(key)
    const now = this.#ports.clock.now()
    if (known === undefined) {
      if (!(await this.#create(note, namespace, name, now))) return
      this.#known.set(key, { namespace, name, count: 1, writtenAt: now })
      await this.#prune()
      return
    }
    known.count++
    if (now - known.writtenAt < quietMs) return
    await this.#again(note, known, now)
    known.writtenAt = now
    this.#known.delete(key)
    this.#known.set(key, known)
  }

  /** False when its namespace is gone or going: there is nobody to tell. */
  async #create(note: EventNote, namespace: string, name: string, now: number): Promise<boolean> {
    const at = toTimestamp(now)
    const { about } = note
    const event: ApiObject = {
      apiVersion: "v1",
      kind: "Event",
      metadata: { name, namespace, ...this.#revision(note) },
      involvedObject: { ...about, ...(about.uid === undefined ? {} : { uid: about.uid }) },
      reason: note.reason,
      message: note.message.slice(0, messageMax),
      type: note.type,
      count: 1,
      firstTimestamp: at,
      lastTimestamp: at,
      reportingComponent: component,
      source: { component },
    }
    try {
      await this.#ports.verbs().create(enginePrincipal, eventResource, event)
      return true
    } catch (error) {
      const { status } = toFault(error)
      if (status === 403 || status === 404 || status === 409) return false
      throw error
    }
  }

  async #again(note: EventNote, { namespace, name, count }: Known, now: number): Promise<void> {
    const patch = {
      metadata: this.#revision(note),
      count,
      lastTimestamp: toTimestamp(now),
      message: note.message.slice(0, messageMax),
      type: note.type,
    }
    try {
      const ref = { ...eventResource, namespace, name }
      await this.#ports.verbs().patch(enginePrincipal, ref, "merge", patch)
    } catch (error) {
      if (toFault(error).status !== 404) throw error
      this.#known?.delete(`${namespace}/${name}`) // Someone deleted it; the next one is new.
    }
  }

  #revision({ about, loop }: EventNote): { annotations?: Record<string, string> } {
    const isLoop = about.kind === "Loop" && about.apiVersion.startsWith(`${setpointGroup}/`)
    const id = loop ?? (isLoop ? loopId(about.namespace, about.name) : "")
    const revision = this.#ports.revisionOf?.(id)
    return revision === undefined ? {} : { annotations: { [revisionAnnotation]: revision } }
  }

  async #prune(): Promise<void> {
    const known = this.#known ?? new Map<string, Known>()
    for (const [key, { namespace, name }] of known) {
      if (known.size <= eventsKept) return
      known.delete(key)
      try {
        await this.#ports.verbs().delete(enginePrincipal, { ...eventResource, namespace, name })
      } catch (error) {
        if (toFault(error).status !== 404) throw error
      }
    }
  }

  /** What earlier runs of this plane recorded. */
  async #read(): Promise<Map<string, Known>> {
    const found: [string, Known][] = []
    let token: string | undefined
    do {
      const options = { limit: 500, ...(token === undefined ? {} : { continue: token }) }
      const page = await this.#ports.verbs().list(enginePrincipal, eventResource, options)
      for (const { metadata, count, lastTimestamp, reportingComponent } of page.items) {
        if (reportingComponent !== component) continue
        const { name, namespace = "" } = metadata
        const writtenAt = Date.parse(String(lastTimestamp)) || 0
        const times = typeof count === "number" ? count : 1
        found.push([`${namespace}/${name}`, { namespace, name, count: times, writtenAt }])
      }
      token = page.continue
    } while (token !== undefined)
    return new Map(found.sort(([, left], [, right]) => left.writtenAt - right.writtenAt))
  }
}
