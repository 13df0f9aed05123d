// Discovery in one document: every group with its versions, resources and subresources.

import type { ServedResource } from "../served-resource.ts"
import {
  type DiscoveredGroup,
  type DiscoveredVersion,
  subresourcesOf,
} from "./discovered-groups.ts"

export const aggregatedGroup = "apidiscovery.k8s.io"
export const aggregatedKind = "APIGroupDiscoveryList"
export const aggregatedVersions: readonly string[] = ["v2", "v2beta1"]

/** Both versions of the document have the same form. */
export function apiGroupDiscoveryList(groups: readonly DiscoveredGroup[], version: string): object {
  return {
    kind: aggregatedKind,
    apiVersion: `${aggregatedGroup}/${version}`,
    metadata: {},
    items: groups.map(({ name, versions }) => ({
      metadata: name === "" ? {} : { name },
      versions: versions.map((one) => versionOf(name, one)),
    })),
  }
}

function versionOf(group: string, { version, resources }: DiscoveredVersion): object {
  const entries = resources.map((one) => resourceOf(one, { group, version }))
  return { version, resources: entries, freshness: "Current" }
}

function resourceOf(resource: ServedResource, of: { group: string; version: string }): object {
  const { kind, namespaced, singular, verbs, shortNames, categories } = resource
  const subresources = subresourcesOf(resource).map((one) => ({
    subresource: one.name,
    responseKind: { group: one.group, version: one.version, kind: one.kind },
    verbs: one.verbs,
  }))
  return {
    resource: resource.resource,
    responseKind: { ...of, kind },
    scope: namespaced ? "Namespaced" : "Cluster",
    singularResource: singular,
    verbs,
    ...(shortNames.length > 0 ? { shortNames } : {}),
    ...(categories.length > 0 ? { categories } : {}),
    ...(subresources.length > 0 ? { subresources } : {}),
  }
}
