// What a Loop object says about itself: mode, source, what waits, the last round. Counts and the
// first few only, never inventories.

import { toTimestamp } from "../base/clock.ts"
import type { JsonObject } from "../base/json.ts"
import { type Promotion, promotionView } from "../controllers/promotion.ts"
import { issueText, type SourceState } from "../controllers/source-state.ts"
import type { LoopEngine } from "../reconcile/loop-engine.ts"
import { standingText } from "./break-glass-keeper.ts"
import type { Engine } from "./engine.ts"
import type { LoopBook } from "./loop-book.ts"
import type { Promotions } from "./promotions.ts"
import { rollbackView } from "./rollback-view.ts"

export interface LoopStatusParts {
  readonly engine: Engine
  readonly loops: LoopBook
  readonly promotions: Pick<Promotions, "of">
}

export function loopStatus(loop: LoopEngine, parts: LoopStatusParts): JsonObject {
  const { engine, loops } = parts
  const promotion = parts.promotions.of(loop.id)
  const source = loops.sourceState(loop.id)
  const plan = engine.plans.pending(loop.id)
  const { lastRound } = loop
  return {
    mode: loop.spec.mode,
    cleanRounds: loop.spec.mode === "Observe" ? loop.cleanRounds : null,
    source: source === undefined ? null : sourceView(source),
    promotion: promotion === undefined ? null : promotionView(promotion),
    rollback: rollbackView(engine.ledger, loop.id, loops.sourceOf(loop.id)?.lost),
    plan: plan === undefined ? null : { name: plan.name, actions: plan.held.length },
    lastRound:
      lastRound === undefined
        ? null
        : {
            time: toTimestamp(lastRound.at),
            counts: { ...lastRound.counts },
            verdicts: lastRound.verdicts,
          },
    conditions: [
      ...conditionsOf(source, plan?.name),
      ...glassCondition(loop.id, engine),
      ...promotedCondition(promotion),
    ],
  }
}

export function sourceView(state: SourceState): JsonObject {
  if (state.kind === "reading") return { state: state.kind }
  if (state.kind === "good")
    return {
      ...{ state: "good", revision: state.revision, objects: state.objects },
      ...(state.origin === undefined ? {} : { commit: { ...state.origin } }),
      ...(state.kept === undefined
        ? {}
        : { kept: { objects: state.kept.keys.size, why: state.kept.why } }),
    }
  return {
    state: state.kind,
    lastGoodRevision: state.lastGood ?? null,
    ...(state.refused === undefined ? {} : { refusedRevision: state.refused }),
    issues: state.issues.slice(0, 10).map(issueText),
    hint: state.issues[0]?.hint ?? null,
  }
}

function glassCondition(loop: string, { ledger }: Engine): JsonObject[] {
  const glass = ledger.breakGlass.live(loop)
  if (glass === undefined) return []
  const message = standingText(glass)
  return [{ type: "BreakGlass", status: "True", reason: "Broken", message }]
}

/** Whether it has the newest revision that the loop before it took. */
function promotedCondition(promotion: Promotion | undefined): JsonObject[] {
  if (promotion === undefined) return []
  const { state, message } = promotionView(promotion)
  const status = state === "taken" ? "True" : "False"
  const reason = { taken: "Proven", waiting: "WaitingForProof", refused: "Refused" }[state]
  return [{ type: "Promoted", status, reason, message }]
}

function conditionsOf(source: SourceState | undefined, plan: string | undefined): JsonObject[] {
  const bad = source?.kind === "invalid" || source?.kind === "unreadable"
  const held = plan !== undefined
  const ready = !bad && !held
  const message = bad
    ? `the source is ${source.kind}; the last good revision stays in force`
    : held
      ? `plan ${plan} waits for a person`
      : "as declared or on the way"
  const reason = bad ? "SourceNotGood" : held ? "PlanPending" : "Running"
  return [{ type: "Ready", status: ready ? "True" : "False", reason, message }]
}
