// Reads what exists on this host, for the kinds that were asked for. Needs no plane and no data
// directory, and changes nothing: providers get reading handles.

import { resolve } from "node:path"
import { readingWorld } from "../../actuator/reading-world.ts"
import type { Skipped } from "../../contract/importer.ts"
import type { KindProvider } from "../../contract/provider.ts"
import type { ApiObject } from "../../object/object.ts"
import { canImport, importKind, importOptionsOf } from "../../provider/import-kind.ts"
import { planeFault } from "../faults.ts"
import { type LocalKindOptions, localKinds, localWorld } from "./local-kinds.ts"

export interface ImportRequest {
  /** As people write them: File, file, files; or all. */
  readonly kinds: readonly string[]
  readonly scope: Readonly<Record<string, string>>
  readonly signal: AbortSignal
}

export interface KindImport {
  readonly kind: string
  /** Plural, lower case: also the name of its folder. */
  readonly resource: string
  readonly objects: readonly ApiObject[]
  readonly skipped: readonly Skipped[]
}

export async function importLocal(
  { kinds: wanted, scope, signal }: ImportRequest,
  options: LocalKindOptions,
): Promise<readonly KindImport[]> {
  const all = await localKinds({ ...options, directory: resolve(options.directory) })
  const chosen = chooseKinds(all, wanted, scope)
  const local = localWorld()
  try {
    const world = readingWorld(local.readWorld)
    const imports: KindImport[] = []
    for (const kind of chosen) {
      const found = await importKind(kind, scope, { world, signal })
      imports.push({ kind: kind.kind, resource: kind.resource, ...found })
    }
    return imports
  } finally {
    local.close()
  }
}

function chooseKinds(
  all: readonly KindProvider[],
  wanted: readonly string[],
  scope: Readonly<Record<string, string>>,
): readonly KindProvider[] {
  const able = all.filter((kind) => importOptionsOf(kind) !== undefined)
  const names = able.map(({ kind }) => kind.toLowerCase()).join(", ")
  const chosen = wanted.flatMap((name) => {
    const word = name.toLowerCase()
    if (word === "all") return able.filter((kind) => canImport(kind, scope))
    const found = able.find(({ kind, resource }) => [kind.toLowerCase(), resource].includes(word))
    if (found === undefined) throw planeFault("SPT-IMPORT-001", { kind: name, kinds: names })
    return [found]
  })
  if (chosen.length === 0) throw planeFault("SPT-IMPORT-002", { kinds: names })
  const known = new Set(chosen.flatMap((kind) => Object.keys(importOptionsOf(kind) ?? {})))
  const [strange] = Object.keys(scope).filter((name) => !known.has(name))
  if (strange !== undefined) {
    throw planeFault("SPT-IMPORT-003", { option: strange, known: [...known].sort().join(", ") })
  }
  return [...new Set(chosen)]
}
