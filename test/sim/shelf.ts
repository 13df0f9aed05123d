// A composite of widgets for scenarios: a Shelf wants so many widgets of one color, named after it.

import { z } from "zod"
import type { JsonObject } from "../../src/base/json.ts"
import type { CompositeKind, Composition, NoComposition } from "../../src/contract/composite.ts"
import type { ApiObject } from "../../src/object/object.ts"
import { defineComposite } from "../../src/provider/define-composite.ts"
import { widget } from "./site.ts"

export const shelves = { group: "sim.setpoint.dev", version: "v1", resource: "shelves" } as const

export function shelf(name: string, spec: JsonObject): ApiObject {
  return { apiVersion: "sim.setpoint.dev/v1", kind: "Shelf", metadata: { name }, spec }
}

const spec = z.strictObject({
  count: z.int().min(0).max(2000),
  color: z.string().max(64).default("red"),
  /** Part of the names: another one replaces all of them. */
  series: z.string().max(20).default("w"),
})

type Input = Parameters<CompositeKind["compose"]>[0]

/** `change` may say something else than what is asked for. */
export function shelfKind(
  change: (made: Composition, input: Input) => Composition | NoComposition = (made) => made,
): CompositeKind {
  const kind = defineComposite({
    ...{ group: "sim.setpoint.dev", version: "v1", kind: "Shelf", plural: "shelves", spec },
    children: [{ group: "sim.setpoint.dev", kind: "Widget" }],
    related: [],
    compose: ({ parent, children }) => {
      const { count, color, series } = parent.spec
      const names = Array.from(
        { length: count },
        (_, at) => `${parent.metadata.name}-${series}${at}`,
      )
      const made = children.filter(({ metadata }) => metadata.deletionTimestamp === undefined)
      return {
        children: names.map((name) => widget(name, { color })),
        status: { widgets: made.length },
      }
    },
  })
  return {
    ...kind,
    compose: (input) => {
      const made = kind.compose(input)
      return "stalled" in made ? made : change(made, input)
    },
  }
}
