// Was this sent by a page of ours? Forms and scripts of other sites can't send this header, nor an
// Origin that is ours.

import type { ApiRequest } from "./exchange.ts"
import { portFault } from "./faults.ts"

/** What our own pages send with everything that is no GET. */
export const dashboardHeader = "setpoint-dashboard"

export function requireOwnPage({ method, headers }: ApiRequest): void {
  if (method === "GET" || method === "HEAD") return
  // An Origin that is there is ours: that was checked before.
  if (headers.origin !== undefined || headers[dashboardHeader] !== undefined) return
  throw portFault("SPT-API-053", { header: dashboardHeader })
}
