// What tenants and nodes are told: how much is used, and of what.

import type { JsonObject } from "../../base/json.ts"
import { condition, type Said } from "./pool-reports.ts"
import type { PoolView } from "./read-pool.ts"
import type { QuotaPlan, Usage } from "./snapshot.ts"

export function tenantReports(
  { tenants }: PoolView,
  { usage, complaints }: QuotaPlan,
): readonly Said[] {
  return tenants.map((object) => {
    const { name } = object.metadata
    const own = usage.filter(({ tenant }) => tenant === name)
    const over = own.filter(({ used, leaving, cap }) => used + leaving > cap)
    const wrong = complaints.find((text) => text.startsWith(`tenant ${name} `))
    const words = own.map(usageText).join(", ") || "it uses nothing"
    const reason = over.length > 0 ? "OverQuota" : wrong === undefined ? "WithinQuota" : "NotMet"
    const ready = condition("Ready", reason === "WithinQuota", reason, wrong ?? words)
    return { object, status: { usage: usageJson(own), conditions: [ready] } }
  })
}

function usageText({ flavor, used, leaving, cap }: Usage): string {
  const more = leaving === 0 ? "" : ` and ${leaving} that are being freed`
  return `${used}${more} of ${cap} ${flavor}`
}

function usageJson(usage: readonly Usage[]): JsonObject {
  return Object.fromEntries(
    usage.map(({ flavor, nominal, cap, used, leaving, waiting }) => {
      const borrowed = Math.max(0, used - nominal)
      return [flavor, { nominal, cap, used, borrowed, leaving, waiting }]
    }),
  )
}

export function nodeReports({ nodes, snapshot }: PoolView): readonly Said[] {
  const held = new Map<string, number>()
  for (const { state } of snapshot.workloads) {
    if (state.kind === "waiting") continue
    for (const { node, devices } of state.seats) {
      held.set(node, (held.get(node) ?? 0) + devices.length)
    }
  }
  return nodes.flatMap((object) => {
    const facts = snapshot.nodes.find((node) => node.name === object.metadata.name)
    if (facts === undefined) return []
    const used = held.get(facts.name) ?? 0
    const { doubt, cordoned, outOfService, gpus } = facts
    const reason = outOfService
      ? "OutOfService"
      : doubt !== undefined
        ? "Silent"
        : cordoned
          ? "Cordoned"
          : "Taking"
    const message = doubt ?? `${used} of ${gpus} GPUs are held`
    const ready = condition("Ready", doubt === undefined && !outOfService, reason, message)
    return [{ object, status: { used, free: gpus - used, conditions: [ready] } }]
  })
}
