// Sources are asked for no role, but where they would give power away: roles, bindings and what is
// asked about requests they declare only as far as a role is bound to them. And nobody gives a loop
// a source that could declare, or be shown, what they may not write or read themselves.

import { at, equalJson, type Json } from "../../base/json.ts"
import { protects } from "../../base/protections.ts"
import type { Admission, AdmissionRequest } from "../../contract/admission.ts"
import { loopId } from "../../contract/loop.ts"
import { isFromOutside, isSource, sourcePrincipal } from "../../contract/principal.ts"
import { type ApiObject, setpointGroup } from "../../object/object.ts"
import { systemNamespace } from "../admission/loop-label.ts"
import { admissionGroup } from "../definitions/admission-registration.ts"
import type { ServedResource } from "../served-resource.ts"
import { faultNames } from "../stored-object.ts"
import { accessFault } from "./faults.ts"
import { type PolicyRule, ruleText, uncovered } from "./policy-rule.ts"
import type { RoleAuthorizer } from "./role-authorizer.ts"
import { rbacGroup } from "./role-index.ts"

/** The kinds whose objects have targets, at the moment of asking. */
export type ActedKinds = () => readonly Pick<ServedResource, "group" | "resource" | "namespaced">[]

export function sourceAdmission(roles: RoleAuthorizer, acted: ActedKinds): Admission {
  return {
    admit: (request) => {
      const { key, object, operation, principal } = request
      if (operation === "delete" || !protects("sources-hold-their-roles")) return object
      if (isSource(principal)) checkDeclared(request, roles)
      const isLoop = key.group === setpointGroup && key.resource === "loops"
      if (isLoop && (isSource(principal) || isFromOutside(principal))) {
        checkPointed(request, roles)
        if (isFromOutside(principal)) checkChosen(request, roles, acted())
      }
      return object
    },
  }
}

function checkDeclared({ key, operation, principal }: AdmissionRequest, roles: RoleAuthorizer) {
  if (key.group !== rbacGroup && key.group !== admissionGroup) return
  const access = { ...key, verb: operation, subresource: "" }
  if (roles.authorize(principal, access).allowed) return
  throw accessFault("SPT-API-073", { verb: operation, ...faultNames(key), source: principal.name })
}

function checkPointed(request: AdmissionRequest, roles: RoleAuthorizer): void {
  const { key, object, old, principal } = request
  if (equalJson(sourceOf(object), sourceOf(old))) return
  const source = sourcePrincipal(loopId(key.namespace, key.name))
  const missing = ["", key.namespace].flatMap((namespace): readonly PolicyRule[] =>
    uncovered(roles.rulesFor(principal, namespace), roles.rulesFor(source, namespace)),
  )
  const [first] = missing
  if (first === undefined) return
  const names = faultNames(key)
  const what =
    `${names.resource} "${key.name}" is forbidden: user "${principal.name}" is attempting to ` +
    `choose a source that holds what they do not:\n${ruleText(first)}`
  throw accessFault("SPT-API-070", { what, ...names, resource: key.resource })
}

/** What a source declares is done in nobody's name: who chooses one could do all of it already. */
function checkChosen(
  { key, object, old, principal }: AdmissionRequest,
  roles: RoleAuthorizer,
  acted: ReturnType<ActedKinds>,
): void {
  if (!protects("sources-are-chosen-by-writers")) return
  if (at(object.spec, "source") === undefined || equalJson(sourceOf(object), sourceOf(old))) return
  const secrets = { group: "", resource: "secrets", namespaced: true }
  const kinds = [...acted, secrets]
  const place = { name: "", subresource: "" }
  for (const { group, resource, namespaced } of kinds) {
    if (!namespaced && key.namespace !== systemNamespace) continue
    const namespace = namespaced ? key.namespace : ""
    const verbs = resource === "secrets" ? ["get", ...declaring] : declaring
    for (const verb of verbs) {
      if (roles.authorize(principal, { group, resource, namespace, verb, ...place }).allowed)
        continue
      const what = `${verb} ${group === "" ? resource : `${resource}.${group}`}`
      throw accessFault("SPT-API-074", { loop: key.name, user: principal.name, what })
    }
  }
}

const declaring = ["create", "patch", "delete"]

const sourceOf = (loop: ApiObject | undefined): Json => at(loop?.spec, "source") ?? {}
