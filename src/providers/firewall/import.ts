// What tables a host has, as specs of Firewall objects. A table is taken as a whole or not at all:
// a firewall with a rule left out is another firewall. Whether it was understood is asked of nft
// itself, in a throw-away namespace. Tables that are not ours are written for a new table beside
// them, since Setpoint never touches theirs.

import {
  at,
  canonicalJson,
  isArray,
  isObject,
  type Json,
  type JsonObject,
} from "../../base/json.ts"
import type { CommandsRead } from "../../contract/commands.ts"
import type { Found, Importer, Skipped } from "../../contract/importer.ts"
import { wrongWith } from "./check-spec.ts"
import { type Dump, elementsOf, sameExpr, shapeOf, thingText } from "./dump.ts"
import { firewallFault } from "./faults.ts"
import { type FirewallSpec, firewallSpec, tablePrefix } from "./firewall-spec.ts"
import { listTables } from "./host.ts"
import { look } from "./look.ts"
import type { NormalForms } from "./normal-form.ts"
import { readRule } from "./read-rule.ts"
import { ruleText, valueText } from "./rule-text.ts"

const options = {
  table: {
    description: "an nftables table, or all: every table of Setpoint's",
    required: true,
  },
  family: { description: "inet (the default), ip or ip6" },
  netns: { description: "a named network namespace of this machine" },
}

const families: readonly string[] = ["inet", "ip", "ip6"]

interface Place {
  readonly family: string
  readonly table: string
  readonly host: JsonObject
}

export function firewallImporter(normal: NormalForms): Importer {
  return {
    options,
    async find({ table = "", family = "inet", netns }, { world: { commands }, signal }) {
      if (!families.includes(family)) throw refusal(table, `there is no family ${family}`)
      const host = netns === undefined ? {} : { netns }
      const places =
        table === "all"
          ? await ownTables(commands, host, signal)
          : [{ family, table, host } satisfies Place]
      const found: Found[] = []
      const skipped: Skipped[] = []
      for (const place of places) {
        const name = `${place.table}${netns === undefined ? "" : `/${netns}`}`
        const spec = await specOf(commands, place, normal, signal)
        if (typeof spec === "string") skipped.push({ what: `table ${name}`, why: spec })
        else found.push({ name, spec })
        if (typeof spec === "string" || spec.table === place.table) continue
        const why = `it is not ours: its rules are written for a new table ${String(spec.table)}`
        skipped.push({ what: `table ${name} itself`, why })
      }
      return { found, skipped }
    },
  }
}

const refusal = (table: string, cause: string) => firewallFault("SPT-FW-001", { table, cause })

const blank = (place: Place): FirewallSpec => ({
  ...{ ...place, sets: {}, chains: {}, management: [] },
  family: place.family as FirewallSpec["family"],
})

async function ownTables(
  commands: CommandsRead,
  host: JsonObject,
  signal: AbortSignal,
): Promise<readonly Place[]> {
  const asked = blank({ family: "inet", table: "", host })
  const { code, stdout, stderr } = await commands.look(listTables(asked), signal)
  if (code !== 0) throw refusal("all", stderr.trim().slice(0, 300))
  const listed = at(JSON.parse(stdout) as Json, "nftables")
  const tables = isArray(listed) ? listed.map((one) => at(one, "table")).filter(isObject) : []
  return tables
    .map(({ family, name }) => ({ family: String(family), table: String(name), host }))
    .filter(({ table, family }) => table.startsWith(tablePrefix) && families.includes(family))
    .sort((left, right) => (left.table < right.table ? -1 : 1))
}

/** The table as a spec, or why it can't be said as one. */
async function specOf(
  commands: CommandsRead,
  place: Place,
  normal: NormalForms,
  signal: AbortSignal,
): Promise<JsonObject | string> {
  const sight = await look(commands, blank(place), signal)
  if (sight.kind === "absent") throw refusal(place.table, sight.proof)
  if (sight.kind === "unknown") throw refusal(place.table, sight.cause)
  const draft = draftOf(place, sight.dump)
  if (typeof draft === "string") return draft
  const parsed = firewallSpec.safeParse(draft)
  const [issue] = parsed.error?.issues ?? []
  if (!parsed.success) return `${issue?.path.join(".")}: ${issue?.message}`
  const wrong = wrongWith(parsed.data)
  if (wrong !== undefined) return wrong
  const form = await normal.of(commands, parsed.data, signal)
  if ("kind" in form) return form.cause
  return differenceIn(sight.dump, form, parsed.data.table === place.table) ?? draft
}

function draftOf({ family, table, host }: Place, dump: Dump): JsonObject | string {
  const [other] = dump.others
  if (other !== undefined) return `a Firewall can't have a ${thingText(other)}`
  const name = table.startsWith(tablePrefix)
    ? table
    : `${tablePrefix}${table.toLowerCase().replaceAll(/[^a-z0-9_]+/g, "_")}`
  const chains: Record<string, JsonObject> = {}
  for (const [chain, shape] of dump.chains) {
    const rules: JsonObject[] = []
    for (const found of dump.rules.filter((rule) => rule.chain === chain)) {
      const rule = readRule(found, rules.length + 1)
      if (rule === undefined) return `a Firewall can't say: ${ruleText(found.expr)}`
      rules.push(rule)
    }
    const { type, hook, prio, policy } = shape
    if (type !== undefined && type !== "filter") return `chain ${chain} is of type ${String(type)}`
    const base = hook === undefined ? {} : { hook, priority: prio ?? 0, policy: policy ?? "accept" }
    chains[chain] = { ...base, rules }
  }
  const sets = [...dump.sets].map(([set, value]) => [set, setOf(value)])
  const where = Object.keys(host).length === 0 ? {} : { host }
  return { family, table: name, ...where, sets: Object.fromEntries(sets), chains }
}

/** Elements that may expire are others' business. */
function setOf(set: JsonObject): JsonObject {
  const flags = isArray(set.flags) ? set.flags : []
  const type = typeof set.type === "string" ? set.type : JSON.stringify(set.type)
  if (flags.includes("timeout")) return { type }
  return { type, elements: elementsOf(set).map(valueText).sort() }
}

/** What nft would make of the spec that is not there now, in words. */
function differenceIn(dump: Dump, form: Dump, isOurs: boolean): string | undefined {
  for (const [index, rule] of dump.rules.entries()) {
    const made = form.rules.filter((one) => one.chain === rule.chain)
    const place = dump.rules.slice(0, index).filter((one) => one.chain === rule.chain).length
    const same = made[place]
    if (same === undefined || !sameExpr(rule.expr, same.expr)) {
      return `it would come out differently: ${ruleText(rule.expr)}`
    }
  }
  if (!isOurs) return undefined
  for (const [name, set] of dump.sets) {
    const shape = canonicalJson(shapeOf(form.sets.get(name)))
    if (canonicalJson(shapeOf(set)) !== shape) return `set ${name} has other flags than ours have`
  }
  return undefined
}
