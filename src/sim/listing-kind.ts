// Widget over a plain in-memory map, for benchmarks with 100,000 objects: a list answers with
// prebuilt items and copies nothing. No faults, no ledger; only a count of mutations. Never change
// the items of an answer: they are the provider's own.

import type { JsonObject } from "../base/json.ts"
import type { ListedItem, Listing } from "../contract/observation.ts"
import type { ActResult, KindProvider, Target } from "../contract/provider.ts"
import { widgetDefinition, widgetGroup, widgetVersion } from "./widget-definition.ts"
import { nameOf } from "./widget-facts.ts"

export interface ListingKind extends KindProvider {
  /** Creates, updates and deletes so far. */
  mutations(): number
  /** Puts a target there without counting it: how a benchmark starts converged. */
  seed(desired: JsonObject, mark?: string): void
}

export function listingKind(options: { readonly scope?: string } = {}): ListingKind {
  const scope = options.scope ?? "all"
  const items = new Map<string, ListedItem>()
  let versions = 0
  let mutations = 0
  let listing: Listing | undefined
  const put = (identity: string, value: JsonObject, mark: string | undefined) => {
    const token = String(++versions)
    items.set(identity, { identity, value, token, ...(mark === undefined ? {} : { mark }) })
    listing = undefined
  }
  const act = (target: Target, perform: () => void): Promise<ActResult> => {
    mutations++
    perform()
    return Promise.resolve({ kind: "done", externalId: target.identity })
  }
  const write = (target: Target) =>
    act(target, () => put(target.identity, target.desired, target.uid))
  return {
    definition: widgetDefinition,
    group: widgetGroup,
    version: widgetVersion,
    kind: "Widget",
    resource: "widgets",
    namespaced: true,
    provider: "sim-listing",
    identityRule: "derived",
    replaceOn: [],
    secretPaths: [],
    fungible: false,
    confirmDrift: false,
    batchWhole: false,
    timeoutMs: { observe: 30_000, act: 30_000 },
    connection: () => "",
    identity: nameOf,
    scope: () => scope,
    list: async () => {
      listing ??= { items: [...items.values()], complete: true, token: String(versions) }
      return listing
    },
    create: write,
    update: write,
    delete: (target) =>
      act(target, () => {
        items.delete(target.identity)
        versions++
        listing = undefined
      }),
    mutations: () => mutations,
    seed: (desired, mark) => put(nameOf(desired), desired, mark),
  }
}
