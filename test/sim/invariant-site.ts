// What scenarios about invariants and signals speak with, on top of a site.

import type { JsonObject } from "../../src/base/json.ts"
import type { ApiObject } from "../../src/object/object.ts"
import { ann, type Site, widget } from "./site.ts"

export const resource = (name: string) => ({
  group: "setpoint.dev",
  version: "v1alpha1",
  resource: name,
})
export const invariants = resource("invariants")
export const signals = resource("signals")

/** The red ones are the admins of this world. */
export const oneRed = "objects.exists(o, o.spec.color == 'red')"

export function object(kind: string, name: string, spec: JsonObject): ApiObject {
  const metadata = { name, namespace: "default" }
  return { apiVersion: "setpoint.dev/v1alpha1", kind, metadata, spec }
}

export async function keep(
  site: Site,
  name: string,
  spec: JsonObject,
  afterMs = 3000,
): Promise<void> {
  const loop = site.loopId.slice("default.".length)
  const made = object("Invariant", name, { loop, kinds: ["Widget"], ...spec })
  await site.run(site.as(ann).apply(invariants, made, { fieldManager: "ann", force: true }))
  await site.clock.advance(afterMs)
}

export async function observeSignal(site: Site, name: string, spec: JsonObject): Promise<void> {
  const made = object("Signal", name, { command: { argv: ["/sim/number"] }, ...spec })
  await site.run(site.as(ann).create(signals, made))
  await site.clock.advance(1000)
}

export async function statusOf(site: Site, name: string, of = invariants): Promise<JsonObject> {
  const found = await site.run(site.as(ann).get({ ...of, namespace: "default", name }))
  return found?.status ?? {}
}

export const colors = (...list: readonly (readonly [string, string])[]) =>
  list.map(([name, color]) => widget(name, { color }))

export const calm = { limits: { deletes: 50, deletesPercent: 100, changes: 500 }, onEmpty: "Allow" }
