// Git sources of the loops of a plane: what they need of it. Values of Secrets go to the source of
// the loop that names them and nowhere else.

import { isObject } from "../base/json.ts"
import type { GitSourceSpec } from "../contract/git-source.ts"
import { type LoopSource, parseLoopId } from "../contract/loop.ts"
import { enginePrincipal } from "../contract/principal.ts"
import type { Source } from "../contract/source.ts"
import { acceptedRevision, takenRevision } from "../controllers/source-record.ts"
import { type GitLoopFacts, gitDescription } from "../sources/git/git-source.ts"
import type { Plane } from "./plane.ts"

export function openLoopSource(plane: Plane, source: LoopSource, loop: string): Source {
  const { openGit, openSource } = plane.ports
  const { git } = source
  if (git === undefined || openGit === undefined) return openSource(source, loop)
  const { namespace } = parseLoopId(loop)
  return openGit({ spec: git, loop, namespace, facts: gitFacts(plane, loop, git) })
}

function gitFacts(plane: Plane, loop: string, spec: GitSourceSpec): GitLoopFacts {
  const { namespace } = parseLoopId(loop)
  const { ledger } = plane.engine
  return {
    values: async (kind, name) => {
      const resource = kind === "Secret" ? "secrets" : "configmaps"
      const ref = { group: "", version: "v1", resource, namespace, name }
      const data = (await plane.client(enginePrincipal).get(ref))?.data
      return data === undefined ? undefined : valuesOf(kind, data)
    },
    taken: () => takenRevision(ledger, loop, gitDescription(spec)),
    accepted: () => acceptedRevision(ledger, loop, gitDescription(spec)),
  }
}

export function valuesOf(kind: "Secret" | "ConfigMap", data: unknown): Map<string, string> {
  const entries = Object.entries(isObject(data) ? data : {}).map(([key, value]) => {
    const text = typeof value === "string" ? value : ""
    const plain = kind === "Secret" ? Buffer.from(text, "base64").toString("utf8") : text
    return [key, plain] as const
  })
  return new Map(entries)
}
