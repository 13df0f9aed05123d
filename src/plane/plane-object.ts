// The cluster-scoped object Plane/local: shows which stops stand, in its spec so that people can
// change them there, and in its status in words. It is a view of the stop file; nothing is decided
// by it, and only the engine and the admission of stops write it.

import { equalJson, type JsonObject, toPlainJson } from "../base/json.ts"
import { enginePrincipal } from "../contract/principal.ts"
import { stopText } from "../contract/stop.ts"
import { type ApiObject, apiVersionOf, setpointGroup, setpointVersion } from "../object/object.ts"
import { glassView } from "./break-glass-keeper.ts"
import type { Plane } from "./plane.ts"

const resource = { group: setpointGroup, version: setpointVersion, resource: "planes" } as const
const ref = { ...resource, namespace: "", name: "local" } as const

export class PlaneObject {
  readonly #plane: Plane
  #shown: JsonObject | undefined

  constructor(plane: Plane) {
    this.#plane = plane
  }

  /** The same, for callers that have nobody to tell. */
  publishSoon(): void {
    this.#shown = undefined
    this.publish().catch((error) => this.#plane.engine.failed(error))
  }

  /** Writes what changed since the last time, and nothing when nothing did. */
  async publish(): Promise<void> {
    const { ports, api } = this.#plane
    const standing = this.#plane.stops.look()
    const stop = toPlainJson(standing)
    const shown: JsonObject = {
      stops: toPlainJson(standing.map((entry) => ({ ...entry, text: stopText(entry) }))),
      breakGlass: toPlainJson(this.#plane.glass.all().map(glassView)),
      planeId: ports.store.identity.planeId,
    }
    if (this.#shown !== undefined && equalJson(this.#shown, shown)) return
    const known = await api.verbs.get(enginePrincipal, ref)
    const object: ApiObject = {
      apiVersion: apiVersionOf(setpointGroup, setpointVersion),
      kind: "Plane",
      metadata: { name: ref.name },
      spec: { stop },
    }
    if (known === undefined) await api.verbs.create(enginePrincipal, resource, object)
    else await api.verbs.patch(enginePrincipal, ref, "merge", { spec: { stop } })
    const options = { subresource: "status" } as const
    await api.verbs.patch(enginePrincipal, ref, "merge", { status: shown }, options)
    this.#shown = shown
  }
}
