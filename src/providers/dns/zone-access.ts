// How somebody reaches a zone: as what they describe it, and in which namespace the Secret with its
// key lies. Two objects that name the same zone and server may still know it by different keys, and
// none of them is ever lent the other's.

import { canonicalJson, isObject, type Json, type JsonObject } from "../../base/json.ts"
import type { Desire, KindProvider } from "../../contract/provider.ts"
import type { ZonePlace } from "./dns-spec.ts"

export interface ZoneAccess {
  /** Of the DnsZone, and so of the Secret that its `keyFrom` names. */
  readonly namespace: string
  readonly place: ZonePlace
}

/** What is only recorded says where a zone is, and neither how to sign nor what is allowed. */
export const isFull = (place: ZonePlace): boolean => place.policy !== undefined

export const isSigned = (place: ZonePlace): boolean =>
  isFull(place) && ["key", "keyFrom", "keyFile"].some((name) => Object.hasOwn(place, name))

/** Names the key that a description refers to; undefined where it refers to none. */
export function keyReference({ namespace, place }: ZoneAccess): string | undefined {
  const { keyFrom } = place as { readonly keyFrom?: Json }
  return keyFrom === undefined ? undefined : canonicalJson([namespace, keyFrom])
}

/** A DnsZone says under which name others refer to its key, besides the key itself. */
export const namesItsKey = (kind: KindProvider): KindProvider =>
  desiring(kind, (spec, desired) => {
    const { keyFrom } = spec
    return keyFrom === undefined ? desired : { ...desired, keyFrom }
  })

/** A record set knows where its DnsZone is, whatever the value says that it took from there. */
export const namesItsNamespace = (kind: KindProvider): KindProvider =>
  desiring(kind, ({ zoneFrom }, desired) => {
    const { zone } = desired
    if (!isObject(zoneFrom) || !isObject(zone)) return desired
    return { ...desired, zone: { ...zone, namespace: zoneFrom.namespace ?? "" } }
  })

function desiring(
  kind: KindProvider,
  also: (spec: JsonObject, desired: JsonObject) => JsonObject,
): KindProvider {
  const { desire } = kind
  if (desire === undefined) return kind
  return {
    ...kind,
    desire(spec, lookup): Desire {
      const found = desire(spec, lookup)
      return { ...found, desired: also(spec, found.desired) }
    },
  }
}
