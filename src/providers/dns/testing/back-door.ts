// The zone example.org seen and changed without the provider: by a client of its own, which
// remembers nothing between two calls.

import type { JsonObject } from "../../../base/json.ts"
import { createSockets } from "../../../provider/adapter/sockets.ts"
import { testKey } from "../adapter/testing/name-servers.ts"
import { type MessagePorts, NameServer } from "../name-server.ts"
import { isMarkName } from "../ownership.ts"
import { makeKey } from "../tsig-key.ts"
import type { ResourceRecord } from "../wire/message.ts"
import { rdataBytes } from "../wire/rdata.ts"
import { recordClasses, typeNumber } from "../wire/record-numbers.ts"

const zone = "example.org."

/** Sees and changes the zone without the provider. */
export class BackDoor {
  readonly #sockets = createSockets()
  readonly #signal = new AbortController().signal
  readonly #server: NameServer
  #foreign = 0

  constructor(port: number, ports: MessagePorts) {
    const key = makeKey(zone, testKey)
    this.#server = new NameServer({ zone, server: { host: "127.0.0.1", port }, key }, ports)
  }

  /** Everything but the top of the zone, its server and the marks, by identity. */
  async list(): Promise<ReadonlyMap<string, JsonObject>> {
    const { sets } = await this.#server.transfer(this.#sockets, this.#signal)
    const found = new Map<string, JsonObject>()
    for (const { name, type, ttl, values } of sets.values()) {
      if (name === zone || name === `ns1.${zone}` || isMarkName(name)) continue
      found.set(`${zone} ${name} ${type}`, { name, type, ttl, values: [...values] })
    }
    return found
  }

  async update(authorities: readonly ResourceRecord[]): Promise<void> {
    const rcode = await this.#server.update({ authorities }, this.#sockets, this.#signal)
    if (rcode !== 0) throw new Error(`the back door got rcode ${rcode}`)
  }

  record(identity: string, value: string): ResourceRecord {
    const [, name = "", type = ""] = identity.split(" ")
    const number = typeNumber(type) ?? 0
    const data = rdataBytes(number, value)
    return { name, type: number, class: recordClasses.IN, ttl: 77, data }
  }

  gone(identity: string): ResourceRecord {
    const [, name = "", type = ""] = identity.split(" ")
    const number = typeNumber(type) ?? 0
    return { name, type: number, class: recordClasses.ANY, ttl: 0, data: new Uint8Array(0) }
  }

  async clear(): Promise<void> {
    const { sets } = await this.#server.transfer(this.#sockets, this.#signal)
    const all = [...sets.values()].filter(({ name }) => name !== zone && name !== `ns1.${zone}`)
    if (all.length > 0) {
      await this.update(all.map(({ name, type }) => this.gone(`${zone} ${name} ${type}`)))
    }
  }

  async addForeign(): Promise<string> {
    const identity = `${zone} foreign-${++this.#foreign}.${zone} A`
    await this.update([this.record(identity, "198.51.100.1")])
    return identity
  }
}
