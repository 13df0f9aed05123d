// Loads providers from ES modules on disk: each exports `kinds`. The module is trusted code of this
// process; programs that are not trusted run by the exec protocol instead.

import { resolve } from "node:path"
import { pathToFileURL } from "node:url"
import type { KindProvider } from "../../contract/provider.ts"
import { providerFault } from "../faults.ts"

const functions = ["identity", "connection", "create", "update", "delete"] as const
const texts = ["group", "version", "kind", "resource", "provider", "identityRule"] as const

/** The kinds of all modules, in order. Anything that is not a kind is refused with its place. */
export async function loadProviders(modulePaths: readonly string[]): Promise<KindProvider[]> {
  const kinds: KindProvider[] = []
  for (const path of modulePaths) kinds.push(...(await loadModule(path)))
  return kinds
}

async function loadModule(path: string): Promise<readonly KindProvider[]> {
  let loaded: unknown
  try {
    loaded = await import(pathToFileURL(resolve(path)).href)
  } catch (error) {
    const cause = error instanceof Error ? error.message : String(error)
    throw providerFault("SPT-PROV-005", { path, cause }, error)
  }
  const exported: unknown = Reflect.get(Object(loaded), "kinds")
  if (!Array.isArray(exported) || exported.length === 0) {
    throw providerFault("SPT-PROV-005", { path, cause: "it exports no kinds" })
  }
  return exported.map((candidate: unknown, index) => {
    const cause = problemOf(candidate)
    if (cause === undefined) return candidate as KindProvider
    throw providerFault("SPT-PROV-005", { path, cause: `kinds[${index}] ${cause}` })
  })
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
