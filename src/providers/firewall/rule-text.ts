// A rule's expressions in words close to those of nft, for people to read in plans and history. It
// is never given back to nft, and it is never what a comparison rests on.

import { isArray, isObject, type Json, type JsonObject } from "../../base/json.ts"

const textMax = 400

export function ruleText(expr: readonly Json[]): string {
  const text = expr.map(expressionText).join(" ")
  return text.length > textMax ? `${text.slice(0, textMax)}...` : text
}

function expressionText(one: Json): string {
  const [name, value] = isObject(one) ? (Object.entries(one)[0] ?? []) : []
  if (name === undefined) return JSON.stringify(one)
  if (name === "match" && isObject(value)) return matchText(value)
  if (name === "counter") return "counter"
  if (name === "limit" && isObject(value)) {
    return `limit rate ${String(value.rate)}/${String(value.per)} burst ${String(value.burst)}`
  }
  if (name === "log" && isObject(value)) return `log ${valueText(value.prefix)}`
  if (name === "reject") return "reject"
  if ((name === "jump" || name === "goto") && isObject(value))
    return `${name} ${String(value.target)}`
  return value === null || value === undefined ? name : `${name} ${JSON.stringify(value)}`
}

function matchText({ left, right, op }: JsonObject): string {
  const operator = op === "==" || op === "in" ? "" : `${String(op)} `
  return `${leftText(left)} ${operator}${valueText(right)}`
}

function leftText(left: Json | undefined): string {
  const [name, value] = isObject(left) ? (Object.entries(left)[0] ?? []) : []
  if (name === "payload" && isObject(value))
    return `${String(value.protocol)} ${String(value.field)}`
  if ((name === "meta" || name === "ct") && isObject(value)) return `${name} ${String(value.key)}`
  return JSON.stringify(left ?? null)
}

export function valueText(value: Json | undefined): string {
  if (isArray(value)) return value.map(valueText).join(",")
  if (!isObject(value)) return typeof value === "string" ? value : JSON.stringify(value ?? null)
  if (isArray(value.set)) return `{${value.set.map(valueText).join(", ")}}`
  if (isArray(value.range)) return value.range.map(valueText).join("-")
  const { prefix, elem } = value
  if (isObject(prefix)) return `${String(prefix.addr)}/${String(prefix.len)}`
  if (isObject(elem)) return valueText(elem.val)
  return JSON.stringify(value)
}
