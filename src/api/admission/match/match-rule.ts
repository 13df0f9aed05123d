// One rule of a webhook or a policy: which operations on which resources it is about.

import { isArray, isObject, type Json, type JsonObject } from "../../../base/json.ts"
import type { AdmissionOperation } from "../../../contract/admission.ts"

export interface MatchRule {
  readonly operations: readonly string[]
  readonly groups: readonly string[]
  readonly versions: readonly string[]
  /** "configmaps", "things/status", "*", or any subresource: a star after the slash. */
  readonly resources: readonly string[]
  readonly scope: string
  /** Only objects of these names; any when empty. */
  readonly names: readonly string[]
}

export interface RuleSubject {
  readonly operation: AdmissionOperation
  readonly group: string
  readonly version: string
  readonly resource: string
  readonly subresource: string
  readonly namespaced: boolean
  readonly name: string
}

export const texts = (value: Json | undefined): string[] =>
  isArray(value) ? value.filter((item) => typeof item === "string") : []

export const objects = (value: Json | undefined): JsonObject[] =>
  isArray(value) ? value.filter((item) => isObject(item)) : []

export function readRule(rule: JsonObject): MatchRule {
  return {
    operations: texts(rule.operations),
    groups: texts(rule.apiGroups),
    versions: texts(rule.apiVersions),
    resources: texts(rule.resources),
    scope: typeof rule.scope === "string" ? rule.scope : "*",
    names: texts(rule.resourceNames),
  }
}

const has = (values: readonly string[], wanted: string): boolean =>
  values.includes("*") || values.includes(wanted)

export function ruleMatches(rule: MatchRule, subject: RuleSubject): boolean {
  const { group, version, resource, subresource, namespaced, name } = subject
  if (!has(rule.operations, subject.operation.toUpperCase())) return false
  if (!has(rule.groups, group) || !has(rule.versions, version)) return false
  if (rule.scope === "Cluster" && namespaced) return false
  if (rule.scope === "Namespaced" && !namespaced) return false
  if (rule.names.length > 0 && !rule.names.includes(name)) return false
  return rule.resources.some((text) => {
    const slash = text.indexOf("/")
    const of = slash < 0 ? text : text.slice(0, slash)
    const part = slash < 0 ? "" : text.slice(slash + 1)
    return (of === "*" || of === resource) && (part === "*" || part === subresource)
  })
}
