// Making an object needs the verb create, also where it is made by an apply or an update of
// something that is not there yet.

import type { Admission } from "../../contract/admission.ts"
import type { Authorizer } from "../../contract/authorizer.ts"
import { isFromOutside } from "../../contract/principal.ts"
import { forbidden } from "../http/forbidden.ts"

export function createAdmission(roles: Authorizer): Admission {
  return {
    admit: async ({ operation, principal, key, object }) => {
      if (operation !== "create" || !isFromOutside(principal)) return object
      const access = { ...key, verb: "create", subresource: "" }
      const allowed = [access, { ...access, name: "" }].some(
        (one) => roles.authorize(principal, one).allowed,
      )
      if (!allowed) throw forbidden(principal, access, "")
      return object
    },
  }
}
