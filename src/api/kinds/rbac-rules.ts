// Roles and bindings beyond their schema, as Kubernetes completes and checks them.

import { equalJson, isArray, isObject, type Json, type JsonObject } from "../../base/json.ts"
import type { ApiObject } from "../../object/object.ts"
import type { FieldCause } from "../faults.ts"
import { invalid, required } from "./cause.ts"
import type { KindRules } from "./kind-rules.ts"

const group = "rbac.authorization.k8s.io"

const texts = (value: Json | undefined): string[] =>
  isArray(value) ? value.filter((item) => typeof item === "string") : []

const objects = (value: unknown): JsonObject[] =>
  isArray(value) ? value.map((item) => (isObject(item) ? item : {})) : []

function checkRules(object: ApiObject, namespaced: boolean): FieldCause[] {
  return objects(object.rules).flatMap((rule, index) => {
    const at = `rules[${index}]`
    const [verbs, groups, resources] = [rule.verbs, rule.apiGroups, rule.resources].map(texts)
    const urls = texts(rule.nonResourceURLs)
    const causes: FieldCause[] = []
    if (verbs?.length === 0) {
      causes.push(required(`${at}.verbs`))
    }
    if (urls.length > 0) {
      if (namespaced) {
        const why = "namespaced rules cannot apply to non-resource URLs"
        causes.push(invalid(`${at}.nonResourceURLs`, why))
      }
      const others = [...(groups ?? []), ...(resources ?? []), ...texts(rule.resourceNames)]
      if (others.length > 0) {
        const why = "rules cannot apply to both regular resources and non-resource URLs"
        causes.push(invalid(`${at}.nonResourceURLs`, why))
      }
      return causes
    }
    if (groups?.length === 0) {
      causes.push(required(`${at}.apiGroups`))
    }
    if (resources?.length === 0) {
      causes.push(required(`${at}.resources`))
    }
    return causes
  })
}

export const roleRules: KindRules = { check: (object) => checkRules(object, true) }

export const clusterRoleRules: KindRules = {
  check: (object) => {
    const { aggregationRule } = object
    const causes = checkRules(object, false)
    if (!isObject(aggregationRule)) return causes
    const field = "aggregationRule.clusterRoleSelectors"
    const selectors = objects(aggregationRule.clusterRoleSelectors)
    if (selectors.length === 0) {
      return [...causes, required(field)]
    }
    const empty = selectors.findIndex((one) => Object.keys(one).length === 0)
    if (empty < 0) return causes
    return [...causes, invalid(`${field}[${empty}]`, "an empty selector would take all roles over")]
  },
}

function complete(object: ApiObject): ApiObject {
  const subjects = isArray(object.subjects) ? object.subjects.map(completeSubject) : undefined
  return subjects === undefined ? object : { ...object, subjects }
}

function completeSubject(subject: Json): Json {
  if (!isObject(subject)) return subject
  const { kind, apiGroup } = subject
  if ((kind !== "User" && kind !== "Group") || (apiGroup !== undefined && apiGroup !== "")) {
    return subject
  }
  return { ...subject, apiGroup: group }
}

function bindingRules(namespaced: boolean): KindRules {
  return {
    complete,
    check: (object, old) => [
      ...checkRoleRef(object, namespaced),
      ...objects(object.subjects).flatMap((one, index) => checkSubject(one, index, namespaced)),
      ...(old !== undefined && !equalJson(plain(old.roleRef), plain(object.roleRef))
        ? [invalid("roleRef", "cannot change roleRef")]
        : []),
    ],
  }
}

const plain = (value: unknown): Json => (isObject(value) ? value : {})

function checkRoleRef({ roleRef }: ApiObject, namespaced: boolean): FieldCause[] {
  const { apiGroup, kind, name } = isObject(roleRef) ? roleRef : {}
  const kinds = namespaced ? ["Role", "ClusterRole"] : ["ClusterRole"]
  const causes: FieldCause[] = []
  if (apiGroup !== group) causes.push(invalid("roleRef.apiGroup", `must be "${group}"`))
  if (!kinds.includes(String(kind))) {
    causes.push(invalid("roleRef.kind", `supported values: ${kinds.join(", ")}`))
  }
  if (typeof name !== "string" || name === "") causes.push(required("roleRef.name"))
  return causes
}

function checkSubject(subject: JsonObject, index: number, namespaced: boolean): FieldCause[] {
  const at = `subjects[${index}]`
  const { kind, name, apiGroup, namespace } = subject
  const causes: FieldCause[] = []
  if (typeof name !== "string" || name === "") causes.push(required(`${at}.name`))
  if (kind === "ServiceAccount") {
    if (apiGroup !== undefined && apiGroup !== "") {
      causes.push(invalid(`${at}.apiGroup`, 'must be ""'))
    }
    const missing = namespace === undefined || namespace === ""
    if (missing && !namespaced) causes.push(required(`${at}.namespace`))
  } else if (kind === "User" || kind === "Group") {
    if (apiGroup !== group) causes.push(invalid(`${at}.apiGroup`, `must be "${group}"`))
  } else {
    causes.push(invalid(`${at}.kind`, "supported values: ServiceAccount, User, Group"))
  }
  return causes
}

export const roleBindingRules: KindRules = bindingRules(true)
export const clusterRoleBindingRules: KindRules = bindingRules(false)
