// The kinds that a plane runs, found by what the API calls them and by what people call them. Two
// kinds that could be mistaken for each other are refused when the registry is made.

import type { KindProvider } from "../contract/provider.ts"
import { providerFault } from "./faults.ts"

export interface Registry {
  readonly kinds: readonly KindProvider[]
  byResource(group: string, resource: string): KindProvider | undefined
  /** With the group when the kind's name alone is not enough; ambiguous names give undefined. */
  byKind(kind: string, group?: string): KindProvider | undefined
}

export function createRegistry(kinds: readonly KindProvider[]): Registry {
  const resources = new Map<string, KindProvider>()
  const names = new Map<string, KindProvider>()
  const byName = new Map<string, KindProvider[]>()
  for (const kind of kinds) {
    claim(resources, `${kind.resource}.${kind.group}`, kind, "that resource")
    claim(names, `${kind.kind}.${kind.group}`, kind, "that name")
    byName.set(kind.kind, [...(byName.get(kind.kind) ?? []), kind])
  }
  return {
    kinds: [...kinds],
    byResource: (group, resource) => resources.get(`${resource}.${group}`),
    byKind(kind, group) {
      if (group !== undefined) return names.get(`${kind}.${group}`)
      const found = byName.get(kind) ?? []
      return found.length === 1 ? found[0] : undefined
    },
  }
}

function claim(
  map: Map<string, KindProvider>,
  key: string,
  kind: KindProvider,
  what: string,
): void {
  const other = map.get(key)
  if (other !== undefined) {
    const details = { kind: `${kind.kind}.${kind.group}`, other: `${other.kind}.${other.group}` }
    throw providerFault("SPT-PROV-004", { ...details, what })
  }
  map.set(key, kind)
}
