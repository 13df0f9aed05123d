// What is known of each zone at each server between reads: its last transfer, by serial, and how to
// reach it. Knowledge only saves reads: nothing is concluded from it that the server did not say
// again, by the same serial or by refusing an update.

import type { Clock } from "../../base/clock.ts"
import { protects } from "../../base/protections.ts"
import type { Random } from "../../base/random.ts"
import type { Listing } from "../../contract/observation.ts"
import type { ReadWorld } from "../../contract/world.ts"
import { parseKeyText } from "../../object/object.ts"
import { scopeText, serverText, type ZonePlace, zoneName } from "./dns-spec.ts"
import { dnsFault } from "./faults.ts"
import { listingOf } from "./listing.ts"
import { NameServer } from "./name-server.ts"
import { parseAddress } from "./server-address.ts"
import { makeKey, readKeyFile } from "./tsig-key.ts"
import type { TsigKey } from "./wire/tsig.ts"
import { isFull, isSigned, keyReference, type ZoneAccess } from "./zone-access.ts"
import type { ZoneView } from "./zone-view.ts"

export interface DnsKindOptions {
  readonly clock: Clock
  readonly random: Random
  /** A zone is transferred again after this long, whatever its serial says. */
  readonly transferEveryMs?: number
}

export interface ZoneState {
  readonly scope: string
  readonly zone: string
  view: ZoneView | undefined
  listing: Listing | undefined
  /** Monotonic. */
  transferredAt: number
}

const transferEveryMs = 10 * 60_000

export class ZoneMemory {
  readonly options: DnsKindOptions
  readonly #zones = new Map<string, ZoneState>()
  /** The last full description, by the namespace of who gave it and by scope. */
  readonly #described = new Map<string, ZoneAccess>()
  /** By scope and by reference. */
  readonly #keys = new Map<string, Map<string, TsigKey>>()

  constructor(options: DnsKindOptions) {
    this.options = options
  }

  /** What is known of the zone that is named here, whoever read it. */
  stateOf(place: ZonePlace): ZoneState {
    const scope = scopeText(place)
    const known = this.#zones.get(scope)
    if (known !== undefined) return known
    const empty = { view: undefined, listing: undefined }
    const state: ZoneState = { scope, zone: zoneName(place), ...empty, transferredAt: 0 }
    this.#zones.set(scope, state)
    return state
  }

  /**
   * How this object reaches its zone: as it says, or, where it is only recorded, as its namespace
   * said last. What another namespace says of the same zone is nothing to go by: neither its key
   * nor what it allows.
   */
  accessOf(object: string, place: ZonePlace): ZoneAccess {
    const { namespace } = parseKeyText(object)
    const where = `${namespace} ${scopeText(place)}`
    const known = this.#described.get(where)
    if (!isFull(place)) return known ?? { namespace, place }
    const access = { namespace: place.namespace || namespace, place }
    const better = known === undefined || isSigned(place) || !isSigned(known.place)
    if (better) this.#described.set(where, access)
    return access
  }

  /** A DnsZone knows its key even where the sets of the zone only know its name. */
  learnKey(access: ZoneAccess, key: TsigKey | undefined): void {
    const reference = keyReference(access)
    if (key === undefined || reference === undefined) return
    const scope = scopeText(access.place)
    const known = this.#keys.get(scope) ?? new Map<string, TsigKey>()
    this.#keys.set(scope, known.set(reference, key))
  }

  async keyOf(access: ZoneAccess, world: Pick<ReadWorld, "files">): Promise<TsigKey | undefined> {
    const { place } = access
    const zone = zoneName(place)
    if (place.key !== undefined) return makeKey(zone, place.key)
    if (place.keyFile !== undefined) return readKeyFile(zone, place.keyFile, world.files)
    const reference = keyReference(access)
    const learned = this.#learned(scopeText(place), reference)
    // Who refers to no key signs with none; who is only recorded does not know what to refer to.
    if (learned !== undefined || (reference === undefined && isFull(place))) return learned
    throw dnsFault("SPT-DNS-010", { zone, server: serverText(place) })
  }

  #learned(scope: string, reference: string | undefined): TsigKey | undefined {
    const known = this.#keys.get(scope)
    if (!protects("keys-are-given-by-reference")) return known?.values().next().value
    return reference === undefined ? undefined : known?.get(reference)
  }

  async serverOf(access: ZoneAccess, world: Pick<ReadWorld, "files">): Promise<NameServer> {
    const { place } = access
    const key = await this.keyOf(access, world)
    const where = { zone: zoneName(place), server: parseAddress(place.server) }
    return new NameServer({ ...where, ...(key === undefined ? {} : { key }) }, this.options)
  }

  /** The zone as it is now: by its serial where that did not move, else by a transfer. */
  async refresh(access: ZoneAccess, world: ReadWorld, signal: AbortSignal): Promise<ZoneState> {
    const state = this.stateOf(access.place)
    const server = await this.serverOf(access, world)
    const { clock } = this.options
    const now = clock.monotonic()
    const due = (this.options.transferEveryMs ?? transferEveryMs) + state.transferredAt <= now
    if (state.view !== undefined && !due) {
      const serial = await server.serial(world.sockets, signal)
      if (serial === state.view.serial) return state
    }
    const view = await server.transfer(world.sockets, signal)
    state.listing = listingOf(view, access.place, state.listing)
    state.view = view
    state.transferredAt = now
    return state
  }
}
