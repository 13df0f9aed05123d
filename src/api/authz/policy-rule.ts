// One rule of a role, and whether it allows an access or covers another rule. The semantics are
// those of Kubernetes: rules only ever allow, `*` is everything, names do not restrict what has
// none.

import { isArray, isObject, type Json } from "../../base/json.ts"
import type { Access } from "../../contract/authorizer.ts"

export interface PolicyRule {
  readonly verbs: readonly string[]
  readonly apiGroups: readonly string[]
  readonly resources: readonly string[]
  readonly resourceNames: readonly string[]
  readonly nonResourceURLs: readonly string[]
}

const texts = (value: Json | undefined): readonly string[] =>
  isArray(value) ? value.filter((item) => typeof item === "string") : []

/** What is no list of rules allows nothing. */
export function readRules(value: Json | undefined): readonly PolicyRule[] {
  return (isArray(value) ? value : []).filter(isObject).map((rule) => ({
    verbs: texts(rule.verbs),
    apiGroups: texts(rule.apiGroups),
    resources: texts(rule.resources),
    resourceNames: texts(rule.resourceNames),
    nonResourceURLs: texts(rule.nonResourceURLs),
  }))
}

const has = (list: readonly string[], value: string): boolean =>
  list.includes("*") || list.includes(value)

export function ruleAllows(rule: PolicyRule, access: Access): boolean {
  if (!has(rule.verbs, access.verb)) return false
  const { path } = access
  if (path !== undefined) return rule.nonResourceURLs.some((pattern) => urlCovers(pattern, path))
  const { group, resource, subresource, name } = access
  return (
    has(rule.apiGroups, group) &&
    rule.resources.some((pattern) => resourceCovers(pattern, resource, subresource)) &&
    (rule.resourceNames.length === 0 || rule.resourceNames.includes(name))
  )
}

function resourceCovers(pattern: string, resource: string, subresource: string): boolean {
  if (pattern === "*") return true
  if (subresource === "") return pattern === resource
  return pattern === `${resource}/${subresource}` || pattern === `*/${subresource}`
}

/** A star at the end matches any rest; elsewhere it is an ordinary character. */
function urlCovers(pattern: string, url: string): boolean {
  if (pattern === "*" || pattern === url) return true
  return pattern.endsWith("*") && url.startsWith(pattern.replace(/\*+$/, ""))
}

/** Rules that name one verb, one group, one resource and at most one name each. */
function* partsOf(rule: PolicyRule): Iterable<PolicyRule> {
  const none = { apiGroups: [], resources: [], resourceNames: [], nonResourceURLs: [] }
  const names = rule.resourceNames.length === 0 ? [[]] : rule.resourceNames.map((name) => [name])
  for (const verb of rule.verbs) {
    for (const url of rule.nonResourceURLs) {
      yield { ...none, verbs: [verb], nonResourceURLs: [url] }
    }
    for (const group of rule.apiGroups) {
      for (const resource of rule.resources) {
        for (const resourceNames of names) {
          const part = { verbs: [verb], apiGroups: [group], resources: [resource] }
          yield { ...part, resourceNames, nonResourceURLs: [] }
        }
      }
    }
  }
}

/** What of the wanted rules no held rule covers; at most so many. */
export function uncovered(
  held: readonly PolicyRule[],
  wanted: readonly PolicyRule[],
  most = 20,
): readonly PolicyRule[] {
  const missing: PolicyRule[] = []
  for (const rule of wanted) {
    for (const part of partsOf(rule)) {
      if (held.some((one) => covers(one, part))) continue
      missing.push(part)
      if (missing.length >= most) return missing
    }
  }
  return missing
}

function covers(held: PolicyRule, part: PolicyRule): boolean {
  if (!part.verbs.every((verb) => has(held.verbs, verb))) return false
  const [url] = part.nonResourceURLs
  if (url !== undefined) return held.nonResourceURLs.some((pattern) => urlCovers(pattern, url))
  const [wanted = ""] = part.resources
  const [resource = "", subresource = ""] = wanted.split("/")
  const named =
    held.resourceNames.length === 0 ||
    (part.resourceNames.length > 0 &&
      part.resourceNames.every((name) => held.resourceNames.includes(name)))
  return (
    named &&
    part.apiGroups.every((group) => has(held.apiGroups, group)) &&
    held.resources.some(
      (pattern) => pattern === wanted || resourceCovers(pattern, resource, subresource),
    )
  )
}

/** `{APIGroups:[""], Resources:["secrets"], Verbs:["get"]}`: as Kubernetes words a rule. */
export function ruleText(rule: PolicyRule): string {
  const parts: [string, readonly string[]][] = [
    ["NonResourceURLs", rule.nonResourceURLs],
    ["APIGroups", rule.apiGroups],
    ["Resources", rule.resources],
    ["ResourceNames", rule.resourceNames],
    ["Verbs", rule.verbs],
  ]
  const shown = parts.filter(([, list]) => list.length > 0)
  return `{${shown.map(([name, list]) => `${name}:${JSON.stringify(list)}`).join(", ")}}`
}
