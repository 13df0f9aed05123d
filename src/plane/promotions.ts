// Promotion between the loops of a plane: counts the clean rounds of loops that others are promoted
// from, keeps what they proved, and tells the others. A loop that nobody is promoted from is not
// counted, and one that is proven writes nothing.

import { protects } from "../base/protections.ts"
import { enginePrincipal } from "../contract/principal.ts"
import type { Source } from "../contract/source.ts"
import { promotedSource } from "../controllers/promoted-source.ts"
import { type Promotion, promotionOf, roundsAsked } from "../controllers/promotion.ts"
import { takenRevision } from "../controllers/source-record.ts"
import { countRound, type RoundShown } from "../ledger/proofs.ts"
import type { LoopEngine } from "../reconcile/loop-engine.ts"
import { hasPassesAhead, isSettledAsDeclared } from "./passes-ahead.ts"
import type { Plane } from "./plane.ts"
import { convergedCount } from "./status-view.ts"

/** What the last look began with. */
interface Looked {
  readonly revision: string | undefined
  readonly at: number
}

export class Promotions {
  readonly #plane: Plane
  readonly #looked = new Map<string, Looked>()
  readonly #telling = new Set<Promise<void>>()

  constructor(plane: Plane) {
    this.#plane = plane
  }

  of(loop: string): Promotion | undefined {
    const { loops, engine } = this.#plane
    return promotionOf(loop, {
      specOf: (id) => loops.get(id)?.spec,
      exists: (id) => this.#plane.hasLoop(id),
      revisionOf: (id) => this.#revisionOf(loops.get(id)) ?? this.#hadBefore(loops.get(id)),
      rolledBackFrom: (id) => engine.ledger.quarantines.get(id)?.revision,
      proofs: engine.ledger.proofs,
    })
  }

  /** What a loop reads of its source: all there is, or what another loop proved. */
  over(source: Source, loop: string): Source {
    const { loops, engine } = this.#plane
    const from = loops.get(loop)?.spec.source?.promotion?.from
    if (from === undefined) return source
    const { description } = source
    const taken = async () => (await takenRevision(engine.ledger, loop, description))?.revision
    return promotedSource(source, { from, taken, promotion: () => this.of(loop) })
  }

  /** A loop, or what it takes, was not there before: whoever is promoted from it hears of it. */
  appeared(loop: string): void {
    this.#tell(loop)
  }

  /** Before a look: what the last one found is known by now. */
  async count(loop: LoopEngine): Promise<void> {
    const { loops, engine, ports } = this.#plane
    const looked = this.#looked.get(loop.id)
    const revision = this.#revisionOf(loop)
    this.#looked.set(loop.id, { revision, at: ports.clock.now() })
    const needed = roundsAsked(loop.id, loops.all())
    const repository = loop.spec.source?.git?.url
    if (needed === undefined || revision === undefined || repository === undefined) return
    // Another revision than the one that was looked at: nothing is known of it yet.
    const round = looked?.revision === revision ? this.#round(loop, looked) : "idle"
    const shown: RoundShown = { loop: loop.id, repository, revision, round, needed }
    const { proofs } = engine.ledger
    const before = proofs.of(loop.id)
    const after = countRound(before, shown)
    if (after === before) return
    const best = (one: typeof before) =>
      one?.revisions.find((each) => each.revision === revision)?.best ?? 0
    const proven = best(after) > best(before) && best(after) >= needed
    const note = `${best(after)} clean rounds`
    const event = { type: "source", state: "proven", revision, note } as const
    const writes = [proofs.write(after)]
    await engine.ledger.note(loop.id, enginePrincipal, proven ? [event] : [], writes)
    proofs.keep(after)
    this.#tell(loop.id)
  }

  /** The loop is gone: whoever comes under its name proves anew. */
  async forget(loop: string): Promise<void> {
    const { ledger } = this.#plane.engine
    this.#looked.delete(loop)
    if (ledger.proofs.of(loop) !== undefined) {
      await ledger.note(loop, enginePrincipal, [], [ledger.proofs.end(loop)])
      ledger.proofs.forget(loop)
    }
    this.#tell(loop)
  }

  async close(): Promise<void> {
    await Promise.allSettled(this.#telling)
  }

  #revisionOf(loop: LoopEngine | undefined): string | undefined {
    const source = this.#plane.loops.sourceState(loop?.id ?? "")
    return source?.kind === "good" && loop?.rollback === undefined ? source.revision : undefined
  }

  /** While a source is being read for the first time: what the loop had before the start. */
  #hadBefore(loop: LoopEngine | undefined): string | undefined {
    const source = this.#plane.loops.sourceState(loop?.id ?? "")
    return source?.kind === "reading" && loop?.rollback === undefined
      ? loop?.sourceRevision
      : undefined
  }

  #round(loop: LoopEngine, looked: Looked): RoundShown["round"] {
    const { loops, engine, invariants } = this.#plane
    const source = loops.sourceState(loop.id)
    const objects = engine.feed?.count(loop.id) ?? 0
    const good =
      source?.kind === "good" &&
      source.kept === undefined &&
      loop.doubts.length === 0 &&
      engine.reporter.unconverged(loop.id).length === 0 &&
      convergedCount(this.#plane, loop.id) >= objects &&
      engine.plans.pending(loop.id) === undefined &&
      invariants.keeper.troubled(loop.id).length === 0
    if (!good) return "broken"
    if (protects("promotion-waits-for-passes") && !this.#isKnown(loop, looked)) return "idle"
    const { lastRound } = loop
    const acted = Object.values(lastRound?.counts ?? {}).some((count) => count > 0)
    return acted && (lastRound?.at ?? 0) >= looked.at ? "idle" : "clean"
  }

  /** Looks may come faster than passes: what one found is known once those have ended. */
  #isKnown(loop: LoopEngine, { at }: Looked): boolean {
    if ((loop.lookedAt ?? 0) < at || hasPassesAhead(this.#plane, loop)) return false
    return isSettledAsDeclared(this.#plane, loop)
  }

  /** Without waiting: a source that hangs must not keep the other loop from its next look. */
  #tell(from: string): void {
    for (const loop of this.#plane.loops.all()) {
      if (loop.spec.source?.promotion?.from !== from) continue
      const told = this.#bring(loop).catch((error) => this.#plane.engine.failed(error))
      this.#telling.add(told)
      void told.then(() => this.#telling.delete(told))
    }
  }

  async #bring(loop: LoopEngine): Promise<void> {
    await this.#plane.loops.sourceOf(loop.id)?.sync()
    await this.#plane.publish(loop)
  }
}
