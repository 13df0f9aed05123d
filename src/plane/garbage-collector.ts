// Looks at objects that name owners: all of them after a start, later those that are new and those
// whose owner ended. One after another, a moment after the change, and never again by itself.

import { afterEnd, releaseForeground } from "../api/after-end.ts"
import { collectGarbage, collectorPrincipal } from "../api/collect-garbage.ts"
import { finishDefinition } from "../api/definition-end.ts"
import { endingNamespaces } from "../api/namespace-exists.ts"
import { parseStorageKey } from "../api/storage-keys.ts"
import type { StoredObject } from "../api/stored-object.ts"
import { emptyNamespace } from "../api/verb-delete.ts"
import type { Timer } from "../base/clock.ts"
import { toFault } from "../base/faults.ts"
import type { Plane } from "./plane.ts"

const quietMs = 1000
const againMs = 60_000

export class GarbageCollector {
  readonly #plane: Plane
  readonly #suspects = new Set<string>()
  #timer: Timer | undefined
  #again: Timer | undefined
  #running: Promise<void> = Promise.resolve()
  #closed = false

  constructor(plane: Plane) {
    this.#plane = plane
  }

  /** What a crash left half done is done first. */
  async start(): Promise<void> {
    const { context } = this.#plane.api
    for (const name of context.registry.ending()) await finishDefinition(context, name)
    for (const [place, uid] of context.owners.waiting()) {
      const key = parseStorageKey(place)
      const ended = key === undefined ? undefined : await releaseForeground(context, key, uid)
      if (ended !== undefined) await afterEnd(context, [ended])
    }
    this.#running = this.#running.then(() => this.#emptyNamespaces())
    context.owners.onSuspects((keys) => this.#suspect(keys))
    this.#suspect(context.owners.keys())
  }

  async close(): Promise<void> {
    this.#closed = true
    this.#timer?.cancel()
    this.#again?.cancel()
    await this.#running
  }

  /** Those that were going when the plane ended: what goes in parts goes on. */
  async #emptyNamespaces(): Promise<void> {
    const { context } = this.#plane.api
    try {
      for await (const stored of endingNamespaces(context)) {
        if (this.#closed) return
        await this.#emptyNamespace(stored)
      }
    } catch (error) {
      if (!this.#closed) this.#plane.engine.failed(error)
    }
  }

  async #emptyNamespace(stored: StoredObject): Promise<void> {
    const { api, ports } = this.#plane
    try {
      await emptyNamespace(api.context, collectorPrincipal, stored)
    } catch (error) {
      if (this.#closed) return
      const { status = 500, message } = toFault(error)
      // Held by a guard, or refused by a webhook: it stays, as it would for whoever asks.
      const { name } = stored.key
      ports.logger.warn(`namespace ${name} can't be emptied: ${message}`)
      // A webhook that does not answer now may do so later.
      if (status >= 500) this.#tryAgain()
    }
  }

  #tryAgain(): void {
    this.#again ??= this.#plane.ports.clock.after(againMs, () => {
      this.#again = undefined
      this.#running = this.#running.then(() => this.#emptyNamespaces())
    })
  }

  #suspect(keys: readonly string[]): void {
    if (this.#closed || keys.length === 0) return
    for (const key of keys) this.#suspects.add(key)
    this.#timer ??= this.#plane.ports.clock.after(quietMs, () => {
      this.#timer = undefined
      this.#running = this.#running.then(() => this.#collect())
    })
  }

  async #collect(): Promise<void> {
    const { engine } = this.#plane
    for (const key of [...this.#suspects]) {
      if (this.#closed) return
      this.#suspects.delete(key)
      await engine.breath.due()
      try {
        await this.#look(key)
      } catch (error) {
        if (!this.#closed) engine.failed(error)
      }
    }
  }

  async #look(storageKey: string): Promise<void> {
    const key = parseStorageKey(storageKey)
    if (key === undefined) return
    const { context } = this.#plane.api
    const done = await collectGarbage(context, key)
    if (done.kind !== "unresolvable") return
    const { apiVersion, kind, metadata } = done.object
    const { owner } = done
    const named = `${owner.apiVersion}/${owner.kind}, name: ${owner.name}, uid: ${owner.uid}`
    const about = { apiVersion, kind, namespace: key.namespace, name: key.name }
    this.#plane.engine.recorder.note({
      type: "Warning",
      reason: "OwnerRefInvalidNamespace",
      message: `ownerRef [${named}] does not exist in namespace "${key.namespace}"`,
      about: metadata.uid === undefined ? about : { ...about, uid: metadata.uid },
    })
  }
}
