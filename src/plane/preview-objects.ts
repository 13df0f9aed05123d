// The objects of a preview: what is stored, and each manifest as it would be stored. The API's own
// rules say so in a dry run; a manifest that asks for nothing new is recognised without one.

import { decodeObject } from "../api/codec.ts"
import { resourcePrefix } from "../api/storage-keys.ts"
import { readStored } from "../api/stored-object.ts"
import type { Api } from "../api/verbs.ts"
import { equalJson, type JsonObject } from "../base/json.ts"
import type { KindName } from "../contract/composite.ts"
import { type Principal, sourcePrincipal } from "../contract/principal.ts"
import type { Store } from "../contract/store.ts"
import type { Written } from "../contract/verbs.ts"
import type { Placed, ServedKind } from "../controllers/place-manifest.ts"
import { markOf, withMark } from "../controllers/revision-mark.ts"
import { scanPrefix } from "../ledger/scan.ts"
import {
  type ApiObject,
  controllerOf,
  keyText,
  loopLabel,
  parseKeyText,
  setpointGroup,
} from "../object/object.ts"
import type { WantedChild } from "../reconcile/composition.ts"
import type { Lookup } from "../reconcile/desire.ts"
import type { KindRuntime } from "../reconcile/kind-runtime.ts"
import { referenceLookup } from "./find-reference.ts"

export interface Wanted {
  readonly object: ApiObject
  /** Stored before, with the same spec. */
  readonly unchanged: boolean
  readonly created: boolean
}

const newest = Number.MAX_SAFE_INTEGER

export class PreviewObjects {
  readonly #api: Api
  readonly #store: Store
  readonly #kinds = new Map<string, KindRuntime>()
  /** Objects of kinds with a provider, by key, as they are or as they would be. */
  readonly #objects = new Map<string, ApiObject>()
  /** Children that no store holds yet. */
  readonly created = new Set<string>()
  /** What is declared and has no target; references may take values from it. */
  readonly #data = new Map<string, ApiObject>()
  readonly #served = new Map<string, ServedKind>()
  #loops: ApiObject[] = []

  constructor(api: Api, kinds: readonly KindRuntime[], store: Store) {
    this.#api = api
    this.#store = store
    for (const kind of kinds) this.#kinds.set(prefixText(kind.resource), kind)
  }

  async open(): Promise<void> {
    const { registry } = this.#api
    // A plane that starts brings its kinds along; what it would serve is what counts here.
    const conditions = [{ type: "Established", status: "True" }]
    for (const { provider } of this.#kinds.values()) {
      registry.put({ ...provider.definition, status: { conditions } }, newest)
    }
    for (const { group, kind, version, resource, namespaced } of registry.all()) {
      this.#served.set(`${group}/${kind}`, { resource: { group, version, resource }, namespaced })
    }
    for (const { resource } of this.#kinds.values()) {
      for (const object of await this.#stored(resource.group, resource.resource)) {
        const { namespace = "", name } = object.metadata
        this.#objects.set(keyText({ ...resource, namespace, name }), object)
      }
    }
    this.#loops = await this.#stored(setpointGroup, "loops")
  }

  loops(): readonly ApiObject[] {
    return this.#loops
  }

  kindOf(key: string): KindRuntime | undefined {
    return this.#kinds.get(key.slice(0, key.indexOf("/")))
  }

  get(key: string): ApiObject | undefined {
    return this.#objects.get(key)
  }

  *ofLoop(loop: string): Generator<[string, ApiObject]> {
    for (const entry of this.#objects) {
      if (entry[1].metadata.labels?.[loopLabel] === loop) yield entry
    }
  }

  readonly servedKind = (group: string, kind: string): ServedKind | undefined =>
    this.#served.get(`${group}/${kind}`)

  /** As the API would store it; throws what the API would answer. */
  async want(placed: Placed, loop: string): Promise<Wanted> {
    const key = keyText(placed.key)
    const known = this.#objects.get(key)
    if (known !== undefined && this.#asksNothingNew(placed, known, loop)) {
      return { object: known, unchanged: true, created: false }
    }
    const principal = sourcePrincipal(loop)
    const options = { fieldManager: principal.name, force: true, dryRun: true }
    const { verbs } = this.#api
    const stored = known ?? (await readStored(this.#api.context, placed.key))?.object
    const asked = withMark(placed.object, markOf(stored))
    const written = await verbs.apply(principal, placed.resource, asked, options)
    const { object } = written
    if (this.kindOf(key) !== undefined) this.#objects.set(key, object)
    else this.#data.set(key, object)
    return { object, unchanged: !written.changed, created: written.created }
  }

  /** A child as the API would store it, kept nowhere; throws what the API would answer. */
  tryChild({ resource, object }: WantedChild, principal: Principal): Promise<Written> {
    const options = { fieldManager: principal.name, force: true, dryRun: true }
    return this.#api.verbs.apply(principal, resource, object, options)
  }

  /** The same, as an object of the preview. */
  async wantChild(child: WantedChild, principal: Principal): Promise<void> {
    const { key } = child
    const written = await this.tryChild(child, principal)
    if (this.kindOf(key) !== undefined) this.#objects.set(key, written.object)
    if (written.created) this.created.add(key)
  }

  /** Which composite declares it, as people name it. */
  parentOf(key: string): string | undefined {
    const parent = controllerOf(this.#objects.get(key))
    return parent === undefined ? undefined : `${parent.kind} ${parent.name}`
  }

  /** The children of a parent, in order of their names. */
  ownedBy(uid: string): [string, ApiObject][] {
    const owned = [...this.#objects].filter(([, { metadata }]) =>
      metadata.ownerReferences?.some((one) => one.uid === uid && one.controller === true),
    )
    return owned.sort(([left], [right]) => (left < right ? -1 : 1))
  }

  /** Objects of these kinds in a namespace, cluster-scoped ones too, by name. */
  async related(kinds: readonly KindName[], namespace: string): Promise<ApiObject[]> {
    const found: ApiObject[] = []
    for (const { group, kind } of kinds) {
      const served = this.servedKind(group, kind)
      if (served === undefined) continue
      const { resource } = served.resource
      const own = this.#kinds.has(prefixText({ group, resource }))
      const all = own
        ? [...this.#objects].flatMap(([key, object]) => {
            const place = parseKeyText(key)
            return place.group === group && place.resource === resource ? [object] : []
          })
        : await this.#stored(group, resource)
      found.push(...all.filter(({ metadata }) => (metadata.namespace ?? namespace) === namespace))
    }
    return found.sort((left, right) => (left.metadata.name < right.metadata.name ? -1 : 1))
  }

  readonly lookup: Lookup = (...asked) =>
    referenceLookup({
      kinds: this.#kinds.values(),
      served: this.servedKind,
      authorizer: this.#api.roles,
      get: async (ref) => {
        const known = this.#objects.get(keyText(ref)) ?? this.#data.get(keyText(ref))
        return known ?? (await readStored(this.#api.context, ref))?.object
      },
    })(...asked)

  /** Same spec after defaults, in the same loop: applying it could change no target. */
  #asksNothingNew(placed: Placed, known: ApiObject, loop: string): boolean {
    const { labels, deletionTimestamp } = known.metadata
    if (labels?.[loopLabel] !== loop || deletionTimestamp !== undefined) return false
    const served = this.#api.registry.find(placed.resource)
    if (served === undefined || known.apiVersion !== placed.object.apiVersion) return false
    const whole = served.schema.applyDefaults(placed.object as JsonObject)
    return equalJson(whole.spec, known.spec)
  }

  async #stored(group: string, resource: string): Promise<ApiObject[]> {
    const found: ApiObject[] = []
    for await (const entry of scanPrefix(this.#store, resourcePrefix(group, resource))) {
      found.push(decodeObject(entry.value, entry.modRevision))
    }
    return found
  }
}

const prefixText = ({ group, resource }: { group: string; resource: string }): string =>
  group === "" ? resource : `${resource}.${group}`
