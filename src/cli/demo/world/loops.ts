// The three loops of the demo, as `setpoint up loops` reads them. The limits of `site` are the
// defaults; the others may change more in ten minutes than a person would do in an hour of demo.

import { stringify } from "yaml"
import type { JsonObject } from "../../../base/json.ts"

const loop = (name: string, limits: JsonObject): string =>
  stringify({
    apiVersion: "setpoint.dev/v1alpha1",
    kind: "Loop",
    metadata: { name },
    spec: { mode: "Enforce", source: { directory: { path: `../${name}` } }, ...limits },
  })

export const loopManifests: Readonly<Record<string, string>> = {
  site: loop("site", { limits: { changes: 1000 } }),
  web: loop("web", { limits: { changes: 1000, deletes: 100, deletesPercent: 100 } }),
  quota: loop("quota", { limits: { changes: 1000, deletes: 100, deletesPercent: 100 } }),
}
