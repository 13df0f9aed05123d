// What would change and why, without changing anything: the declared objects as the API would store
// them, looked at and judged by the very code that a running plane uses, on a store that refuses
// writes. It must never commit, act, or open anything for writing.

import { readingWorld } from "../actuator/reading-world.ts"
import { openApi } from "../api/verbs.ts"
import { type LoopSpec, loopId } from "../contract/loop.ts"
import { waitingPhases } from "../contract/plan.ts"
import type { TargetRecord } from "../contract/record.ts"
import type { SourceIssue } from "../contract/source.ts"
import type { Store } from "../contract/store.ts"
import { LoopDeleteJudge } from "../controllers/delete-judge.ts"
import { controllerFault } from "../controllers/faults.ts"
import { loopSpecOf } from "../controllers/loop-spec.ts"
import { LooseningKeeper } from "../controllers/loosening-keeper.ts"
import { openActions } from "../controllers/plan-approval.ts"
import { decodeDocument, ledgerKeys } from "../ledger/keys.ts"
import { Ledger } from "../ledger/ledger.ts"
import { scanPrefix } from "../ledger/scan.ts"
import type { ApiObject } from "../object/object.ts"
import { Connections } from "../queue/connections.ts"
import { kindRuntimes } from "../reconcile/kind-runtime.ts"
import { LoopEngine } from "../reconcile/loop-engine.ts"
import { Observer } from "../reconcile/observer.ts"
import { defaultRound } from "../reconcile/round.ts"
import { previewInvariants } from "./preview-invariants.ts"
import { previewLoop } from "./preview-loop.ts"
import { PreviewObjects } from "./preview-objects.ts"
import type { PreviewParts, PreviewPorts } from "./preview-parts.ts"
import { previewSources } from "./preview-sources.ts"
import type { LoopPreview } from "./preview-view.ts"

export interface PreviewRequest {
  /** Loops as `up` would make them; without it every loop that is stored. */
  readonly loops?: readonly ApiObject[]
  /** Which of the stored ones, instead. */
  readonly choose?: (stored: readonly ApiObject[]) => readonly ApiObject[]
  /** The sources show a revision that the loops would not take by themselves. */
  readonly anyRevision?: boolean
}

export type Preview =
  | { readonly kind: "judged"; readonly loops: readonly LoopPreview[] }
  /** A source that can't be used as a whole: a running plane would keep its last good revision. */
  | { readonly kind: "refused"; readonly loop: string; readonly issues: readonly SourceIssue[] }

export async function preview(request: PreviewRequest, ports: PreviewPorts): Promise<Preview> {
  const { store, clock, random } = ports
  const stop = new AbortController()
  const ledger = new Ledger(store, clock)
  await ledger.open()
  const records = await readRecords(store)
  const kinds = kindRuntimes(ports)
  const engines = new Map<string, LoopEngine>()
  const api = await openApi({
    ...{ store, clock, random },
    judge: { judge: async () => ({ kind: "denied", reasons: [] }) },
    skipWebhooks: true,
    hasProvider: (group, resource) =>
      kinds.some((kind) => kind.resource.group === group && kind.resource.resource === resource),
  })
  try {
    const objects = new PreviewObjects(api, kinds, store)
    await objects.open()
    const invariants = await previewInvariants(ports, objects, ledger)
    const judge = new LoopDeleteJudge({
      ledger,
      loopOf: (id) => engines.get(id),
      kindOf: (key) => objects.kindOf(key),
      invariants: (loop, subjects) => invariants.judgeDeletes(loop, subjects),
      observe: () => Promise.reject(new Error("a dry run observes nothing")),
      planned: async () => undefined,
    })
    const gate = new Connections(clock, stop.signal)
    const observer = new Observer({ clock, world: readingWorld(ports.readWorld), gate })
    const openedAt = clock.monotonic()
    const { signal } = stop
    const known = { ports, ledger, observer, objects, judge, records, invariants }
    const openSource = previewSources({
      ...{ ports, api, ledger, asked: request.anyRevision === true },
      specOf: (id) => specOf(id, objects, engines),
    })
    const parts: PreviewParts = { ...known, openSource, openedAt, signal }
    // What a policy or an unapproved loosening says counts here as it does in a plane.
    const loopOf = (id: string) => engines.get(id)
    const limits = new LooseningKeeper({ ledger, loopOf, heldChanged: async () => {} })
    await limits.open()
    for (const loop of chosenLoops(request, objects)) {
      const engine = newEngine(loop, limits.specOf(loop), parts)
      engines.set(engine.id, engine)
    }
    const loops: LoopPreview[] = []
    for (const engine of engines.values()) {
      const one = await previewLoop(engine, parts)
      if ("issues" in one) return { kind: "refused", loop: engine.id, issues: one.issues }
      loops.push(one)
    }
    return { kind: "judged", loops }
  } finally {
    stop.abort()
    await api.close()
  }
}

function specOf(
  id: string,
  objects: PreviewObjects,
  engines: ReadonlyMap<string, LoopEngine>,
): LoopSpec | undefined {
  const stored = objects
    .loops()
    .find(({ metadata }) => loopId(metadata.namespace ?? "", metadata.name) === id)
  return engines.get(id)?.spec ?? (stored === undefined ? undefined : loopSpecOf(stored))
}

async function readRecords(store: Store): Promise<Map<string, TargetRecord>> {
  const records = new Map<string, TargetRecord>()
  for await (const { value } of scanPrefix(store, ledgerKeys.records)) {
    const record = decodeDocument<TargetRecord>(value)
    records.set(record.uid, record)
  }
  return records
}

/** A loop with what the ledger remembers of it: pending plans, and approvals under way. */
function newEngine(
  loop: ApiObject,
  spec: LoopSpec,
  { ports, ledger, invariants }: PreviewParts,
): LoopEngine {
  const { namespace = "", name } = loop.metadata
  const engine = new LoopEngine(loopId(namespace, name), spec, {
    clock: ports.clock,
    ledger,
    round: defaultRound,
    settleRound: async () => {},
    failed: () => {},
    invariants: (engine, ...sets) => invariants.judgeRound(engine, ...sets),
    keysOf: () => [], // A preview looks at everything before it judges anything.
  })
  engine.sourceGoodAt = ledger.time.now()
  for (const plan of ledger.plans.ofLoop(engine.id)) {
    if (waitingPhases.has(plan.phase)) for (const held of plan.held) engine.held.put(held)
    if (plan.phase !== "Executing") continue
    const principal = plan.approvals.at(-1)?.principal ?? ""
    for (const { action } of openActions(plan)) {
      engine.approvals.set(action.digest, { plan: plan.name, principal })
    }
  }
  return engine
}

/** The loops that are asked for, as they would stand; every stored one when none is. */
function chosenLoops(request: PreviewRequest, objects: PreviewObjects): readonly ApiObject[] {
  const stored = objects.loops()
  if (request.choose !== undefined) return request.choose(stored)
  if (request.loops !== undefined) return request.loops.map((loop) => standing(loop, stored))
  if (stored.length === 0) throw controllerFault("SPT-PLAN-009")
  return stored
}

/** A stored loop keeps its own mode and limits; only its source is the one that was asked for. */
function standing(asked: ApiObject, stored: readonly ApiObject[]): ApiObject {
  const pathOf = (loop: ApiObject) => loopSpecOf(loop).source?.directory?.path
  const bound = stored.find((loop) => pathOf(loop) !== undefined && pathOf(loop) === pathOf(asked))
  if (bound !== undefined) return bound
  const { name, namespace } = asked.metadata
  const known = stored.find(
    ({ metadata }) => metadata.name === name && metadata.namespace === namespace,
  )
  if (known === undefined) return asked
  return { ...known, spec: { ...known.spec, source: asked.spec?.source } }
}
