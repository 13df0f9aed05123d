// Sources are asked for no role, but where they would give power away: roles, bindings and what is
// asked about requests they declare only as far as a role is bound to them. And nobody gives a loop
// another source whose source holds more than they do themselves.

import { at, equalJson, type Json } from "../../base/json.ts"
import { protects } from "../../base/protections.ts"
import type { Admission, AdmissionRequest } from "../../contract/admission.ts"
import { loopId } from "../../contract/loop.ts"
import { isFromOutside, isSource, sourcePrincipal } from "../../contract/principal.ts"
import { type ApiObject, setpointGroup } from "../../object/object.ts"
import { admissionGroup } from "../definitions/admission-registration.ts"
import { faultNames } from "../stored-object.ts"
import { accessFault } from "./faults.ts"
import { type PolicyRule, ruleText, uncovered } from "./policy-rule.ts"
import type { RoleAuthorizer } from "./role-authorizer.ts"
import { rbacGroup } from "./role-index.ts"

export function sourceAdmission(roles: RoleAuthorizer): Admission {
  return {
    admit: async (request) => {
      const { key, object, operation, principal } = request
      if (operation === "delete" || !protects("sources-hold-their-roles")) return object
      if (isSource(principal)) checkDeclared(request, roles)
      const isLoop = key.group === setpointGroup && key.resource === "loops"
      if (isLoop && (isSource(principal) || isFromOutside(principal))) checkPointed(request, roles)
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

const sourceOf = (loop: ApiObject | undefined): Json => at(loop?.spec, "source") ?? {}
