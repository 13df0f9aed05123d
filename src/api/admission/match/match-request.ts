// Whether a webhook or a policy is about a request, and in which version of the kind it wants to
// see it. Rules first, since they cost nothing; a namespace is read only when its labels matter.

import { isObject, type Json } from "../../../base/json.ts"
import type { AdmissionRequest } from "../../../contract/admission.ts"
import type { ApiObject } from "../../../object/object.ts"
import type { ApiContext } from "../../api-context.ts"
import { type LabelSelector, readSelector, selects } from "../../authz/label-selector.ts"
import { apiFault } from "../../faults.ts"
import { namespaceKey } from "../../namespace-exists.ts"
import type { ServedResource } from "../../served-resource.ts"
import { readStored } from "../../stored-object.ts"
import { type MatchRule, objects, type RuleSubject, readRule, ruleMatches } from "./match-rule.ts"

export interface Criteria {
  readonly rules: readonly MatchRule[]
  readonly excluded: readonly MatchRule[]
  /** Rules that name another version of the kind count, too. */
  readonly equivalent: boolean
  readonly namespaces: LabelSelector
  readonly objects: LabelSelector
}

export type MatchContext = Pick<ApiContext, "registry" | "store">

/** Of a webhook, or of matchConstraints and matchResources. */
export function readCriteria(given: Json | undefined): Criteria {
  const value = isObject(given) ? given : {}
  return {
    rules: objects(value.rules ?? value.resourceRules).map(readRule),
    excluded: objects(value.excludeResourceRules).map(readRule),
    equivalent: value.matchPolicy !== "Exact",
    namespaces: readSelector(value.namespaceSelector ?? {}),
    objects: readSelector(value.objectSelector ?? {}),
  }
}

/** The version that it wants to see; undefined when it is not about the request. */
export async function matchRequest(
  context: MatchContext,
  criteria: Criteria,
  request: AdmissionRequest,
): Promise<ServedResource | undefined> {
  const found = matchRules(context, criteria, request)
  if (found === undefined || !matchesObject(criteria.objects, request)) return undefined
  return (await matchesNamespace(context, criteria.namespaces, request)) ? found : undefined
}

/** A binding without rules is about everything that its policy is about. */
function matchRules(
  { registry }: MatchContext,
  { rules, excluded, equivalent }: Criteria,
  { key, version, subresource, operation, namespaced }: AdmissionRequest,
): ServedResource | undefined {
  const { group, resource, name } = key
  const own = registry.find({ group, version, resource })
  if (own === undefined) return undefined
  const others = equivalent ? registry.versionsOf(own).filter((one) => one !== own) : []
  const subject = (one: ServedResource): RuleSubject => ({
    ...{ operation, group, version: one.version, resource, subresource, namespaced, name },
  })
  const find = (all: readonly MatchRule[]): ServedResource | undefined => {
    if (all.some((rule) => ruleMatches(rule, subject(own)))) return own
    for (const rule of all) {
      const other = others.find((one) => ruleMatches(rule, subject(one)))
      if (other !== undefined) return other
    }
    return undefined
  }
  if (find(excluded) !== undefined) return undefined
  return rules.length === 0 ? own : find(rules)
}

const isEmpty = ({ labels, expressions }: LabelSelector): boolean =>
  labels.length + expressions.length === 0

/** Here an empty selector selects everything. */
export const selectsAll = (selector: LabelSelector, object: ApiObject): boolean =>
  isEmpty(selector) || selects(selector, object.metadata.labels ?? {})

function matchesObject(selector: LabelSelector, { object, old }: AdmissionRequest): boolean {
  return selectsAll(selector, object) || (old !== undefined && selectsAll(selector, old))
}

async function matchesNamespace(
  context: MatchContext,
  selector: LabelSelector,
  request: AdmissionRequest,
): Promise<boolean> {
  if (isEmpty(selector)) return true
  const { key, object } = request
  if (key.group === "" && key.resource === "namespaces") return selectsAll(selector, object)
  if (key.namespace === "") return true
  return selectsAll(selector, await needNamespace(context, key.namespace))
}

export async function needNamespace(context: MatchContext, name: string): Promise<ApiObject> {
  const stored = await readStored(context, namespaceKey(name))
  if (stored === undefined) throw apiFault("SPT-API-011", { namespace: name })
  return stored.object
}
