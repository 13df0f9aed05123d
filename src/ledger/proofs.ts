// What a loop proved: the revisions of its source that it held converged, with the number of clean
// rounds. Other loops take over only what is proven here, so it stands over restarts. Memory
// follows when a write is durable.

import type { Store, Write } from "../contract/store.ts"
import { decodeDocument, ledgerKeys, putDocument } from "./keys.ts"
import { scanPrefix } from "./scan.ts"

export interface ProvenRevision {
  readonly revision: string
  /** Clean rounds in a row. */
  readonly rounds: number
  /** The most there ever were: what was proven stays proven. */
  readonly best: number
}

export interface ProofDocument {
  readonly format: 1
  readonly loop: string
  /** Where the revisions come from; a loop that points elsewhere proves anew. */
  readonly repository: string
  /** In the order in which the loop took them, the newest last. */
  readonly revisions: readonly ProvenRevision[]
}

/** What one look at everything showed. `idle`: nothing wrong, but something had to be put right. */
export interface RoundShown {
  readonly loop: string
  readonly repository: string
  readonly revision: string
  readonly round: "clean" | "idle" | "broken"
  /** So many rounds anybody asks for; counting ends there, and a loop at rest writes nothing. */
  readonly needed: number
}

const revisionsKept = 20

/** The document after this round; the same one when nothing changed. */
export function countRound(before: ProofDocument | undefined, shown: RoundShown): ProofDocument {
  const { loop, repository, revision, round, needed } = shown
  const known = before?.repository === repository ? before : undefined
  const current = known?.revisions.at(-1)
  const isNew = current?.revision !== revision
  const { rounds, best } = isNew ? { rounds: 0, best: 0 } : current
  const counted = round === "clean" ? Math.min(needed, rounds + 1) : rounds
  const now = round === "broken" && rounds < needed ? 0 : Math.max(rounds, counted)
  if (known !== undefined && !isNew && now === rounds) return known
  const others = (known?.revisions ?? []).filter((one) => one.revision !== revision)
  const newest = { revision, rounds: now, best: Math.max(best, now) }
  return { format: 1, loop, repository, revisions: [...shortened(others, needed), newest] }
}

/** The newest that is proven stays, however many came after it. */
function shortened(revisions: readonly ProvenRevision[], needed: number): ProvenRevision[] {
  const proven = revisions.findLast((one) => one.best >= needed)
  const from = revisions.length - revisionsKept + 1
  return revisions.filter((one, index) => index >= from || one === proven)
}

/** The newest revision that was held for so many clean rounds. */
export function newestProven(
  document: ProofDocument | undefined,
  rounds: number,
): ProvenRevision | undefined {
  return document?.revisions.findLast((one) => one.best >= rounds)
}

export class Proofs {
  readonly #byLoop = new Map<string, ProofDocument>()

  async open(store: Store): Promise<void> {
    for await (const entry of scanPrefix(store, ledgerKeys.proofs)) {
      const document = decodeDocument<ProofDocument>(entry.value)
      this.#byLoop.set(document.loop, document)
    }
  }

  of(loop: string): ProofDocument | undefined {
    return this.#byLoop.get(loop)
  }

  write(document: ProofDocument): Write {
    return putDocument(ledgerKeys.proof(document.loop), document)
  }

  keep(document: ProofDocument): void {
    this.#byLoop.set(document.loop, document)
  }

  end(loop: string): Write {
    return { kind: "delete", key: ledgerKeys.proof(loop) }
  }

  forget(loop: string): void {
    this.#byLoop.delete(loop)
  }
}
