// Manifests of firewalls for tests, as JSON, which is YAML too.

import { writeFileSync } from "node:fs"
import type { JsonObject } from "../../../src/base/json.ts"

export const firewallResource = {
  ...{ group: "firewall.setpoint.dev", version: "v1alpha1", resource: "firewalls" },
} as const

export const intentResource = { ...firewallResource, resource: "networkintents" } as const

export const accept = (id: string, port: number, source: string): JsonObject => ({
  ...{ id, protocol: "tcp", ports: [port], sources: [source], verdict: "accept" },
})

/** Answers and loopback, then these, and nothing else gets in. */
export const closedBut = (...rules: readonly JsonObject[]) => ({
  input: {
    ...{ hook: "input", policy: "drop" },
    rules: [
      { id: "answers", state: ["established", "related"], verdict: "accept" },
      { id: "loopback", inInterfaces: ["lo"], verdict: "accept" },
      ...rules,
    ],
  },
})

export function writeManifest(file: string, kind: string, name: string, spec: JsonObject): void {
  const apiVersion = "firewall.setpoint.dev/v1alpha1"
  writeFileSync(file, `${JSON.stringify({ apiVersion, kind, metadata: { name }, spec })}\n`)
}
