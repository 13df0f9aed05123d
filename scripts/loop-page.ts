// docs/reference/loop.md: the fields of the Loop object with type, default and meaning from its
// definition. A field without a meaning, or the other way round, is refused.

import { loopFields } from "../src/api/definitions/descriptions/setpoint-kinds.ts"
import { loopDefinition } from "../src/api/definitions/setpoint.ts"
import { at, isArray, isObject, type Json, type JsonObject } from "../src/base/json.ts"

/** Pages that say more. */
const links: Readonly<Record<string, string>> = {
  mode: "[modes](../concepts/modes.md)",
  limits: "[limits](../concepts/limits.md)",
  approvals: "[held plans](../concepts/held-plans.md)",
}

export async function loopPage(): Promise<string> {
  const rows = rowsOf(specSchema(), "")
  const unknown = Object.keys(loopFields).filter((path) => !rows.some((row) => row.path === path))
  if (unknown.length > 0) throw new Error(`the Loop has no field ${unknown.join(", ")}`)
  return `${[
    "# The Loop object",
    "",
    "Generated from `src/api/definitions/setpoint.ts` by `npm run reference`; do not edit.",
    "`setpoint.dev/v1alpha1`, namespaced. All fields are below `spec`; all have a safe default.",
    "",
    "| field | type | default | meaning |",
    "| --- | --- | --- | --- |",
    ...rows.map(lineOf),
    "",
    "Durations are written as `30s`, `5m` or `1h30m`.",
    "",
    "```yaml",
    ...example,
    "```",
    "",
    "Namespace and name together (`default.site`) are the loop's id. It is the value of the label",
    "`setpoint.dev/loop` on every object of the loop.",
  ].join("\n")}\n`
}

const example = [
  "apiVersion: setpoint.dev/v1alpha1",
  "kind: Loop",
  "metadata:",
  "  name: site",
  "spec:",
  "  mode: Enforce",
  "  interval: 1m",
  "  source:",
  "    directory:",
  "      path: /srv/setpoint-example/manifests",
  "  limits:",
  "    deletes: 2",
  "    changes: 20",
]

interface Row {
  readonly path: string
  readonly schema: JsonObject
}

function specSchema(): JsonObject {
  const versions = at(loopDefinition.spec, "versions")
  const version: Json | undefined = isArray(versions) ? versions[0] : undefined
  const spec = at(version, "schema", "openAPIV3Schema", "properties", "spec")
  if (!isObject(spec)) throw new Error("the Loop's definition has no spec")
  return spec
}

function rowsOf(schema: JsonObject, prefix: string): Row[] {
  const { properties, items } = schema
  if (isObject(items)) return rowsOf(items, prefix.replace(/\.$/, "[]."))
  if (!isObject(properties)) return []
  return Object.entries(properties).flatMap(([name, value]) => {
    if (!isObject(value)) return []
    const path = `${prefix}${name}`
    return [{ path, schema: value }, ...rowsOf(value, `${path}.`)]
  })
}

function lineOf({ path, schema }: Row): string {
  const { description } = schema
  if (typeof description !== "string") throw new Error(`the Loop does not explain ${path}`)
  const link = links[path]
  const meaning = link === undefined ? description : `${description} See ${link}.`
  const { enum: choices, default: preset } = schema
  const type = isArray(choices) ? choices.map((one) => `\`${one}\``).join(", ") : typeOf(schema)
  const shown = preset === undefined || typeof preset === "object" ? "" : `\`${preset}\``
  return `| \`${path}\` | ${type} | ${shown} | ${meaning} |`
}

function typeOf({ type, minimum, maximum }: JsonObject): string {
  const from = minimum === undefined ? "" : `, from ${minimum}`
  const to = maximum === undefined ? "" : ` to ${maximum}`
  return `${String(type)}${from}${to}`
}
