// Making an object needs the verb create, also where it is made by an apply or an update of
// something that is not there yet.

import type { Admission } from "../../contract/admission.ts"
import type { Access, Authorizer } from "../../contract/authorizer.ts"
import { isFromOutside } from "../../contract/principal.ts"
import type { ObjectKey } from "../../object/object.ts"
import { forbidden } from "../http/forbidden.ts"
import type { ResourceRegistry } from "../resource-registry.ts"

export function createAdmission(roles: Authorizer, registry: ResourceRegistry): Admission {
  return {
    admit: ({ operation, principal, key, object }) => {
      if (operation !== "create" || !isFromOutside(principal)) return object
      const access = { ...key, verb: "create", subresource: "" }
      const may = (one: Access) => roles.authorize(principal, one).allowed
      if (may(access) || may({ ...access, name: "" })) return object
      const views = viewsOf(registry, key).map((view) => ({ ...access, ...view }))
      if (!views.some(may)) throw forbidden(principal, access, "")
      return object
    },
  }
}

/** Under which names the objects of a kind are served; whoever may make one may make the other. */
function viewsOf(registry: ResourceRegistry, { group, resource }: ObjectKey) {
  const same = registry
    .all()
    .filter(({ storedAs }) => storedAs.group === group && storedAs.resource === resource)
  return same.map((one) => ({ group: one.group, resource: one.resource, name: "" }))
}
