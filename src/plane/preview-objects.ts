// The objects of a preview: what is stored, and each manifest as it would be stored. The API's own
// rules say so in a dry run; a manifest that asks for nothing new is recognised without one.

import { decodeObject } from "../api/codec.ts"
import { resourcePrefix } from "../api/storage-keys.ts"
import { readStored } from "../api/stored-object.ts"
import type { Api } from "../api/verbs.ts"
import { equalJson, type Json, type JsonObject } from "../base/json.ts"
import { sourcePrincipal } from "../contract/principal.ts"
import type { Reference } from "../contract/provider.ts"
import type { Store } from "../contract/store.ts"
import type { Placed, ServedKind } from "../controllers/place-manifest.ts"
import { scanPrefix } from "../ledger/scan.ts"
import { type ApiObject, keyText, loopLabel, setpointGroup } from "../object/object.ts"
import type { KindRuntime } from "../reconcile/kind-runtime.ts"
import { findReference } from "./find-reference.ts"

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
    const written = await verbs.apply(principal, placed.resource, placed.object, options)
    const { object } = written
    if (this.kindOf(key) !== undefined) this.#objects.set(key, object)
    return { object, unchanged: !written.changed, created: written.created }
  }

  readonly lookup = (reference: Reference, namespace: string): Promise<Json | undefined> =>
    findReference(this.#kinds.values(), reference, namespace, async (ref) => {
      const known = this.#objects.get(keyText(ref))
      return known ?? (await readStored(this.#api.context, ref))?.object
    })

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
