// Namespaces: what a new one carries, and the two that can't be deleted.

import type { Admission } from "../../contract/admission.ts"
import type { ApiObject } from "../../object/object.ts"
import { apiFault } from "../faults.ts"
import { faultNames } from "../stored-object.ts"
import { systemNamespace } from "./loop-label.ts"

const permanent: ReadonlySet<string> = new Set(["default", systemNamespace])
const nameLabel = "kubernetes.io/metadata.name"

export const namespaceAdmission: Admission = {
  admit: async ({ key, object, operation, old, principal: _ }) => {
    if (key.group !== "" || key.resource !== "namespaces") return object
    if (operation === "delete" && permanent.has(key.name)) {
      const why = "this namespace always exists"
      const way = "delete the objects in it instead"
      throw apiFault("SPT-API-013", { verb: "delete", ...faultNames(key), why, way })
    }
    if (operation === "create") return complete(object)
    // Its finalizers end it; taking them away by hand would leave objects without a namespace.
    if (operation === "update") return { ...object, spec: { ...old?.spec } }
    return object
  },
}

function complete(object: ApiObject): ApiObject {
  const labels = { ...object.metadata.labels, [nameLabel]: object.metadata.name }
  return {
    ...object,
    metadata: { ...object.metadata, labels },
    spec: { finalizers: ["kubernetes"] },
    status: { phase: "Active" },
  }
}
