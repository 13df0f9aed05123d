// A rule as nft lists it, in the words of a spec; the way back from `compile.ts`. Pure. What a spec
// could not say is undefined: half a rule would be another rule.

import { isArray, isObject, type Json, type JsonObject } from "../../base/json.ts"
import { idIn } from "./compile.ts"
import type { DumpedRule } from "./dump.ts"
import { valueText } from "./rule-text.ts"

type Draft = Record<string, Json>

/** `number` names rules that have no id of ours yet. */
export function readRule({ comment, expr }: DumpedRule, number: number): JsonObject | undefined {
  const id = idIn(comment)
  const words = id === undefined ? comment : comment?.split(" ").slice(1).join(" ")
  const rule: Draft = { id: id ?? `rule-${number}`, ...(words ? { comment: words } : {}) }
  for (const one of expr) {
    const [name, value] = isObject(one) ? (Object.entries(one)[0] ?? []) : []
    // Nothing can come after a verdict.
    if (name === undefined || rule.verdict !== undefined) return undefined
    if (!readExpression(rule, name, value)) return undefined
  }
  return { ...rule, verdict: rule.verdict ?? "continue" }
}

function readExpression(rule: Draft, name: string, value: Json | undefined): boolean {
  switch (name) {
    case "match":
      return isObject(value) && readMatch(rule, value)
    case "counter":
      return put(rule, "counter", true)
    case "limit":
      return isObject(value) && readLimit(rule, value)
    case "log":
      return readLog(rule, value)
    case "accept":
    case "drop":
    case "return":
    case "reject":
      return put(rule, "verdict", name)
    case "jump":
      return put(rule, "verdict", "jump") && put(rule, "chain", textOf(value, "target"))
    default:
      return false
  }
}

/** False when it says the same thing twice. */
function put(rule: Draft, field: string, value: Json | undefined): boolean {
  if (value === undefined || rule[field] !== undefined) return false
  rule[field] = value
  return true
}

const textOf = (value: Json | undefined, name: string): string | undefined => {
  const found = isObject(value) ? value[name] : undefined
  return typeof found === "string" ? found : undefined
}

function readLimit(rule: Draft, value: JsonObject): boolean {
  const { rate, per, burst, ...rest } = value
  if (typeof rate !== "number" || typeof per !== "string" || Object.keys(rest).length > 0) {
    return false
  }
  return put(rule, "limit", { rate, per, ...(typeof burst === "number" ? { burst } : {}) })
}

function readLog(rule: Draft, value: Json | undefined): boolean {
  const { prefix, level, ...rest } = isObject(value) ? value : {}
  if (typeof prefix !== "string" || Object.keys(rest).length > 0) return false
  return put(rule, "log", { prefix, ...(typeof level === "string" ? { level } : {}) })
}

function readMatch(rule: Draft, { op, left, right }: JsonObject): boolean {
  const [what, value] = isObject(left) ? (Object.entries(left)[0] ?? []) : []
  const words = wordsOf(right)
  if (what === "ct" && textOf(value, "key") === "state") {
    return (op === "in" || op === "==") && put(rule, "state", words)
  }
  if (op !== "==" || words === undefined) return false
  if (what === "meta") return readMeta(rule, textOf(value, "key"), words)
  if (what !== "payload") return false
  return readPayload(rule, textOf(value, "protocol"), textOf(value, "field"), words)
}

function readMeta(rule: Draft, key: string | undefined, words: readonly string[]): boolean {
  if (key === "iifname") return put(rule, "inInterfaces", words)
  if (key === "oifname") return put(rule, "outInterfaces", words)
  const [only = "", ...more] = words
  if (key !== "l4proto" || more.length > 0) return false
  return put(rule, "protocol", only === "ipv6-icmp" ? "icmpv6" : only)
}

function readPayload(
  rule: Draft,
  protocol: string | undefined,
  field: string | undefined,
  words: readonly string[],
): boolean {
  if (protocol === "ip" || protocol === "ip6") {
    const name = field === "saddr" ? "sources" : field === "daddr" ? "destinations" : undefined
    return name !== undefined && put(rule, name, words)
  }
  const name = { sport: "sourcePorts", dport: "ports", type: "icmpTypes" }[field ?? ""]
  if (protocol === undefined || name === undefined) return false
  if (rule.protocol !== undefined && rule.protocol !== protocol) return false
  rule.protocol = protocol
  const values = words.map((word) => (/^\d+$/.test(word) ? Number(word) : word))
  return put(rule, name, values)
}

/** One value or several; undefined for what is neither. */
function wordsOf(right: Json | undefined): readonly string[] | undefined {
  const several =
    isObject(right) && isArray(right.set) ? right.set : isArray(right) ? right : [right]
  const words = several.map((one) => (isPlain(one) ? valueText(one) : undefined))
  const known = words.filter((word) => word !== undefined)
  return known.length === words.length && known.length > 0 ? known : undefined
}

function isPlain(value: Json | undefined): boolean {
  if (typeof value === "string" || typeof value === "number") return true
  return isObject(value) && (isArray(value.range) || isObject(value.prefix))
}
