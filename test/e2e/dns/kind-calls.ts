// Calls the kind RecordSet as the engine calls it, one list or one batch at a time, for tests that
// step in between.

import type { JsonObject } from "../../../src/base/json.ts"
import { systemClock, systemRandom } from "../../../src/base/system.ts"
import { finishAction } from "../../../src/contract/action.ts"
import type { ActResult, KindProvider, Target } from "../../../src/contract/provider.ts"
import type { SocketsAct } from "../../../src/contract/sockets.ts"
import { createSockets } from "../../../src/provider/adapter/sockets.ts"
import { worldWith } from "../../../src/provider/missing-handles.ts"
import { testKey } from "../../../src/providers/dns/adapter/testing/name-servers.ts"
import { dnsKinds } from "../../../src/providers/dns/dns-kinds.ts"

type ActVerb = "create" | "update" | "delete"

export interface Call {
  readonly verb: ActVerb
  readonly name: string
  readonly type: string
  readonly values: readonly string[]
  readonly token?: string
  readonly ttl?: number
  readonly uid?: string
  readonly applied?: boolean
}

export class KindCalls {
  readonly kind: KindProvider
  readonly #place: JsonObject
  readonly #sockets: SocketsAct
  readonly #signal = new AbortController().signal

  constructor(
    server: { readonly address: string },
    zone: string,
    place: JsonObject = {},
    sockets: SocketsAct = createSockets(),
  ) {
    const kinds = dnsKinds({ clock: systemClock, random: systemRandom })
    const kind = kinds.find((one) => one.kind === "RecordSet")
    if (kind === undefined) throw new Error("no kind RecordSet")
    this.kind = kind
    this.#sockets = sockets
    const preset = { policy: "sync", ignore: [], ownership: "txt", key: { ...testKey } }
    const full = { name: zone, server: server.address, ...preset, ...place }
    // Null takes a preset away.
    this.#place = Object.fromEntries(Object.entries(full).filter(([, value]) => value !== null))
  }

  target({ name, type, values, ttl = 300, uid, applied }: Omit<Call, "verb">): Target {
    const desired = { zone: this.#place, name, type, ttl, values: [...values] }
    const base = { uid: uid ?? "7d1c2f9e-0000-4000-8000-000000000001", object: "x/default/t" }
    const target = { ...base, desired, identity: this.kind.identity(desired) }
    return applied === true ? { ...target, applied: desired } : target
  }

  async look() {
    const sample = this.target({ name: "@", type: "A", values: [] })
    const context = { world: worldWith({ sockets: this.#sockets }), signal: this.#signal }
    const listing = await this.kind.list?.("", sample, context)
    if (listing === undefined) throw new Error("the kind has no list")
    return listing
  }

  async seen(name: string, type: string) {
    const { identity } = this.target({ name, type, values: [] })
    return (await this.look()).items.find((item) => item.identity === identity)
  }

  async tokenOf(name: string, type: string): Promise<string> {
    const item = await this.seen(name, type)
    if (item === undefined) throw new Error(`there is no ${name} ${type}`)
    return item.token
  }

  async batch(calls: readonly Call[]): Promise<readonly ActResult[]> {
    const items = calls.map((call) => {
      const target = this.target(call)
      const token = call.token === undefined ? {} : { token: call.token }
      const action = finishAction({
        ...{ verb: call.verb, uid: target.uid, object: target.object, kind: "RecordSet" },
        ...{ loop: "default.default", generation: 1, incarnation: 1, changes: [], ...token },
        ...{ target: target.identity, cause: { kind: "edit", text: "a test" } },
      })
      const world = worldWith({ sockets: this.#sockets })
      return {
        target,
        context: { world, signal: this.#signal, action, idempotencyKey: "k", ...token },
      }
    })
    return (await this.kind.actBatch?.("", items)) ?? []
  }

  async act(
    verb: ActVerb,
    name: string,
    type: string,
    values: readonly string[],
    token?: string,
  ): Promise<ActResult> {
    const call = { verb, name, type, values, ...(token === undefined ? {} : { token }) }
    const [result] = await this.batch([call])
    if (result === undefined) throw new Error("no result")
    return result
  }
}
