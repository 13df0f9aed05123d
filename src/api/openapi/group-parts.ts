// Something made for each group and version, and made again only for those whose kinds changed. One
// new definition must not cost a document of all of them.

import type { Breath } from "../../base/breath.ts"
import { apiVersionOf } from "../../object/object.ts"
import { discoveredGroups } from "../discovery/discovered-groups.ts"
import { DocumentCache } from "../http/document-cache.ts"
import type { ResourceRegistry } from "../resource-registry.ts"
import type { ServedResource } from "../served-resource.ts"

/** "api/v1" or "apis/GROUP/VERSION", and what is served there. */
export type GroupVersions = ReadonlyMap<string, readonly ServedResource[]>

export function groupVersions(served: readonly ServedResource[]): GroupVersions {
  const found = discoveredGroups(served).flatMap(({ name, versions }) =>
    versions.map(({ version, resources }): [string, readonly ServedResource[]] => [
      `${name === "" ? "api" : "apis"}/${apiVersionOf(name, version)}`,
      resources,
    ]),
  )
  return new Map(found)
}

export class GroupParts<Part> {
  readonly #groups: DocumentCache<GroupVersions>
  readonly #registry: ResourceRegistry
  readonly #make: (resources: readonly ServedResource[]) => Part
  readonly #made = new Map<string, { resources: readonly ServedResource[]; part: Part }>()

  constructor(registry: ResourceRegistry, make: (resources: readonly ServedResource[]) => Part) {
    this.#registry = registry
    this.#groups = new DocumentCache(registry)
    this.#make = make
  }

  /** Undefined when nothing is served there. */
  one(path: string): Part | undefined {
    const resources = this.#current().get(path)
    return resources === undefined ? undefined : this.#part(path, resources)
  }

  /** In the order of discovery; lets others work in between. */
  async all(breath: Breath): Promise<Map<string, Part>> {
    const groups = this.#current()
    const all = new Map<string, Part>()
    for (const [path, resources] of groups) {
      all.set(path, this.#part(path, resources))
      await breath.due()
    }
    for (const path of this.#made.keys()) if (!groups.has(path)) this.#made.delete(path)
    return all
  }

  #current(): GroupVersions {
    return this.#groups.get("", () => groupVersions(this.#registry.all()))
  }

  #part(path: string, resources: readonly ServedResource[]): Part {
    const known = this.#made.get(path)
    if (known !== undefined && same(known.resources, resources)) return known.part
    const part = this.#make(resources)
    this.#made.set(path, { resources, part })
    return part
  }
}

function same(left: readonly unknown[], right: readonly unknown[]): boolean {
  return left.length === right.length && left.every((one, index) => one === right[index])
}
