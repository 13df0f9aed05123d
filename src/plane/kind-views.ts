// Which kinds the plane serves, how the command line may call them and which columns they have.

import type { ServedResource } from "../api/served-resource.ts"
import type { Plane } from "./plane.ts"

export function kindViews(plane: Plane): object {
  const kinds = stored(plane).map((one) => ({
    group: one.group,
    version: one.version,
    resource: one.resource,
    kind: one.kind,
    singular: one.singular,
    shortNames: one.shortNames,
    categories: one.categories,
    namespaced: one.namespaced,
    provider: plane.engine.kinds.some(
      ({ resource }) => resource.group === one.group && resource.resource === one.resource,
    ),
    columns: one.columns,
  }))
  return { kinds }
}

/** Reviews are asked, not kept: there is nothing of them to get or to apply. */
function stored(plane: Plane): readonly ServedResource[] {
  return plane.api.registry.all().filter((one) => !one.virtual)
}
