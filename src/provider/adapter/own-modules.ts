// Lets a provider import `setpoint/provider` and `zod` where nobody installed them: a file beside
// the manifests is enough. What lies in its own node_modules comes first; what this program brings
// stands in, from its own files or from inside of the single executable.

import { registerHooks } from "node:module"
import { partNames, partText } from "../../base/parts.ts"

const scheme = "setpoint-part:"
const entries: Readonly<Record<string, string>> = {
  "setpoint/provider": "../index",
  "setpoint/client": "../../client/index",
  "setpoint/testing": "../../testing",
}

let offered = false

/** From the first call on, for every module that is imported after it. */
export function offerOwnModules(): void {
  if (offered) return
  offered = true
  registerHooks({
    resolve(specifier, context, next) {
      try {
        return next(specifier, context)
      } catch (error) {
        const url = ownModule(specifier)
        if (url === undefined) throw error
        // Run from its sources, its modules are TypeScript, too.
        const format = url.endsWith(".ts") ? "module-typescript" : "module"
        return { url, format, shortCircuit: true }
      }
    },
    load(url, context, next) {
      if (!url.startsWith(scheme)) return next(url, context)
      const source = partText(`modules/${url.slice(scheme.length)}.js`) ?? ""
      return { format: "module", source, shortCircuit: true }
    },
  })
}

/** Where this program has it; undefined for what is not ours to bring. */
function ownModule(specifier: string): string | undefined {
  const path = entries[specifier]
  if (path === undefined && specifier !== "zod") return undefined
  const inside = partNames("modules/")
  if (inside.includes(`modules/${specifier}.js`)) return `${scheme}${specifier}`
  if (inside.length > 0) return undefined
  if (path === undefined) return import.meta.resolve("zod")
  return new URL(`${path}.${import.meta.url.endsWith(".ts") ? "ts" : "js"}`, import.meta.url).href
}
