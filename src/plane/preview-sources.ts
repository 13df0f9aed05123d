// The sources of a dry run: as in a plane, a promoted loop takes what another one proved, and a git
// repository is followed from the revision that was taken last. Who asks for another revision sees
// what would happen if it were taken, whoever signed it and wherever it stands in the history.

import { readStored } from "../api/stored-object.ts"
import type { Api } from "../api/verbs.ts"
import type { GitSourceSpec } from "../contract/git-source.ts"
import { type LoopSource, type LoopSpec, parseLoopId } from "../contract/loop.ts"
import type { Source } from "../contract/source.ts"
import { promotedSource } from "../controllers/promoted-source.ts"
import { promotionOf } from "../controllers/promotion.ts"
import { acceptedRevision, takenRevision } from "../controllers/source-record.ts"
import type { Ledger } from "../ledger/ledger.ts"
import { type GitLoopFacts, gitDescription } from "../sources/git/git-source.ts"
import { valuesOf } from "./git-loops.ts"
import type { PreviewParts, PreviewPorts } from "./preview-parts.ts"

export interface PreviewSources {
  readonly ports: PreviewPorts
  readonly api: Api
  readonly ledger: Ledger
  /** Another revision than the loops would take by themselves. */
  readonly asked: boolean
  specOf(loop: string): LoopSpec | undefined
}

export function previewSources(parts: PreviewSources): PreviewParts["openSource"] {
  const { ledger, specOf, asked } = parts
  const rolledBackFrom = (loop: string) => ledger.quarantines.get(loop)?.revision
  const facts = { specOf, exists: () => false, rolledBackFrom, proofs: ledger.proofs }
  return (source, loop) => {
    const opened = open(source, loop, parts)
    if (asked || source.promotion === undefined) return opened
    const taken = async () => (await takenRevision(ledger, loop, opened.description))?.revision
    const promotion = () => promotionOf(loop, facts)
    return promotedSource(opened, { from: source.promotion.from, promotion, taken })
  }
}

function open(source: LoopSource, loop: string, parts: PreviewSources): Source {
  const { openGit, openSource } = parts.ports
  if (source.git === undefined || openGit === undefined) return openSource(source, loop)
  const { verify, ...others } = source.git
  const spec = parts.asked || verify === undefined ? others : { ...others, verify }
  const { namespace } = parseLoopId(loop)
  return openGit({ spec, loop, namespace, facts: gitFacts(spec, loop, parts) })
}

function gitFacts(
  spec: GitSourceSpec,
  loop: string,
  { api, ledger, asked }: PreviewSources,
): GitLoopFacts {
  const { namespace } = parseLoopId(loop)
  return {
    values: async (kind, name) => {
      const resource = kind === "Secret" ? "secrets" : "configmaps"
      const stored = await readStored(api.context, { group: "", resource, namespace, name })
      const data = stored?.object.data
      return data === undefined ? undefined : valuesOf(kind, data)
    },
    taken: async () => (asked ? undefined : takenRevision(ledger, loop, gitDescription(spec))),
    accepted: () => acceptedRevision(ledger, loop, gitDescription(spec)),
  }
}
