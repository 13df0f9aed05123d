// The cluster-scoped object Plane/local: shows which stops stand. It is a view of the stop file and
// the ledger; nothing is decided by it, and only the engine writes it.

import { equalJson, type JsonObject, toPlainJson } from "../base/json.ts"
import { enginePrincipal } from "../contract/principal.ts"
import { stopText } from "../contract/stop.ts"
import { type ApiObject, apiVersionOf, setpointGroup, setpointVersion } from "../object/object.ts"
import type { Plane } from "./plane.ts"

const resource = { group: setpointGroup, version: setpointVersion, resource: "planes" } as const
const ref = { ...resource, namespace: "", name: "local" } as const

export class PlaneObject {
  readonly #plane: Plane
  #shown: JsonObject | undefined

  constructor(plane: Plane) {
    this.#plane = plane
  }

  /** Writes what changed since the last time, and nothing when nothing did. */
  async publish(): Promise<void> {
    const { ports, api } = this.#plane
    const stops = ports.stop.entries()
    const shown: JsonObject = {
      stops: toPlainJson(stops.map((entry) => ({ ...entry, text: stopText(entry) }))),
      planeId: ports.store.identity.planeId,
    }
    if (this.#shown !== undefined && equalJson(this.#shown, shown)) return
    const known = await api.verbs.get(enginePrincipal, ref)
    const object: ApiObject = {
      apiVersion: apiVersionOf(setpointGroup, setpointVersion),
      kind: "Plane",
      metadata: { name: ref.name },
    }
    if (known === undefined) await api.verbs.create(enginePrincipal, resource, object)
    const options = { subresource: "status" } as const
    await api.verbs.patch(enginePrincipal, ref, "merge", { status: shown }, options)
    this.#shown = shown
  }
}
