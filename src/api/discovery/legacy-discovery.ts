// Discovery as it was before it came in one document: a list of versions, of groups, and one list
// of resources for each group and version.

import { apiVersionOf } from "../../object/object.ts"
import type { ServedResource } from "../served-resource.ts"
import {
  type DiscoveredGroup,
  type DiscoveredVersion,
  subresourcesOf,
} from "./discovered-groups.ts"

export function apiVersions(core: DiscoveredGroup | undefined): object {
  const versions = core?.versions.map(({ version }) => version) ?? []
  // Some clients refuse the document when this member is missing.
  return { kind: "APIVersions", versions, serverAddressByClientCIDRs: [] }
}

export function apiGroupList(groups: readonly DiscoveredGroup[]): object {
  const named = groups.filter(({ name }) => name !== "")
  return { kind: "APIGroupList", apiVersion: "v1", groups: named.map(groupOf) }
}

export function apiGroup(group: DiscoveredGroup): object {
  return { kind: "APIGroup", apiVersion: "v1", ...groupOf(group) }
}

function groupOf({ name, versions }: DiscoveredGroup): object {
  const all = versions.map(({ version }) => ({
    groupVersion: apiVersionOf(name, version),
    version,
  }))
  return { name, versions: all, preferredVersion: all[0] }
}

export function apiResourceList(group: string, { version, resources }: DiscoveredVersion): object {
  return {
    kind: "APIResourceList",
    apiVersion: "v1",
    groupVersion: apiVersionOf(group, version),
    resources: resources.flatMap((one) => [entryOf(one), ...subresourceEntries(one)]),
  }
}

function entryOf(resource: ServedResource): object {
  const { singular, namespaced, kind, verbs, shortNames, categories } = resource
  return {
    name: resource.resource,
    singularName: singular,
    namespaced,
    kind,
    verbs,
    ...(shortNames.length > 0 ? { shortNames } : {}),
    ...(categories.length > 0 ? { categories } : {}),
  }
}

function subresourceEntries(resource: ServedResource): object[] {
  return subresourcesOf(resource).map(({ name, group, version, kind, verbs }) => ({
    name: `${resource.resource}/${name}`,
    singularName: "",
    namespaced: resource.namespaced,
    ...(group === resource.group && version === resource.version ? {} : { group, version }),
    kind,
    verbs,
  }))
}
