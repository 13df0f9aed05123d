// Wires the loops of a plane: what their rounds, sources and timers need from the rest of it.

import { readStored } from "../api/stored-object.ts"
import type { Api } from "../api/verbs.ts"
import { circleIssues } from "../controllers/reference-circles.ts"
import { releaseObject } from "../controllers/release.ts"
import { issueText, type SourceState } from "../controllers/source-state.ts"
import { parseKeyText } from "../object/object.ts"
import type { Judged, LoopEngine } from "../reconcile/loop-engine.ts"
import { defaultRound } from "../reconcile/round.ts"
import { settleRound } from "../reconcile/settle-round.ts"
import { openLoopSource } from "./git-loops.ts"
import { lookAtLoop } from "./level-trigger.ts"
import { LoopBook, type LoopBookPorts } from "./loop-book.ts"
import type { Plane } from "./plane.ts"

export function openLoopBook(plane: Plane, failed: (error: unknown) => void): LoopBook {
  const { engine, ports } = plane
  return new LoopBook({
    clock: ports.clock,
    engine: roundPorts(plane, failed),
    source: sourcePorts(plane, failed),
    openSource: (source, loop) => plane.promotions.over(openLoopSource(plane, source, loop), loop),
    specOf: (object) => plane.limits.keeper.specOf(object),
    declared: (loop, object) => plane.limits.keeper.noteLoop(loop, object),
    restoreHeld: (loop) => {
      for (const held of engine.plans.pending(loop.id)?.held ?? []) loop.held.put(held)
    },
    sweep: (loop) => lookAtLoop(plane, loop),
    wakeAll: (loop) => engine.wakeAll(loop),
    failed,
  })
}

function roundPorts(plane: Plane, failed: (error: unknown) => void): LoopBookPorts["engine"] {
  const { engine, ports } = plane
  const { clock } = ports
  const settle = (loop: LoopEngine, judged: readonly Judged[]) =>
    settleRound(loop, judged, {
      ...{ clock, ledger: engine.ledger, queue: engine.queue, reporter: engine.reporter },
      dispatcher: engine.dispatcher,
      heldChanged: (changed) => engine.plans.refresh(changed),
      publish: (published) => plane.publish(published),
      judged: (...round) => plane.engine.meters.judged(...round),
      lookAt: (doubtful) => void engine.sweep(doubtful).catch(failed),
    })
  return {
    ...{ clock, ledger: engine.ledger, failed, settleRound: settle },
    keysOf: (loop) => engine.feed?.keys(loop) ?? [],
    round: ports.round ?? defaultRound,
    waves: (loop) => plane.waves.facts(loop),
    invariants: (loop, ...sets) => plane.invariants.judgeRound(loop, ...sets),
  }
}

function sourcePorts(plane: Plane, failed: (error: unknown) => void): LoopBookPorts["source"] {
  const { engine, ports } = plane
  return {
    ...{ clock: ports.clock, breath: engine.breath, ledger: engine.ledger, failed },
    verbs: lateVerbs(plane),
    servedKind: (group, kind) => plane.servedKind(group, kind),
    storedKeys: (loop) => engine.feed?.unmarked(loop) ?? [],
    storedObject: async (key) => engine.feed?.object(key),
    declaredObject: async (key) =>
      (await engine.feed?.object(key)) ??
      (await readStored(plane.api.context, parseKeyText(key)))?.object,
    circles: (changed, all) => circleIssues(changed, all, plane.circlePorts()),
    release: (loop, key) => releaseObject(loop.id, key, plane.releasePorts()),
    heldChanged: (loop) => engine.plans.refresh(loop),
    changed: (loop, state) => sourceChanged(plane, loop, state),
    movedOn: (...moved) => plane.checkpointing.movedOn(...moved),
  }
}

/** The API opens after the loops are wired; every use comes later still. */
function lateVerbs(plane: Plane) {
  return {
    apply: (...args: Parameters<Api["verbs"]["apply"]>) => plane.api.verbs.apply(...args),
    deleteSet: (...args: Parameters<Api["verbs"]["deleteSet"]>) =>
      plane.api.verbs.deleteSet(...args),
  }
}

async function sourceChanged(plane: Plane, loop: LoopEngine, state: SourceState): Promise<void> {
  plane.engine.events.source(loop.id, state)
  plane.checkpointing.sourceChanged(loop)
  plane.promotions.appeared(loop.id)
  if (state.kind === "invalid" || state.kind === "unreadable") {
    const issues = state.issues.slice(0, 5).map(issueText).join("; ")
    plane.ports.logger.warn(`source of ${loop.id} is ${state.kind}: ${issues}`, { loop: loop.id })
  }
  await plane.publish(loop)
}
