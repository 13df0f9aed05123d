// A policy reads its parameters for whoever is judged, and its messages can tell what is in them:
// whoever makes one must be allowed to read objects of that kind.

import { at, isObject } from "../../base/json.ts"
import { protects } from "../../base/protections.ts"
import type { Admission } from "../../contract/admission.ts"
import type { Access, Authorizer } from "../../contract/authorizer.ts"
import { isFromOutside } from "../../contract/principal.ts"
import { type ApiObject, parseApiVersion } from "../../object/object.ts"
import { admissionGroup } from "../definitions/admission-registration.ts"
import { forbidden } from "../http/forbidden.ts"
import type { ResourceRegistry } from "../resource-registry.ts"

const policies = "validatingadmissionpolicies"

export function paramAdmission(roles: Authorizer, registry: ResourceRegistry): Admission {
  return {
    admit: ({ key, object, operation, principal }) => {
      if (key.group !== admissionGroup || key.resource !== policies) return object
      if (operation === "delete" || !isFromOutside(principal)) return object
      const access = readOf(registry, object)
      if (access === undefined || roles.authorize(principal, access).allowed) return object
      if (!protects("policies-read-for-their-authors")) return object
      throw forbidden(principal, access, "the policy reads them as parameters")
    },
  }
}

/** A kind that is not served yet may be any of its group. */
function readOf(registry: ResourceRegistry, { spec }: ApiObject): Access | undefined {
  const given = at(spec, "paramKind")
  if (!isObject(given)) return undefined
  const { group, version } = parseApiVersion(String(given.apiVersion ?? ""))
  const found = registry.findKind(group, version, String(given.kind ?? ""))
  const resource = found?.resource ?? "*"
  return { verb: "get", group, resource, subresource: "", namespace: "", name: "" }
}
