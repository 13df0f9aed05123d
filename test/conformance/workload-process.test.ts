// A Workload's process is written as a Process later, when there are GPUs: whatever the one takes
// the other has to take too, or the work waits in a queue for nothing. Providers do not import each
// other, so the rules are written twice, and held together here.

import { expect, it } from "vitest"
import { isObject, type JsonObject } from "../../src/base/json.ts"
import { lowerSchema } from "../../src/provider/lower-schema.ts"
import { processSpec } from "../../src/providers/process/process-spec.ts"
import { processTemplate } from "../../src/providers/quota/quota-spec.ts"

const fieldsOf = (schema: JsonObject): JsonObject =>
  isObject(schema.properties) ? schema.properties : {}

/** Rules alone: what a field means and what it is by default may differ. */
function rulesOf(field: JsonObject | undefined): JsonObject {
  const { description: _, default: _d, ...rules } = field ?? {}
  return rules
}

it("takes of a workload's process exactly what the kind Process takes", () => {
  const own = fieldsOf(lowerSchema(processTemplate, "Workload"))
  const theirs = fieldsOf(lowerSchema(processSpec, "Process"))
  expect(Object.keys(own).length).toBeGreaterThan(5)
  for (const [name, field] of Object.entries(own)) {
    const rules = rulesOf(field as JsonObject)
    const known = rulesOf(theirs[name] as JsonObject | undefined)
    // Where it sits is told by some more variables.
    const less = name === "env" ? { ...known, maxProperties: 990 } : known
    expect([name, rules]).toEqual([name, less])
  }
})
