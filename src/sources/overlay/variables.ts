// Replaces `${name}` in text. A scalar that is nothing but `${name}` takes the variable's value
// with its type; inside of longer text it is written out. `$${name}` stands for the text
// `${name}`. Only values are replaced, never names of members, and a value is never looked through
// again.

import { isArray, isObject, type Json } from "../../base/json.ts"
import type { Position, SourceIssue } from "../../contract/source.ts"
import { overlayIssue } from "./faults.ts"
import {
  listNode,
  mapNode,
  type Node,
  type Path,
  type Placeable,
  scalarNode,
} from "./placed-tree.ts"

export type Variable = string | number | bigint | boolean
export type Variables = ReadonlyMap<string, Variable>

export const variableTextMax = 16_384

/** The rest would be left out of the report anyway. */
const issuesMax = 200

const name = "[A-Za-z_][A-Za-z0-9_-]{0,62}"
const wholeName = new RegExp(`^${name}$`)
const wholeForm = new RegExp(`^\\$\\{(${name})\\}$`)
const anyForm = new RegExp(`(\\$?)\\$\\{(${name})\\}`, "g")

export const isVariableName = (text: string): boolean => wholeName.test(text)

/** Counts over a whole source: a few short files could otherwise become endless. */
export interface Growth {
  left: number
  readonly limit: number
}

export interface Substitution {
  readonly variables: Variables
  readonly issues: SourceIssue[]
  readonly growth: Growth
}

/** The same value when there is nothing to replace, so that whoever knows it knows it again. */
export function substitute(value: Json, from: Placeable, by: Substitution, path: Path = []): Json {
  if (typeof value === "string") return replaced(value, () => from.locate(path), by)
  if (isArray(value)) {
    const items = value.map((item, index) => substitute(item, from, by, [...path, index]))
    return items.every((item, index) => item === value[index]) ? value : items
  }
  if (!isObject(value)) return value
  let same = true
  const members: [string, Json][] = []
  for (const [key, member] of Object.entries(value)) {
    if (member === undefined) continue
    const now = substitute(member, from, by, [...path, key])
    same &&= now === member
    members.push([key, now])
  }
  return same ? value : Object.fromEntries(members)
}

/** The same for what a patch brings; its places stay where they are written. */
export function substituteTree(node: Node, by: Substitution): Node {
  if ("scalar" in node) {
    if (typeof node.scalar !== "string") return node
    return scalarNode(replaced(node.scalar, node.at, by), node.at)
  }
  if ("items" in node) {
    return listNode(
      node.items.map((item) => substituteTree(item, by)),
      node.at,
    )
  }
  const members = [...node.members].map(
    ([key, member]) => [key, substituteTree(member, by)] as const,
  )
  return mapNode(new Map(members), node.at)
}

export function replaced(text: string, at: () => Position, by: Substitution): Variable {
  if (!text.includes("${")) return text
  const whole = wholeForm.exec(text)?.[1]
  if (whole !== undefined) return lookUp(whole, text, at, by)
  return text.replaceAll(anyForm, (form, kept: string, wanted: string) =>
    kept === "" ? String(lookUp(wanted, form, at, by)) : form.slice(1),
  )
}

function lookUp(wanted: string, form: string, at: () => Position, by: Substitution): Variable {
  const { variables, issues, growth } = by
  const value = variables.get(wanted)
  if (value === undefined) {
    if (issues.length < issuesMax) {
      issues.push(overlayIssue("SPT-OVERLAY-009", { name: wanted }, at()))
    }
    return form
  }
  if (growth.left < 0) return ""
  growth.left -= String(value).length
  if (growth.left >= 0) return value
  issues.push(overlayIssue("SPT-OVERLAY-010", { limit: growth.limit }, at()))
  return ""
}
