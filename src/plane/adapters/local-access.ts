// Who may come in and what they may: the default roles of a new plane, and the reviews that answer
// from them.

import { defaultRoles } from "../../api/authz/default-roles.ts"
import { ensureDefaultRoles } from "../../api/authz/ensure-default-roles.ts"
import { reviewRoutes } from "../../api/authz/review-routes.ts"
import type { Authenticate } from "../../api/http/authenticate.ts"
import { setpointGroup } from "../../object/object.ts"
import type { Plane } from "../plane.ts"

/** Before anybody is served. */
export async function openAccess(plane: Plane, authenticate: Authenticate): Promise<void> {
  const { verbs, roles } = plane.api
  const groups = new Set(plane.engine.kinds.map(({ resource }) => resource.group))
  groups.delete(setpointGroup)
  await ensureDefaultRoles({ verbs, store: plane.ports.store }, defaultRoles([...groups].sort()))
  const identify = async (token: string) => authenticate({ token })
  plane.extensions.register(...reviewRoutes({ roles, identify }))
}
