// How models are called in OpenAPI documents. Clients know some of these names by heart, so those
// of Kubernetes' own kinds are the ones that Kubernetes gives them.

import type { ServedResource } from "../served-resource.ts"

const metaPrefix = "io.k8s.apimachinery.pkg.apis.meta.v1"

export const metaName = (kind: string): string => `${metaPrefix}.${kind}`

export function modelName(resource: ServedResource, kind: string): string {
  const { group, version } = resource
  if (group === "apiextensions.k8s.io") {
    return `io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.${version}.${kind}`
  }
  if (isOfKubernetes(resource)) {
    const short = group === "" ? "core" : (group.split(".")[0] ?? group)
    return `io.k8s.api.${short}.${version}.${kind}`
  }
  return `${group.split(".").reverse().join(".")}.${version}.${kind}`
}

/** One of the kinds that every Kubernetes has, and not one of ours. */
export function isOfKubernetes({ builtIn, group }: ServedResource): boolean {
  return builtIn && (!group.includes(".") || group.endsWith(".k8s.io"))
}
