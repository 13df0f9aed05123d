// Definitions that are not for everybody to write. The name of a built-in kind is taken: deleting a
// definition of that name would take the objects of the built-in kind with it. How a kind with
// targets looks is the plane's to say: whoever changed that, or named a webhook that converts its
// objects, would write what only sources and the engine may write.

import { equalJson, type Json } from "../../base/json.ts"
import { protects } from "../../base/protections.ts"
import type { Admission, AdmissionRequest } from "../../contract/admission.ts"
import { isFromOutside, isSource } from "../../contract/principal.ts"
import { instancesOf, isDefinition } from "../definition-end.ts"
import { apiFault } from "../faults.ts"
import type { ResourceRegistry } from "../resource-registry.ts"
import { faultNames } from "../stored-object.ts"
import type { HasProvider } from "./loop-label.ts"

export function ownDefinitionsAdmission(
  registry: ResourceRegistry,
  hasProvider: HasProvider,
): Admission {
  return {
    admit: (request) => {
      const { object, operation, principal } = request
      if (operation === "delete" || !isDefinition(request)) return object
      const { group, resource } = instancesOf(object)
      if (operation === "create" && registry.isBuiltIn(group, resource)) {
        throw refusal(request, "the plane serves a kind of this name itself", "take another name")
      }
      const guarded = isFromOutside(principal) || isSource(principal)
      if (!guarded || !hasProvider(group, resource) || !isChange(request)) return object
      if (!protects("definitions-with-targets-are-the-planes")) return object
      throw refusal(
        request,
        "the definition of a kind with targets is the plane's own",
        "the provider of the kind says how it looks",
      )
    },
  }
}

function isChange({ object, old, subresource }: AdmissionRequest): boolean {
  const part = subresource === "" ? "spec" : "status"
  return !equalJson((old?.[part] ?? {}) as Json, (object[part] ?? {}) as Json)
}

function refusal({ key, operation: verb }: AdmissionRequest, why: string, way: string): Error {
  return apiFault("SPT-API-013", { verb, ...faultNames(key), why, way })
}
