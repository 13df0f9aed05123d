// What is known of each zone at each server between reads: its last transfer, by serial, and how to
// reach it. Knowledge only saves reads: nothing is concluded from it that the server did not say
// again, by the same serial or by refusing an update.

import type { Clock } from "../../base/clock.ts"
import { protects } from "../../base/protections.ts"
import type { Random } from "../../base/random.ts"
import type { Listing } from "../../contract/observation.ts"
import type { ReadWorld } from "../../contract/world.ts"
import { scopeText, serverText, type ZonePlace, type ZoneSpec, zoneName } from "./dns-spec.ts"
import { dnsFault } from "./faults.ts"
import { listingOf } from "./listing.ts"
import { NameServer } from "./name-server.ts"
import { parseAddress } from "./server-address.ts"
import { makeKey, readKeyFile } from "./tsig-key.ts"
import type { TsigKey } from "./wire/tsig.ts"
import type { ZoneView } from "./zone-view.ts"

export interface DnsKindOptions {
  readonly clock: Clock
  readonly random: Random
  /** A zone is transferred again after this long, whatever its serial says. */
  readonly transferEveryMs?: number
}

export interface ZoneState {
  readonly scope: string
  /** The fullest description seen; sets that are only recorded do not say how to sign. */
  place: ZonePlace
  view: ZoneView | undefined
  listing: Listing | undefined
  /** Monotonic. */
  transferredAt: number
}

const transferEveryMs = 10 * 60_000

export class ZoneMemory {
  readonly options: DnsKindOptions
  readonly #zones = new Map<string, ZoneState>()
  readonly #keys = new Map<string, TsigKey>()

  constructor(options: DnsKindOptions) {
    this.options = options
  }

  /** The zone that a spec names, with everything that other specs have told about it. */
  stateOf(place: ZonePlace): ZoneState {
    const scope = scopeText(place)
    const known = this.#zones.get(scope)
    if (known !== undefined) {
      if (place.policy !== undefined) known.place = place
      return known
    }
    const empty = { view: undefined, listing: undefined }
    const state: ZoneState = { scope, place, ...empty, transferredAt: 0 }
    this.#zones.set(scope, state)
    return state
  }

  /** A DnsZone knows its key even where the sets of the zone only know its name. */
  learnKey(place: ZoneSpec, key: TsigKey | undefined): void {
    const scope = scopeText(place)
    this.stateOf(place)
    // Another zone object without a key takes nobody's away: only who refers to one gets it.
    if (key !== undefined) this.#keys.set(scope, key)
  }

  async keyOf(place: ZonePlace, world: Pick<ReadWorld, "files">): Promise<TsigKey | undefined> {
    const zone = zoneName(place)
    if (place.key !== undefined) return makeKey(zone, place.key)
    if (place.keyFile !== undefined) return readKeyFile(zone, place.keyFile, world.files)
    // Who only names zone and server does not sign with a key that somebody else's DnsZone has.
    const referred = Object.hasOwn(place, "keyFrom") || place.policy === undefined
    if (!referred && protects("keys-are-given-by-reference")) return undefined
    const learned = this.#keys.get(scopeText(place))
    if (learned !== undefined || !referred) return learned
    throw dnsFault("SPT-DNS-010", { zone, server: serverText(place) })
  }

  /** As this place says; as the fullest description does where it says too little. */
  async serverOf(
    state: ZoneState,
    world: Pick<ReadWorld, "files">,
    given: ZonePlace = state.place,
  ): Promise<NameServer> {
    const place = given.policy === undefined ? state.place : given
    const key = await this.keyOf(place, world)
    const access = { zone: zoneName(place), server: parseAddress(place.server) }
    return new NameServer({ ...access, ...(key === undefined ? {} : { key }) }, this.options)
  }

  /** The zone as it is now: by its serial where that did not move, else by a transfer. */
  async refresh(state: ZoneState, world: ReadWorld, signal: AbortSignal): Promise<ZoneState> {
    const server = await this.serverOf(state, world)
    const { clock } = this.options
    const now = clock.monotonic()
    const due = (this.options.transferEveryMs ?? transferEveryMs) + state.transferredAt <= now
    if (state.view !== undefined && !due) {
      const serial = await server.serial(world.sockets, signal)
      if (serial === state.view.serial) return state
    }
    const view = await server.transfer(world.sockets, signal)
    state.listing = listingOf(view, state.place, state.listing)
    state.view = view
    state.transferredAt = now
    return state
  }
}
