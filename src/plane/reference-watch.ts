// Values flow downstream at once: when an object changes that others take values from, exactly
// those whose value is another one now are looked at again. Kinds that the engine does not follow
// itself (a Secret, a ConfigMap) are followed from the first reference to one. Nothing is polled.

import type { Authorizer } from "../contract/authorizer.ts"
import type { ObjectRef } from "../contract/client.ts"
import { enginePrincipal } from "../contract/principal.ts"
import type { Reference } from "../contract/provider.ts"
import { Informer } from "../informer/informer.ts"
import { keyText } from "../object/object.ts"
import type { FoundReference, Lookup } from "../reconcile/desire.ts"
import { type KnownReference, ReferenceIndex, valueHash } from "../reconcile/reference-index.ts"
import type { Engine } from "./engine.ts"
import {
  placeOfReference,
  referenceLookup,
  type ServedKinds,
  valueOfReference,
} from "./find-reference.ts"

interface Noted extends KnownReference {
  readonly reference: Reference
  readonly place: ObjectRef
}

export class ReferenceWatch {
  readonly #engine: Engine
  readonly #index = new ReferenceIndex<Noted>()
  readonly #others = new Map<string, Informer>()
  /** Whoever is being asked for already. */
  readonly #asking = new Set<string>()
  #served: ServedKinds = () => undefined
  #noted: (key: string) => void = () => {}
  lookup: Lookup = async () => undefined

  constructor(engine: Engine) {
    this.#engine = engine
  }

  /** The kinds that are served, and who may read what, are known once the API is open. */
  open(served: ServedKinds, authorizer: Authorizer): void {
    const get = (ref: ObjectRef) => this.#engine.verbs.get(enginePrincipal, ref)
    this.#served = served
    this.lookup = referenceLookup({ kinds: this.#engine.kinds, served, authorizer, get })
  }

  start(): void {
    this.#engine.feed?.onChange((key, change) => {
      if (change === "delete") this.#ended(key)
      this.#changed(key)
    })
  }

  async close(): Promise<void> {
    for (const informer of this.#others.values()) await informer.close()
  }

  /** What a pass found; replaces what was known of this object. */
  readonly note = (key: string, namespace: string, found: readonly FoundReference[]): void => {
    const notes = found.flatMap(({ reference, value }): Noted[] => {
      const place = this.#place(reference, namespace)
      if (place === undefined) return []
      this.#follow(place)
      const { field } = reference
      return [{ target: keyText(place), field, hash: valueHash(value), reference, place }]
    })
    const before = targetsText(this.#index.of(key))
    this.#index.note(key, notes)
    if (targetsText(notes) !== before) this.#noted(key)
  }

  /** Told of objects that take values from other objects than before. */
  onNoted(listener: (key: string) => void): void {
    this.#noted = listener
  }

  /**
   * Marked objects that refer to this one go first. In a circle of values that are written in specs
   * someone has to begin: the first by name.
   */
  readonly before = (key: string): readonly string[] =>
    this.#index.dependents(key).filter((other) => {
      if (other === key || this.#engine.feed?.entry(other)?.marked !== true) return false
      return !this.#index.reaches(key, other) || other < key
    })

  of(key: string): readonly KnownReference[] {
    return this.#index.of(key)
  }

  dependents(key: string): readonly string[] {
    return this.#index.dependents(key)
  }

  #place(reference: Reference, namespace: string): ObjectRef | undefined {
    return placeOfReference(this.#engine.kinds, this.#served, reference, namespace)
  }

  #changed(key: string): void {
    if (!this.#index.isTarget(key) || this.#asking.has(key)) return
    this.#asking.add(key)
    this.#wake(key).catch((error) => this.#engine.failed(error))
  }

  async #wake(key: string): Promise<void> {
    this.#asking.delete(key)
    const dependents = this.#index.dependents(key)
    const first = this.#index.of(dependents[0] ?? "").find((one) => one.target === key)
    if (first === undefined) return
    const object = await this.#engine.verbs.get(enginePrincipal, first.place)
    const hashes = new Map<string, string>() // Thousands may take the same field.
    const hashOf = (reference: Reference): string => {
      const known = hashes.get(reference.field)
      if (known !== undefined) return known
      const hash = valueHash(object && valueOfReference(object, reference))
      hashes.set(reference.field, hash)
      return hash
    }
    for (const dependent of dependents) {
      const notes = this.#index.of(dependent).filter((one) => one.target === key)
      const same = notes.every(({ reference, hash }) => hashOf(reference) === hash)
      const going = this.#engine.feed?.entry(dependent)?.marked === true
      if (!same || going) this.#engine.queue.add(dependent, { priority: "high" })
    }
  }

  /** Whoever waited for the end of this one may go now. */
  #ended(key: string): void {
    const { feed, queue } = this.#engine
    const targets = this.#index.of(key).map(({ target }) => target)
    this.#index.forget(key)
    for (const target of targets) {
      if (feed?.entry(target)?.marked === true) queue.add(target, { priority: "high" })
    }
  }

  #follow({ group, resource }: ObjectRef): void {
    const name = group === "" ? resource : `${resource}.${group}`
    if (this.#engine.feed?.ofKind(name) !== undefined || this.#others.has(name)) return
    const { store, clock } = this.#engine.ports
    const informer = new Informer({ store, clock, group, resource })
    this.#others.set(name, informer)
    informer.onChange((key) => this.#changed(key))
  }
}

const targetsText = (references: readonly KnownReference[]): string =>
  references.map(({ target, field }) => `${target} ${field}`).join("\n")
