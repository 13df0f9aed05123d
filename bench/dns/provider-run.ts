// The DNS kinds called as the engine calls them: a plan that transfers the whole zone and compares
// every declared record set, and a batch of 100 changes.

import type { JsonObject } from "../../src/base/json.ts"
import { systemClock as clock, systemRandom as random } from "../../src/base/system.ts"
import { finishAction } from "../../src/contract/action.ts"
import type { KindProvider, Target } from "../../src/contract/provider.ts"
import { createSockets } from "../../src/provider/adapter/sockets.ts"
import { worldWith } from "../../src/provider/missing-handles.ts"
import { testKey } from "../../src/providers/dns/adapter/testing/name-servers.ts"
import { dnsKinds } from "../../src/providers/dns/dns-kinds.ts"
import { diffTarget } from "../../src/reconcile/diff.ts"
import { createKindRuntime, type KindRuntime } from "../../src/reconcile/kind-runtime.ts"
import { createSecretHasher } from "../../src/reconcile/secrets.ts"
import { addressOf, nameOf, type ZoneSite, zone } from "./zone-site.ts"

export interface Change {
  readonly n: number
  readonly value: string
}

/** The same hundred every round, with other values; round 0 is how it began. */
export function hundredChanges(round: number): readonly Change[] {
  return Array.from({ length: 100 }, (_, index) => {
    const n = index * 7
    return { n, value: round === 0 ? addressOf(n) : `172.16.${round % 250}.${index}` }
  })
}

function recordSets(transferEveryMs: number): KindProvider {
  const kinds = dnsKinds({ clock, random, transferEveryMs })
  const kind = kinds.find((one) => one.kind === "RecordSet")
  if (kind === undefined) throw new Error("no kind RecordSet")
  return kind
}

export class ProviderRun {
  readonly #site: ZoneSite
  readonly #world = worldWith({ sockets: createSockets() })
  readonly #signal = new AbortController().signal
  readonly #zone: JsonObject
  readonly #hasher = createSecretHasher("bench", new Uint8Array(32))
  /** Transfers the zone with every look. */
  readonly #kind: KindProvider
  readonly #runtime: KindRuntime
  /** Remembers, as it does in a plane. */
  readonly #acting: KindProvider

  constructor(site: ZoneSite) {
    this.#site = site
    const rest = { policy: "sync", ignore: [], ownership: "none" }
    this.#zone = { name: zone, server: site.server.address, key: { ...testKey }, ...rest }
    this.#kind = recordSets(0)
    this.#runtime = createKindRuntime(this.#kind)
    this.#acting = recordSets(600_000)
  }

  #target(n: number, value: string): Target {
    const desired = { zone: this.#zone, name: nameOf(n), type: "A", ttl: 300, values: [value] }
    const identity = this.#kind.identity(desired)
    return { uid: `bench-${n}`, object: `x/default/${n}`, desired, identity }
  }

  async #list(kind: KindProvider) {
    const context = { world: this.#world, signal: this.#signal }
    const listing = await kind.list?.("", this.#target(0, addressOf(0)), context)
    if (listing?.complete !== true) throw new Error("the zone was not read")
    return listing
  }

  /** A whole transfer and a comparison of every record set. */
  async plan(): Promise<void> {
    const { items } = await this.#list(this.#kind)
    const seen = new Map(items.map((item) => [item.identity, item]))
    for (let n = 0; n < this.#site.count; n++) {
      const { desired, identity } = this.#target(n, addressOf(n))
      const observed = seen.get(identity)?.value
      const difference = diffTarget({
        ...{ kind: this.#runtime, desired, record: undefined, hasher: this.#hasher },
        ...(observed === undefined ? { observed: undefined } : { observed }),
      })
      if (difference.length > 0) throw new Error(`${identity} differs`)
    }
  }

  async look(): Promise<void> {
    await this.#list(this.#acting)
  }

  async change(round: number): Promise<void> {
    const { items } = await this.#list(this.#acting)
    const tokens = new Map(items.map((item) => [item.identity, item.token]))
    const batch = hundredChanges(round).map(({ n, value }) => {
      const target = this.#target(n, value)
      const token = tokens.get(target.identity) ?? ""
      const action = finishAction({
        ...{ verb: "update", uid: target.uid, object: target.object, kind: "RecordSet" },
        ...{ loop: "default.bench", generation: 1, incarnation: 1, changes: [], token },
        ...{ target: target.identity, cause: { kind: "edit", text: "a benchmark" } },
      })
      const context = { world: this.#world, signal: this.#signal, action, token }
      return { target, context: { ...context, idempotencyKey: "bench" } }
    })
    const results = (await this.#acting.actBatch?.("", batch)) ?? []
    if (!results.every(({ kind }) => kind === "done")) throw new Error("a change was not made")
  }

  async restore(): Promise<void> {
    await this.look()
    await this.change(0)
  }
}
