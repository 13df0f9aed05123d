// The annotation that definitions in Kubernetes' own groups need: a link to the review, or a reason
// that says it is not approved.

import type { ApiObject } from "../../object/object.ts"

export const approvedAnnotation = "api-approved.kubernetes.io"

export type Approval = "approved" | "bypassed" | "missing" | "invalid"

export const isProtectedGroup = (group: string): boolean =>
  /(^|\.)(k8s|kubernetes)\.io$/.test(group)

const see = "see https://github.com/kubernetes/enhancements/pull/1111"

export function approvalOf(definition: ApiObject): { state: Approval; reason: string } {
  const text = definition.metadata.annotations?.[approvedAnnotation] ?? ""
  const needs = `protected groups must have approval annotation "${approvedAnnotation}"`
  if (text === "") return { state: "missing", reason: `${needs}, ${see}` }
  if (text.startsWith("unapproved")) {
    return { state: "bypassed", reason: `not approved: ${JSON.stringify(text)}` }
  }
  if (/^[a-z][a-z0-9+.-]*:\/\/[^/]+/i.test(text) && URL.canParse(text)) {
    return { state: "approved", reason: `approved in ${text}` }
  }
  const either = 'with either a URL or a reason starting with "unapproved"'
  return { state: "invalid", reason: `${needs} ${either}, ${see}` }
}
