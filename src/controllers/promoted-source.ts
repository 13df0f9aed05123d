// The source of a loop that is promoted from another one: the same repository, read at the revision
// that the other loop proved. Until there is one it answers with the revision that the loop took
// last, or says what it waits for. It never answers with the newest one.

import type { Source, SourceIssue, SourceSnapshot } from "../contract/source.ts"
import { controllerFault } from "./faults.ts"
import type { Promotion } from "./promotion.ts"

export interface PromotedSourcePorts {
  readonly from: string
  promotion(): Promotion | undefined
  /** The revision that the loop took last, rollbacks aside. */
  taken(): Promise<string | undefined>
}

export function promotedSource(source: Source, ports: PromotedSourcePorts): Source {
  return {
    description: source.description,
    read: (signal) => read(source, ports, signal),
    // What is new there concerns the other loop; this one is told when something was proven.
    watch: () => source.watch(() => {}),
  }
}

async function read(
  source: Source,
  { from, promotion, taken }: PromotedSourcePorts,
  signal: AbortSignal,
): Promise<SourceSnapshot> {
  const answer = promotion()
  if (answer === undefined) return source.read(signal)
  if (source.readAt === undefined || answer.kind === "refused") {
    const { why, hint } = answer.kind === "refused" ? answer : noPast
    return unreadable("SPT-PROMO-002", { from, why, hint })
  }
  const revision = answer.kind === "take" ? answer.revision : await taken()
  if (revision !== undefined) return source.readAt(revision, signal)
  return unreadable("SPT-PROMO-001", { why: answer.waiting ?? "" })
}

const noPast = {
  why: "this loop's source can't be read as it was",
  hint: "keep both environments in one git repository",
}

function unreadable(
  code: "SPT-PROMO-001" | "SPT-PROMO-002",
  details: Readonly<Record<string, string>>,
): SourceSnapshot {
  const { message, hint } = controllerFault(code, details)
  const issue: SourceIssue = { code, message, hint }
  return { kind: "unreadable", issues: [issue] }
}
