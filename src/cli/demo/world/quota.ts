// The loop `quota`: sixteen simulated GPUs, and a tenant that may use ten and uses ten. Four more
// pieces of work lie in more/, for the key that floods it. Pure.

import { stringify } from "yaml"
import type { JsonObject } from "../../../base/json.ts"

export const quotaCount = 10
export const floodCount = 4

const object = (kind: string, name: string, spec: JsonObject): string =>
  stringify({ apiVersion: "gpu.setpoint.dev/v1alpha1", kind, metadata: { name }, spec })

export function workName(number: number): string {
  return `work-${String(number).padStart(2, "0")}`
}

export function poolManifests(): Readonly<Record<string, string>> {
  const node = (name: string) =>
    object("GpuNode", name, { flavor: "a100", gpus: 8, simulated: true })
  return {
    "pool.yaml": [object("GpuPool", "default", {}), node("rack1"), node("rack2")].join("---\n"),
    "ann.yaml": object("Tenant", "ann", { quota: { a100: { nominal: quotaCount } } }),
  }
}

export function workManifest(number: number): string {
  return object("Workload", workName(number), {
    ...{ tenant: "ann", flavor: "a100", gpus: 1 },
    process: { command: ["/bin/sleep", "1000000"], stopGraceSeconds: 2 },
  })
}
