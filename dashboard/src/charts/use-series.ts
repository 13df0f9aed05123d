// Asks for the last fifteen minutes again with every sample that the plane takes.

import { useView } from "../live/view.ts"
import type { SeriesView } from "./series.ts"

export const stepMs = 5000

/** Of one loop, or of all that one may see. */
export function useSeries(loop?: string) {
  const path = "/setpoint/v1/series"
  const chosen = loop === undefined ? path : `${path}?loop=${encodeURIComponent(loop)}`
  return useView<SeriesView>(chosen, { everyMs: stepMs, always: true }).view
}
