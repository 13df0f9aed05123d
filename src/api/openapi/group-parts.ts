// Something made for each group and version, and made again only for those whose kinds changed: one
// new definition must not cost a document of all of them. It is made kind by kind, so that others
// can work in between.

import { Breath } from "../../base/breath.ts"
import type { Clock } from "../../base/clock.ts"
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

export interface Making<Piece, Part> {
  /** Of one kind. */
  piece(resource: ServedResource): Piece
  /** Of all kinds of a group and version. */
  part(pieces: readonly Piece[]): Part
}

interface Made<Part> {
  readonly resources: readonly ServedResource[]
  readonly part: Promise<Part>
}

export class GroupParts<Piece, Part> {
  readonly #registry: ResourceRegistry
  readonly #groups: DocumentCache<GroupVersions>
  readonly #breath: Breath
  readonly #making: Making<Piece, Part>
  readonly #made = new Map<string, Made<Part>>()

  constructor(registry: ResourceRegistry, clock: Clock, making: Making<Piece, Part>) {
    this.#registry = registry
    this.#groups = new DocumentCache(registry)
    this.#breath = new Breath(clock)
    this.#making = making
  }

  /** Undefined when nothing is served there. */
  async one(path: string): Promise<Part | undefined> {
    const resources = this.#current().get(path)
    return resources === undefined ? undefined : this.#part(path, resources)
  }

  /** In the order of discovery. */
  async all(): Promise<Map<string, Part>> {
    const groups = this.#current()
    const all = new Map<string, Part>()
    for (const [path, resources] of groups) all.set(path, await this.#part(path, resources))
    for (const path of this.#made.keys()) if (!groups.has(path)) this.#made.delete(path)
    return all
  }

  #current(): GroupVersions {
    return this.#groups.get("", () => groupVersions(this.#registry.all()))
  }

  #part(path: string, resources: readonly ServedResource[]): Promise<Part> {
    const known = this.#made.get(path)
    if (known !== undefined && same(known.resources, resources)) return known.part
    const made = { resources, part: this.#make(resources) }
    this.#made.set(path, made)
    // What failed is tried again by the next who asks.
    made.part.catch(() => {
      if (this.#made.get(path) === made) this.#made.delete(path)
    })
    return made.part
  }

  async #make(resources: readonly ServedResource[]): Promise<Part> {
    const pieces: Piece[] = []
    for (const resource of resources) {
      pieces.push(this.#making.piece(resource))
      await this.#breath.due()
    }
    return this.#making.part(pieces)
  }
}

function same(left: readonly unknown[], right: readonly unknown[]): boolean {
  return left.length === right.length && left.every((one, index) => one === right[index])
}
