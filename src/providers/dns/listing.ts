// A transferred zone as the engine's listing: one item per record set, with a token that changes
// exactly when its records or its TTL do.

import { hash } from "node:crypto"
import type { JsonObject } from "../../base/json.ts"
import type { ListedItem, Listing } from "../../contract/observation.ts"
import { serverText, type ZonePlace, zoneName } from "./dns-spec.ts"
import { isMarkName } from "./ownership.ts"
import { isServerMade, typeNumber } from "./wire/record-numbers.ts"
import type { RecordSetFacts, ZoneView } from "./zone-view.ts"

/** Observed values are in normal form already; this is how that is known again. */
const normal = new WeakSet<JsonObject>()

export const isNormal = (value: JsonObject): boolean => normal.has(value)

const plainTokenMax = 64

/** Readable where it is short. */
export function tokenOf({ ttl, values }: Pick<RecordSetFacts, "ttl" | "values">): string {
  const text = `${ttl} ${values.length === 1 ? values[0] : values.join("\n")}`
  return text.length <= plainTokenMax ? text : `sha256:${hash("sha256", text)}`
}

const isListed = ({ name, type }: RecordSetFacts): boolean =>
  type !== "SOA" && !isServerMade(typeNumber(type) ?? 0) && !(type === "TXT" && isMarkName(name))

/** Items that did not change are the former listing's own: nothing about them is made again. */
export function listingOf(view: ZoneView, place: ZonePlace, former?: Listing): Listing {
  const zone = { name: zoneName(place), server: serverText(place) }
  const known = new Map(former?.items.map((item) => [item.identity, item]))
  const items: ListedItem[] = []
  for (const [key, set] of view.sets) {
    if (!isListed(set)) continue
    const token = tokenOf(set)
    const identity = `${view.zone} ${key}`
    const mark = view.marks.get(key)
    const old = known.get(identity)
    if (old !== undefined && old.token === token && old.mark === mark) items.push(old)
    else items.push(itemOf(identity, token, zone, set, mark))
  }
  return { items, complete: true, token: `serial ${view.serial}` }
}

function itemOf(
  identity: string,
  token: string,
  zone: JsonObject,
  { name, type, ttl, values }: RecordSetFacts,
  mark: string | undefined,
): ListedItem {
  const value: JsonObject = { zone, name, type, ttl, values }
  normal.add(value)
  return mark === undefined ? { identity, value, token } : { identity, value, token, mark }
}
