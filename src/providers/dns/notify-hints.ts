// Hints from name servers: a NOTIFY (RFC 1996) is answered, the zone is looked at again, and the
// sets that really differ are told of. A hint proves nothing: whoever sends one causes a question
// to the server and no more, and however many come, one look is under way at a time.

import { sleep } from "../../base/clock.ts"
import { isFault } from "../../base/faults.ts"
import type { Listing } from "../../contract/observation.ts"
import type { Closeable, ReadWorld } from "../../contract/world.ts"
import { addressText, parseAddress } from "./server-address.ts"
import { decodeMessage, encodeMessage, opcodes } from "./wire/message.ts"
import { recordTypes } from "./wire/record-numbers.ts"
import type { ZoneAccess } from "./zone-access.ts"
import type { ZoneMemory, ZoneState } from "./zone-memory.ts"

interface WatchedZone {
  readonly state: ZoneState
  readonly access: ZoneAccess
  readonly world: ReadWorld
  readonly sets: Map<string, Set<() => void>>
  looking: boolean
  again: boolean
}

interface Listener {
  readonly handle: Closeable
  /** By scope. */
  readonly zones: Map<string, WatchedZone>
}

const lookMsMax = 60_000
const nothing: Closeable = { close: () => {} }

export class NotifyHints {
  readonly #memory: ZoneMemory
  readonly #listeners = new Map<string, Listener>()

  constructor(memory: ZoneMemory) {
    this.#memory = memory
  }

  /** Calls `changed` when a NOTIFY came and this set is not what it was. */
  watch(access: ZoneAccess, identity: string, world: ReadWorld, changed: () => void): Closeable {
    const { place } = access
    if (place.notify === undefined) return nothing
    const at = addressText(parseAddress(place.notify))
    const listener = this.#listeners.get(at) ?? this.#listen(at, world)
    const state = this.#memory.stateOf(place)
    const zone = listener.zones.get(state.scope) ?? {
      ...{ state, access, world, sets: new Map(), looking: false, again: false },
    }
    listener.zones.set(state.scope, zone)
    const calls = zone.sets.get(identity) ?? new Set()
    zone.sets.set(identity, calls.add(changed))
    return { close: () => this.#forget(at, state.scope, identity, changed) }
  }

  #forget(at: string, scope: string, identity: string, changed: () => void): void {
    const listener = this.#listeners.get(at)
    const zone = listener?.zones.get(scope)
    const calls = zone?.sets.get(identity)
    if (listener === undefined || zone === undefined || calls === undefined) return
    calls.delete(changed)
    if (calls.size === 0) zone.sets.delete(identity)
    if (zone.sets.size === 0) listener.zones.delete(scope)
    if (listener.zones.size > 0) return
    this.#listeners.delete(at)
    listener.handle.close()
  }

  #listen(at: string, world: ReadWorld): Listener {
    const zones: Listener["zones"] = new Map()
    const received = (payload: Uint8Array) => {
      const about = readNotify(payload)
      if (about === undefined) return undefined
      const meant = [...zones.values()].filter(({ state }) => state.zone === about.zone)
      for (const zone of meant) void this.#look(zone)
      return meant.length === 0 ? undefined : about.answer
    }
    const listener = { handle: world.sockets.listen(parseAddress(at), received), zones }
    this.#listeners.set(at, listener)
    return listener
  }

  async #look(zone: WatchedZone): Promise<void> {
    if (zone.looking) {
      zone.again = true
      return
    }
    zone.looking = true
    do {
      zone.again = false
      await this.#lookOnce(zone)
    } while (zone.again)
    zone.looking = false
  }

  async #lookOnce({ state, access, world, sets }: WatchedZone): Promise<void> {
    const before = state.listing
    const stop = new AbortController()
    const over = new AbortController()
    void sleep(this.#memory.options.clock, lookMsMax, over.signal).then(() => stop.abort())
    try {
      await this.#memory.refresh(access, world, stop.signal)
    } catch (error) {
      if (!isFault(error)) throw error
      return // The level read says it, with its reason.
    } finally {
      over.abort()
    }
    if (state.listing === before) return
    const [old, now] = [tokensOf(before), tokensOf(state.listing)]
    for (const [identity, calls] of sets) {
      if (old.get(identity) === now.get(identity)) continue
      for (const changed of calls) changed()
    }
  }
}

function tokensOf(listing: Listing | undefined): ReadonlyMap<string, string> {
  return new Map(listing?.items.map(({ identity, token }) => [identity, token]))
}

/** The zone that a NOTIFY is about, and what its sender waits for. */
function readNotify(payload: Uint8Array): { zone: string; answer: Uint8Array } | undefined {
  try {
    const { id, opcode, response, questions } = decodeMessage(payload)
    const [about] = questions
    const isNotify = opcode === opcodes.notify && !response && about?.type === recordTypes.SOA
    if (!isNotify) return undefined
    const said = { id, opcode, response: true, authoritative: true, questions: [about] }
    return { zone: about.name, answer: encodeMessage(said) }
  } catch (error) {
    if (isFault(error)) return undefined
    throw error
  }
}
