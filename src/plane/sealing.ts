// What is sealed in the store, and with which keys: says when something can't be opened, and writes
// everything again with a new key. Old keys stay: history and backups still need them.

import { isSealedPlace, sealedPrefixes, sealedStore, secretsPrefix } from "../api/sealed-store.ts"
import type { Sealer } from "../contract/sealer.ts"
import type { Store } from "../contract/store.ts"

export interface Rotation {
  /** The key that is used from now on. */
  readonly key: string
  readonly rewritten: number
  /** Their key is not known; they stay as they are. */
  readonly unreadable: number
}

const pageSize = 100
const attempts = 5

export class Sealing {
  /** Plain values in, sealed ones below. */
  readonly store: Store
  readonly #below: Store
  readonly #sealer: Sealer

  constructor(below: Store, sealer: Sealer) {
    this.#below = below
    this.#sealer = sealer
    this.store = sealedStore(below, sealer)
  }

  /** Undefined when every Secret could be opened when that was last looked at; else why not. */
  trouble: string | undefined

  async look(): Promise<string | undefined> {
    this.trouble = await this.#unopenable()
    return this.trouble
  }

  async #unopenable(): Promise<string | undefined> {
    const known = new Set(this.#sealer.keys())
    const missing = new Map<string, number>()
    for await (const { value } of this.#entries(secretsPrefix)) {
      const key = this.#sealer.keyOf(value)
      if (key !== undefined && !known.has(key)) missing.set(key, (missing.get(key) ?? 0) + 1)
    }
    if (missing.size === 0) return undefined
    const lost = [...missing].map(([key, count]) => `${count} with key ${key}`)
    return `Secrets are encrypted with keys that are not in the key file: ${lost.join(", ")}`
  }

  /** Nobody else's change is written over: what changed meanwhile has the new key already. */
  async rotate(newKey: boolean): Promise<Rotation> {
    if (newKey) this.#sealer.rotate()
    const known = new Set(this.#sealer.keys())
    const newest = this.#sealer.keys().at(-1) ?? ""
    let rewritten = 0
    let unreadable = 0
    for (const prefix of sealedPrefixes) {
      for await (const { key, value } of this.#entries(prefix)) {
        const used = this.#sealer.keyOf(value)
        if (used === newest || !isSealedPlace(key)) continue
        if (used !== undefined && !known.has(used)) unreadable++
        else if (await this.#rewrite(key)) rewritten++
      }
    }
    return { key: newest, rewritten, unreadable }
  }

  async #rewrite(key: string): Promise<boolean> {
    const { epochCheck } = this.store.identity
    for (let attempt = 0; attempt < attempts; attempt++) {
      const entry = await this.store.get(key)
      if (entry === undefined || "kind" in entry) return false
      const checks = [epochCheck, { key, modRevision: entry.modRevision }]
      const write = { kind: "put", key, value: entry.value } as const
      if ((await this.store.commit(checks, [write])).kind === "committed") return true
    }
    return false
  }

  async *#entries(prefix: string) {
    let after: string | undefined
    for (;;) {
      const query = { prefix, limit: pageSize, ...(after === undefined ? {} : { after }) }
      const page = await this.#below.range(query)
      if (page.kind === "compacted") return
      yield* page.entries
      after = page.entries.at(-1)?.key
      if (!page.more || after === undefined) return
    }
  }
}
