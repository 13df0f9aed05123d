// Namespaces: what a new one carries, and those that can't be deleted.

import { isArray } from "../../base/json.ts"
import type { Admission } from "../../contract/admission.ts"
import type { ApiObject } from "../../object/object.ts"
import { apiFault } from "../faults.ts"
import { contentFinalizer } from "../namespace-status.ts"
import { faultNames } from "../stored-object.ts"
import { systemNamespace } from "./loop-label.ts"

/** Clients rely on them. */
export const kubeNamespaces = ["kube-system", "kube-public", "kube-node-lease"] as const

const permanent: ReadonlySet<string> = new Set([
  ...["default", "kube-system", "kube-public"],
  systemNamespace,
])
const nameLabel = "kubernetes.io/metadata.name"

export const namespaceAdmission: Admission = {
  admit: ({ key, object, operation, old, subresource }) => {
    if (key.group !== "" || key.resource !== "namespaces") return object
    if (operation === "delete" && permanent.has(key.name)) {
      throw apiFault("SPT-API-094", { ...faultNames(key) })
    }
    if (operation === "create") return withLabel(complete(object))
    // Its finalizers end it; taking them away by hand would leave objects without a namespace.
    if (operation !== "update") return object
    const kept = { ...object, spec: { ...old?.spec } }
    return subresource === "" ? withLabel(kept) : kept
  },
}

function withLabel(object: ApiObject): ApiObject {
  const labels = { ...object.metadata.labels, [nameLabel]: object.metadata.name }
  return { ...object, metadata: { ...object.metadata, labels } }
}

function complete(object: ApiObject): ApiObject {
  const given = isArray(object.spec?.finalizers) ? object.spec.finalizers : []
  const finalizers = [...new Set([...given, contentFinalizer])]
  return { ...object, spec: { finalizers }, status: { phase: "Active" } }
}
