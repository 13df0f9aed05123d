// Tells people of alarms through Notifier objects. What was told stands in the notifier's status,
// and what is true now is compared with it: so nothing is told twice, also after a restart, and
// nothing is forgotten while the other side does not answer. One message at a time per notifier.

import { withDeadline } from "../base/async.ts"
import { type Clock, type Timer, toTimestamp } from "../base/clock.ts"
import { toFault } from "../base/faults.ts"
import { at, equalJson, isArray, isObject, type Json, type JsonObject } from "../base/json.ts"
import { Secret } from "../base/secret.ts"
import { type Alarm, alarmTypes, type SendMessage } from "../contract/notification.ts"
import type { ApiObject } from "../object/object.ts"
import { controllerFault } from "./faults.ts"
import {
  endedOf,
  messageBody,
  type News,
  newsOf,
  nextNewsAt,
  remember,
  type Told,
} from "./notification.ts"
import { type NotifierSpec, notifierSpecOf, type SecretKeyRef } from "./notifier-spec.ts"

export interface NotifierKeeperPorts {
  readonly clock: Clock
  readonly plane: string
  readonly send: SendMessage
  /** Everything that is wrong now; `namespace` is the notifier's. */
  alarms(namespace: string): readonly Alarm[]
  /** Nobody can say yet whether this is over, though it does not show. */
  isInDoubt(told: Told): boolean
  /** Undefined when there is no such Secret or key; throws where the notifier may not have it. */
  secret(notifier: ApiObject, ref: SecretKeyRef): Promise<Secret<string> | undefined>
  writeStatus(object: ApiObject, status: JsonObject): Promise<void>
  failed(error: unknown): void
}

interface Kept {
  object: ApiObject
  readonly spec: NotifierSpec
  told: readonly Told[]
  lastSentAt: string | undefined
  failures: number
  retryAt: number
  trouble: string | undefined
  written: Json | undefined
}

const lookEveryMs = 1000
const sendMs = 10_000
const perLook = 20
const retryMs = [1000, 5000, 15_000, 60_000, 300_000]

export class NotifierKeeper {
  readonly #ports: NotifierKeeperPorts
  readonly #kept = new Map<string, Kept>()
  readonly #stop = new AbortController()
  #timer: Timer | undefined
  #work: Promise<void> = Promise.resolve()

  constructor(ports: NotifierKeeperPorts) {
    this.#ports = ports
  }

  /** Made, changed (undefined: removed). The same generation again is told nothing anew. */
  put(key: string, object: ApiObject | undefined): void {
    const before = this.#kept.get(key)
    if (before !== undefined && isSameGeneration(before.object, object)) {
      // Who declares it may have changed all the same, and with it what it may have.
      before.object = object
      return
    }
    if (object === undefined) this.#kept.delete(key)
    else this.#kept.set(key, newKept(object))
    this.#schedule(0)
  }

  /** Sends one message at once, whatever is true; throws why it did not arrive. */
  async test(key: string, alarm: Alarm): Promise<void> {
    const kept = this.#kept.get(key)
    if (kept === undefined) throw controllerFault("SPT-NOTE-001", { name: key })
    await this.#send(kept, { state: "firing", alarm })
  }

  async close(): Promise<void> {
    this.#stop.abort()
    this.#timer?.cancel()
    await this.#work
  }

  /** Nobody to tell costs nothing. */
  #schedule(delayMs: number): void {
    this.#timer?.cancel()
    this.#timer = undefined
    if (this.#stop.signal.aborted || this.#kept.size === 0) return
    this.#timer = this.#ports.clock.after(delayMs, () => {
      this.#work = this.#work
        .then(() => this.#look())
        .catch((error) => this.#ports.failed(error))
        .finally(() => this.#schedule(lookEveryMs))
    })
  }

  async #look(): Promise<void> {
    for (const kept of [...this.#kept.values()]) {
      if (this.#stop.signal.aborted) return
      await this.#tell(kept)
      await this.#report(kept)
    }
  }

  async #tell(kept: Kept): Promise<void> {
    const { spec, object } = kept
    const now = this.#ports.clock.now()
    const all = this.#ports.alarms(object.metadata.namespace ?? "")
    const alarms = all.filter(({ type, loop }) => spec.on.has(type) && concerns(kept, loop))
    const isInDoubt = (one: Told) => this.#ports.isInDoubt(one)
    const over = endedOf({ alarms, told: kept.told, isInDoubt })
    if (!spec.resolved) kept.told = kept.told.filter((one) => !over.includes(one))
    const facts = { spec, alarms, told: kept.told, isInDoubt }
    const due = nextNewsAt(facts)
    const ended = spec.resolved && over.length > 0
    if (!ended && (due === undefined || due > now)) return
    if (this.#ports.clock.monotonic() < kept.retryAt) return
    for (const news of newsOf({ ...facts, now }).slice(0, perLook)) {
      try {
        await this.#send(kept, news)
      } catch (error) {
        if (this.#stop.signal.aborted) return
        kept.trouble = toFault(error).message
        const wait = retryMs[Math.min(kept.failures, retryMs.length - 1)] ?? lookEveryMs
        kept.failures++
        kept.retryAt = this.#ports.clock.monotonic() + wait
        return
      }
      kept.told = remember(kept.told, news, now)
      // At once: after a crash it would be told again.
      await this.#report(kept)
    }
  }

  async #send(kept: Kept, news: News): Promise<void> {
    const { spec } = kept
    const take = async (ref: SecretKeyRef) => {
      const value = await this.#ports.secret(kept.object, ref)
      if (value === undefined) throw controllerFault("SPT-NOTE-002", { ...ref })
      return value
    }
    const url = spec.urlFrom === undefined ? new Secret(spec.url ?? "") : await take(spec.urlFrom)
    const headers: Record<string, Secret<string>> = {}
    for (const { header, valueFrom } of spec.headersFrom) headers[header] = await take(valueFrom)
    const signing = spec.signingKeyFrom
    const signingKey = signing === undefined ? {} : { signingKey: await take(signing) }
    const body = messageBody(spec, this.#ports.plane, news)
    const message = { url, contentType: spec.contentType, body, headers, ...signingKey }
    const { clock, send } = this.#ports
    const signal = this.#stop.signal
    const task = (inner: AbortSignal) => send(message, inner)
    const sent = await withDeadline(clock, sendMs, task, signal)
    if (sent.kind === "timeout")
      throw controllerFault("SPT-NOTE-003", { cause: "no answer in time" })
    kept.lastSentAt = toTimestamp(clock.now())
    kept.failures = 0
    kept.trouble = undefined
  }

  async #report(kept: Kept): Promise<void> {
    const { told, lastSentAt, trouble } = kept
    const state = trouble === undefined ? "Working" : "Failing"
    const status: JsonObject = {
      ...{ state, message: trouble ?? "", count: told.length },
      firing: told.map((one) => ({ ...one })),
      ...(lastSentAt === undefined ? {} : { lastSentAt }),
    }
    if (equalJson(status, kept.written ?? {})) return
    await this.#ports.writeStatus(kept.object, status)
    kept.written = status
  }
}

function isSameGeneration(one: ApiObject, other: ApiObject | undefined): other is ApiObject {
  const { uid, generation } = one.metadata
  return other?.metadata.uid === uid && other?.metadata.generation === generation
}

function concerns({ spec, object }: Kept, loop: string | undefined): boolean {
  if (spec.loops.size === 0 || loop === undefined) return true
  const short = loop.slice(loop.indexOf(".") + 1)
  const own = loop.startsWith(`${object.metadata.namespace}.`)
  return spec.loops.has(loop) || (own && spec.loops.has(short))
}

function newKept(object: ApiObject): Kept {
  const lastSentAt = at(object.status, "lastSentAt")
  return {
    object,
    spec: notifierSpecOf(object),
    told: toldOf(at(object.status, "firing")),
    lastSentAt: typeof lastSentAt === "string" ? lastSentAt : undefined,
    failures: 0,
    retryAt: 0,
    trouble: undefined,
    written: undefined,
  }
}

/** What cannot be read was not told. */
function toldOf(value: Json | undefined): readonly Told[] {
  return (isArray(value) ? value : []).flatMap((one): Told[] => {
    if (!isObject(one)) return []
    const { key, subject, since, toldAt, loop } = one
    const type = alarmTypes.find((name) => name === one.type)
    if (type === undefined || typeof key !== "string" || typeof subject !== "string") return []
    if (typeof since !== "number" || typeof toldAt !== "number") return []
    return [{ key, type, subject, since, toldAt, ...(typeof loop === "string" ? { loop } : {}) }]
  })
}
