// Is a request meant for us? A page in a browser can make requests to this host: by a name that it
// points here (DNS rebinding), or from a page of its own. Both give themselves away in headers that
// a page can't set.

import type { IncomingHttpHeaders } from "node:http"
import { protects } from "../../base/protections.ts"
import { portFault } from "./faults.ts"

export interface Place {
  readonly scheme: "http" | "https"
  /** Names and addresses that are ours, in lower case and without a port. */
  isOurs(name: string): boolean
}

/** Throws when the request was meant for another host or made by another site's page. */
export function checkPlace(
  headers: IncomingHttpHeaders,
  place: Place,
  localAddress: string | undefined,
  rawHeaders: readonly string[] = [],
): void {
  const authority = headers[":authority"]
  const host = String(authority ?? headers.host ?? "").toLowerCase()
  const name = hostName(host)
  const isNamed = name !== "" && (place.isOurs(name) || name === plainAddress(localAddress))
  // Of two hosts node shows the first; whoever stands before us may have believed the second.
  const isOurs = isNamed && hostCount(rawHeaders) < 2
  if (!isOurs && protects("host-is-checked")) {
    throw portFault("SPT-API-050", { host: printable(host) })
  }
  const origin = headers.origin
  const isSame = origin === undefined || origin.toLowerCase() === `${place.scheme}://${host}`
  const site = headers["sec-fetch-site"]
  const isForeign = site === "cross-site" || site === "same-site"
  if ((!isSame || isForeign) && protects("origin-is-checked")) {
    throw portFault("SPT-API-051", { origin: printable(String(origin ?? site)) })
  }
}

/** Names and values stand one after the other. */
function hostCount(raw: readonly string[]): number {
  let count = 0
  for (let at = 0; at < raw.length; at += 2) {
    const name = raw[at]
    if (name?.length === 4 && name.toLowerCase() === "host") count++
  }
  return count
}

/** "[::1]:7443" to "::1", "localhost:7443" to "localhost". */
export function hostName(host: string): string {
  const match = /^(?:\[([0-9a-f:.]+)\]|([^:[\]]+))(?::\d{1,5})?$/.exec(host)
  return (match?.[1] ?? match?.[2] ?? "").replace(/\.$/, "")
}

/** Of a socket that takes both versions: "::ffff:10.0.0.1" is 10.0.0.1. */
const plainAddress = (address = ""): string => address.replace(/^::ffff:(?=\d+\.)/, "")

const printable = (text: string): string => text.replaceAll(/[^\x20-\x7e]/g, "?").slice(0, 200)
