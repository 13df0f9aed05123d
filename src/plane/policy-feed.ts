// Follows the GuardPolicy objects: each change goes to the keeper of values in force, and then to
// every loop. A policy that is deleted stays in force until that was approved.

import type { Clock } from "../base/clock.ts"
import type { Store } from "../contract/store.ts"
import { Informer } from "../informer/informer.ts"
import { type ApiObject, parseKeyText, setpointGroup } from "../object/object.ts"

export interface PolicyFeedPorts {
  readonly store: Store
  readonly clock: Clock
  changed(name: string, object: ApiObject | undefined): Promise<void>
  /** Policies that are in force, by name. */
  inForce(): readonly string[]
}

export class PolicyFeed {
  readonly #ports: PolicyFeedPorts
  readonly #informer: Informer

  constructor(ports: PolicyFeedPorts) {
    this.#ports = ports
    const { store, clock } = ports
    this.#informer = new Informer({ store, clock, group: setpointGroup, resource: "guardpolicies" })
  }

  /** All of them once, those that went while the plane was down too; then each change. */
  async start(enqueue: (task: () => Promise<void>) => void): Promise<void> {
    await this.#informer.synced()
    const keys = new Map([...this.#informer.keys()].map((key) => [parseKeyText(key).name, key]))
    for (const name of new Set([...keys.keys(), ...this.#ports.inForce()])) {
      const key = keys.get(name)
      const object = key === undefined ? undefined : await this.#informer.get(key)
      await this.#ports.changed(name, object)
    }
    this.#informer.onChange((key) => {
      const { name } = parseKeyText(key)
      enqueue(async () => this.#ports.changed(name, await this.#informer.get(key)))
    })
  }

  close(): Promise<void> {
    return this.#informer.close()
  }
}
