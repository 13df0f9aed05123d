// What a Loop object says about itself: mode, source, what waits, the last round. Counts and the
// first few only, never inventories.

import { toTimestamp } from "../base/clock.ts"
import type { JsonObject } from "../base/json.ts"
import { issueText, type SourceState } from "../controllers/source-keeper.ts"
import type { LoopEngine } from "../reconcile/loop-engine.ts"
import { standingText } from "./break-glass-keeper.ts"
import type { Engine } from "./engine.ts"
import type { LoopBook } from "./loop-book.ts"
import { rollbackView } from "./rollback-view.ts"

export interface LoopStatusParts {
  readonly engine: Engine
  readonly loops: LoopBook
}

export function loopStatus(loop: LoopEngine, { engine, loops }: LoopStatusParts): JsonObject {
  const source = loops.sourceState(loop.id)
  const plan = engine.plans.pending(loop.id)
  const { lastRound } = loop
  return {
    mode: loop.spec.mode,
    cleanRounds: loop.spec.mode === "Observe" ? loop.cleanRounds : null,
    source: source === undefined ? null : sourceView(source),
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
    conditions: [...conditionsOf(source, plan?.name), ...glassCondition(loop.id, engine)],
  }
}

export function sourceView(state: SourceState): JsonObject {
  if (state.kind === "reading") return { state: state.kind }
  if (state.kind === "good")
    return {
      ...{ state: "good", revision: state.revision, objects: state.objects },
      ...(state.kept === undefined
        ? {}
        : { kept: { objects: state.kept.keys.size, why: state.kept.why } }),
    }
  return {
    state: state.kind,
    lastGoodRevision: state.lastGood ?? null,
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
