// Loads providers from ES modules on disk: each exports `kinds`, or `composites`, or both. The
// module is trusted code of this process; programs that are not trusted run by the exec protocol
// instead.

import { resolve } from "node:path"
import { pathToFileURL } from "node:url"
import type { CompositeKind } from "../../contract/composite.ts"
import type { KindProvider } from "../../contract/provider.ts"
import { providerFault } from "../faults.ts"
import { offerOwnModules } from "./own-modules.ts"

const functions = ["identity", "connection", "create", "update", "delete"] as const
const texts = ["group", "version", "kind", "resource", "provider", "identityRule"] as const

/** The kinds of all modules, in order. Anything that is not a kind is refused with its place. */
export async function loadProviders(modulePaths: readonly string[]): Promise<KindProvider[]> {
  const kinds: KindProvider[] = []
  for (const path of modulePaths) kinds.push(...(await loadModule(path)))
  return kinds
}

/** The composite kinds of the same modules. */
export async function loadComposites(modulePaths: readonly string[]): Promise<CompositeKind[]> {
  const composites: CompositeKind[] = []
  for (const path of modulePaths) {
    const found = await exportedOf(path, "composites", compositeProblemOf)
    composites.push(...(found as CompositeKind[]))
  }
  return composites
}

async function loadModule(path: string): Promise<readonly KindProvider[]> {
  const kinds = await exportedOf(path, "kinds", problemOf)
  return kinds as KindProvider[]
}

async function importModule(path: string): Promise<object> {
  try {
    offerOwnModules()
    return Object(await import(pathToFileURL(resolve(path)).href))
  } catch (error) {
    const cause = error instanceof Error ? error.message : String(error)
    throw providerFault("SPT-PROV-005", { path, cause }, error)
  }
}

async function exportedOf(
  path: string,
  name: "kinds" | "composites",
  problem: (candidate: unknown) => string | undefined,
): Promise<readonly unknown[]> {
  const loaded = await importModule(path)
  const lists = ["kinds", "composites"].map((list): unknown => Reflect.get(loaded, list))
  if (!lists.some((list) => Array.isArray(list) && list.length > 0)) {
    throw providerFault("SPT-PROV-005", { path, cause: "it exports no kinds" })
  }
  const exported: unknown = Reflect.get(loaded, name) ?? []
  if (!Array.isArray(exported)) {
    throw providerFault("SPT-PROV-005", { path, cause: `its ${name} are no list` })
  }
  return exported.map((candidate: unknown, index) => {
    const cause = problem(candidate)
    if (cause === undefined) return candidate
    throw providerFault("SPT-PROV-005", { path, cause: `${name}[${index}] ${cause}` })
  })
}

function compositeProblemOf(candidate: unknown): string | undefined {
  if (typeof candidate !== "object" || candidate === null) return "is not an object"
  for (const name of ["group", "version", "kind", "resource"]) {
    if (typeof Reflect.get(candidate, name) !== "string") return `has no ${name}`
  }
  for (const name of ["children", "related"]) {
    if (!Array.isArray(Reflect.get(candidate, name))) return `has no list ${name}`
  }
  const composes = typeof Reflect.get(candidate, "compose") === "function"
  return composes ? undefined : "has no function compose"
}

function problemOf(candidate: unknown): string | undefined {
  if (typeof candidate !== "object" || candidate === null) return "is not an object"
  for (const name of texts) {
    if (typeof Reflect.get(candidate, name) !== "string") return `has no ${name}`
  }
  for (const name of functions) {
    if (typeof Reflect.get(candidate, name) !== "function") return `has no function ${name}`
  }
  const reads = ["observe", "list"].some(
    (name) => typeof Reflect.get(candidate, name) === "function",
  )
  return reads ? undefined : "can't be observed: it has neither observe nor list"
}
