// What is served, by group and version, in the order in which clients should prefer it. Groups and
// versions that serve nothing do not appear.

import type { ServedResource, Subresource } from "../served-resource.ts"
import { compareVersions } from "./version-order.ts"

export interface DiscoveredVersion {
  readonly version: string
  readonly resources: readonly ServedResource[]
}

export interface DiscoveredGroup {
  /** "" is the core group. */
  readonly name: string
  /** Preferred first. */
  readonly versions: readonly DiscoveredVersion[]
}

/** Groups of built-in kinds first, so that their short names win. */
export function discoveredGroups(served: readonly ServedResource[]): DiscoveredGroup[] {
  const groups = new Map<string, Map<string, ServedResource[]>>()
  const sorted = [...served].sort((a, b) => Number(b.builtIn) - Number(a.builtIn) || byName(a, b))
  for (const one of sorted) {
    const versions = groups.get(one.group) ?? new Map<string, ServedResource[]>()
    groups.set(one.group, versions)
    const resources = versions.get(one.version) ?? []
    versions.set(one.version, resources)
    resources.push(one)
  }
  return [...groups].map(([name, versions]) => ({
    name,
    versions: [...versions]
      .map(([version, resources]) => ({ version, resources: resources.sort(byResource) }))
      .sort((a, b) => compareVersions(a.version, b.version)),
  }))
}

const byText = (left: string, right: string): number => (left < right ? -1 : Number(left > right))
const byResource = (a: ServedResource, b: ServedResource): number => byText(a.resource, b.resource)
const byName = (a: ServedResource, b: ServedResource): number =>
  a.builtIn ? 0 : byText(a.group, b.group) || byText(a.resource, b.resource)

const statusVerbs = ["get", "patch", "update"]

/** Status and scale like the others, by name. */
export function subresourcesOf(resource: ServedResource): Subresource[] {
  const { group, version, kind } = resource
  const all = [...resource.subresources]
  const add = (one: Subresource) => {
    if (!all.some(({ name }) => name === one.name)) all.push(one)
  }
  if (resource.statusSubresource) add({ name: "status", group, version, kind, verbs: statusVerbs })
  if (resource.scale !== undefined) {
    const scale = { group: "autoscaling", version: "v1", kind: "Scale" }
    add({ name: "scale", ...scale, verbs: statusVerbs })
  }
  return all.sort((a, b) => byText(a.name, b.name))
}
