// docs/reference/loop.md: the fields of the Loop object with type and default from its definition,
// and what they mean from here. A field without a meaning, or the other way round, is refused.

import { loopDefinition } from "../src/api/definitions/setpoint.ts"
import { at, isArray, isObject, type Json, type JsonObject } from "../src/base/json.ts"

const later = "Reserved: refused until it is supported, but for its default."

const meanings: Readonly<Record<string, string>> = {
  source: "Where manifests come from. Without it objects come through the API.",
  "source.directory": "A folder on this host.",
  "source.directory.path": "Its path. Relative ones only at the top of `setpoint up PATH`.",
  "source.git": later,
  "source.git.url": later,
  "source.git.ref": later,
  "source.git.path": later,
  "source.git.interval": later,
  mode: "How far it goes: [modes](../concepts/modes.md).",
  interval: "The level trigger: everything is looked at this often. At least 1s.",
  limits: "How much may happen in a window: [limits](../concepts/limits.md).",
  "limits.deletes": "At most so many deletes in a window.",
  "limits.deletesPercent": "And at most this share of what the loop owns.",
  "limits.changes":
    "At most so many updates, replaces and re-creations in a window; then it waits.",
  "limits.window": "The length of the window.",
  onEmpty: "`Hold`: taking the last target, or the last of a kind, waits for a person.",
  onDrift: "Correct it, only report it, or hold it for a person.",
  onConflict: "A field that both sides changed: hold it, let the declaration win, or leave it.",
  "limits.shrinkPercent":
    "A revision of the source with fewer objects than this share of the last one is held.",
  onVanish: "All targets of a kind gone at once: hold their re-creation, or go ahead.",
  paths: "Fields that do something else than the loop says.",
  "paths[].path": "The field as a difference names it; everything below it is meant too.",
  "paths[].onDrift": "Instead of the loop's `onDrift`.",
  "paths[].onConflict": "Instead of the loop's `onConflict`.",
  windows: "When it may act, and when it may not. Without an `Open` one: always.",
  "windows[].kind": "`Open`: acts only inside. `Freeze`: does not act inside.",
  "windows[].schedule": "Five cron fields: when the window begins.",
  "windows[].duration": "How long it lasts.",
  "windows[].timeZone": "IANA name of the zone of the schedule.",
  approvals: "What a plan needs: [held plans](../concepts/held-plans.md).",
  "approvals.required": "So many different people.",
  "approvals.separateAuthor": "Who asked for the change may not approve it.",
  "approvals.approvers": "Names of those who may approve; any person when empty.",
  "approvals.expiresAfter": "A plan that is not decided on ends after this.",
  cleanRounds: "So many clean rounds in Observe before a person may promote it.",
  sourceMaxAge: "Deletes wait when the source could not be read for this long.",
  deletionDeadline: "A marked object that is not gone after this is reported as stalled.",
}

export async function loopPage(): Promise<string> {
  const rows = rowsOf(specSchema(), "")
  const unknown = Object.keys(meanings).filter((path) => !rows.some((row) => row.path === path))
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
  const meaning = meanings[path]
  if (meaning === undefined) throw new Error(`scripts/loop-page.ts does not explain ${path}`)
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
