// Wires notifiers into a plane: follows their objects, gathers alarms, takes their values from
// Secrets, and offers to send a test message. A message can go anywhere: a notifier that a source
// or a composite declares gets only what these may have.

import type { ExtensionRoute } from "../api/extensions.ts"
import { toFault } from "../base/faults.ts"
import { isObject, type Json, type JsonObject } from "../base/json.ts"
import { Secret } from "../base/secret.ts"
import type { ObjectRef } from "../contract/client.ts"
import { enginePrincipal } from "../contract/principal.ts"
import { controllerFault } from "../controllers/faults.ts"
import { testAlarm } from "../controllers/notification.ts"
import { NotifierKeeper } from "../controllers/notifier-keeper.ts"
import type { SecretKeyRef } from "../controllers/notifier-spec.ts"
import { Informer } from "../informer/informer.ts"
import { type ApiObject, keyText, setpointGroup, setpointVersion } from "../object/object.ts"
import { isInDoubt } from "./alarm-doubts.ts"
import { AlarmTimes, alarmsFor, alarmsOf } from "./alarms.ts"
import { refusalFor } from "./find-reference.ts"
import type { Plane } from "./plane.ts"
import { named } from "./route-access.ts"

const resource = "notifiers"

export class NotifierWatch {
  readonly #plane: Plane
  readonly #times = new AlarmTimes()
  #keeper: NotifierKeeper | undefined
  #feed: Informer | undefined

  constructor(plane: Plane) {
    this.#plane = plane
  }

  async open(): Promise<void> {
    const { ports, engine } = this.#plane
    const { store, clock, notify } = ports
    const keeper = new NotifierKeeper({
      clock,
      plane: store.identity.planeId,
      send:
        notify ?? (() => Promise.reject(controllerFault("SPT-NOTE-003", { cause: "no network" }))),
      isInDoubt: (told) => isInDoubt(this.#plane, told),
      alarms: (namespace) => alarmsFor(namespace, alarmsOf(this.#plane, this.#times)),
      secret: (notifier, ref) => this.#secret(notifier, ref),
      writeStatus: (object, status) => this.#writeStatus(object, status),
      failed: (error) => engine.failed(error),
    })
    this.#keeper = keeper
    const feed = new Informer({ store, clock, group: setpointGroup, resource })
    this.#feed = feed
    await feed.synced()
    for (const key of [...feed.keys()]) keeper.put(key, await feed.get(key))
    feed.onChange((key) => {
      feed.get(key).then(
        (object) => keeper.put(key, object),
        (error) => engine.failed(error),
      )
    })
  }

  async close(): Promise<void> {
    await this.#keeper?.close()
    await this.#feed?.close()
  }

  /** Sends a message that says it is a test. */
  testRoute(): ExtensionRoute {
    return {
      method: "POST",
      pattern: "/setpoint/v1/notifiers/test",
      access: (_params, _query, body) => {
        const place = { group: setpointGroup, resource, subresource: "" }
        const namespace = named(body, "namespace")
        return [{ verb: "update", ...place, namespace, name: named(body, "name") }]
      },
      handler: async (principal, _params, _query, body) => {
        const [namespace, name] = [named(body, "namespace"), named(body, "name")]
        const key = keyText({ group: setpointGroup, resource, namespace, name })
        const alarm = testAlarm(principal.name, this.#plane.ports.clock.now())
        await this.#keeper?.test(key, alarm)
        return { sent: name }
      },
    }
  }

  async #secret(notifier: ApiObject, { name, key }: SecretKeyRef) {
    const { namespace = "" } = notifier.metadata
    const { api, engine } = this.#plane
    const get = (ref: ObjectRef) => api.verbs.get(enginePrincipal, ref)
    const secret = await get({ group: "", version: "v1", resource: "secrets", namespace, name })
    if (secret === undefined) return undefined
    const served = this.#plane.servedKind.bind(this.#plane)
    const ports = { kinds: engine.kinds, served, authorizer: api.roles, get }
    const why = await refusalFor(ports, notifier, { secret, keys: [key] })
    if (why !== undefined) throw controllerFault("SPT-NOTE-004", { name, why })
    const value = dataOf(secret)[key]
    if (typeof value !== "string") return undefined
    return new Secret(Buffer.from(value, "base64").toString("utf8").trim())
  }

  async #writeStatus({ metadata }: ApiObject, status: JsonObject): Promise<void> {
    const { namespace = "", name } = metadata
    const where = { group: setpointGroup, version: setpointVersion, resource, namespace, name }
    const options = { subresource: "status" } as const
    try {
      await this.#plane.api.verbs.patch(enginePrincipal, where, "merge", { status }, options)
    } catch (error) {
      if (toFault(error).status !== 404) throw error // Gone meanwhile: nobody to tell.
    }
  }
}

function dataOf(secret: ApiObject): JsonObject {
  const data = secret.data as Json | undefined
  return isObject(data) ? data : {}
}
