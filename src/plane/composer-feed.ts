// Wakes composites: a parent is looked at again when one of its children, or an object of a kind
// that it is related to, changed. An index says whom a change concerns; nothing is polled. Kinds
// that the engine does not follow itself are followed here.

import { storageKey } from "../api/storage-keys.ts"
import type { CompositeKind, KindName } from "../contract/composite.ts"
import { Informer } from "../informer/informer.ts"
import { type ApiObject, parseKeyText } from "../object/object.ts"
import type { KindRuntime } from "../reconcile/kind-runtime.ts"
import type { Plane } from "./plane.ts"

type Change = "put" | "delete"

export class ComposerFeed {
  readonly #plane: Plane
  /** Parents by UID. */
  readonly #parents = new Map<string, string>()
  /** UID of the parent by key of the child. */
  readonly #children = new Map<string, string>()
  /** Composite kinds by RESOURCE.GROUP of what they are related to. */
  readonly #concerned = new Map<string, KindRuntime[]>()
  readonly #others = new Map<string, Informer>()
  readonly #gone: ((key: string) => void)[] = []

  constructor(plane: Plane) {
    this.#plane = plane
  }

  /** Told of objects that are gone. */
  onGone(listener: (key: string) => void): void {
    this.#gone.push(listener)
  }

  /** Known before the index hears of it. */
  noteChild(key: string, parent: string): void {
    this.#children.set(key, parent)
  }

  async open(): Promise<void> {
    const { engine } = this.#plane
    const composites = engine.kinds.filter((kind) => kind.composite !== undefined)
    for (const kind of composites) {
      for (const related of kind.composite?.related ?? []) await this.#follow(kind, related)
      for (const key of engine.feed?.ofKind(nameOf(kind)) ?? []) this.#noteParent(key)
    }
    if (composites.length === 0) return
    for (const key of engine.feed?.keys() ?? []) this.#noteOwner(key)
    engine.feed?.onChange((key, change) => this.#changed(key, change))
  }

  async close(): Promise<void> {
    for (const informer of this.#others.values()) await informer.close()
  }

  /** Every object of the related kinds in this namespace, cluster-scoped ones too, by name. */
  async related({ related }: CompositeKind, namespace: string): Promise<ApiObject[]> {
    const found: ApiObject[] = []
    const { feed } = this.#plane.engine
    for (const one of related) {
      const served = this.#plane.servedKind(one.group, one.kind)
      if (served === undefined) continue
      const name = resourceName(one.group, served.resource.resource)
      const other = this.#others.get(name)
      for (const key of other?.keys() ?? feed?.ofKind(name) ?? []) {
        const place = parseKeyText(key).namespace
        if (place !== namespace && place !== "") continue
        const object = await (other?.get(key) ?? feed?.object(key))
        if (object !== undefined) found.push(object)
      }
    }
    return found.sort((left, right) => (left.metadata.name < right.metadata.name ? -1 : 1))
  }

  async #follow(kind: KindRuntime, related: KindName): Promise<void> {
    const served = this.#plane.servedKind(related.group, related.kind)
    if (served === undefined) return
    const { group, resource } = served.resource
    const name = resourceName(group, resource)
    this.#concerned.set(name, [...(this.#concerned.get(name) ?? []), kind])
    if (this.#plane.engine.feed?.ofKind(name) !== undefined || this.#others.has(name)) return
    const { store, clock } = this.#plane.ports
    const informer = new Informer({ store, clock, group, resource })
    this.#others.set(name, informer)
    await informer.synced()
    informer.onChange((key) => this.#wakeRelated(key))
  }

  #changed(key: string, change: Change): void {
    if (change === "delete") {
      for (const listener of this.#gone) listener(key)
      this.#wake(this.#children.get(key))
      this.#children.delete(key)
    } else {
      this.#noteParent(key)
      this.#noteOwner(key)
      this.#wake(this.#children.get(key))
    }
    this.#wakeRelated(key)
  }

  #noteParent(key: string): void {
    const { feed } = this.#plane.engine
    const entry = feed?.entry(key)
    const composite = feed?.kindOf(key)?.composite
    if (entry !== undefined && composite !== undefined) this.#parents.set(entry.uid, key)
  }

  #noteOwner(key: string): void {
    const owners = this.#plane.api.context.owners.ownersOf(storageKey(parseKeyText(key)))
    const parent = owners.find((uid) => this.#parents.has(uid))
    if (parent !== undefined) this.#children.set(key, parent)
  }

  #wake(uid: string | undefined): void {
    const key = uid === undefined ? undefined : this.#parents.get(uid)
    if (key !== undefined) this.#plane.engine.queue.add(key, { priority: "high" })
  }

  #wakeRelated(key: string): void {
    const name = key.slice(0, key.indexOf("/"))
    const { namespace } = parseKeyText(key)
    const { feed, queue } = this.#plane.engine
    for (const kind of this.#concerned.get(name) ?? []) {
      for (const parent of feed?.ofKind(nameOf(kind)) ?? []) {
        const place = parseKeyText(parent).namespace
        if (namespace === "" || place === namespace) queue.add(parent, { priority: "high" })
      }
    }
  }
}

const resourceName = (group: string, resource: string): string =>
  group === "" ? resource : `${resource}.${group}`

const nameOf = ({ resource }: KindRuntime): string =>
  resourceName(resource.group, resource.resource)
