// Why an object is as it is: what is declared, applied and observed, what differs and why, what is
// held, what was refused, and what would have to happen.

import { toTimestamp } from "../base/clock.ts"
import { isObject, type JsonObject } from "../base/json.ts"
import type { FieldChange, Verb } from "../contract/action.ts"
import type { TargetRecord } from "../contract/record.ts"
import { resumeWords, stoppedBy, stopText } from "../contract/stop.ts"
import { controllerFault } from "../controllers/faults.ts"
import type { SourceState } from "../controllers/source-state.ts"
import type { HeldAction } from "../ledger/plan-ledger.ts"
import { type ApiObject, loopLabel } from "../object/object.ts"
import { type Desired, desire } from "../reconcile/desire.ts"
import type { KindRuntime } from "../reconcile/kind-runtime.ts"
import { type Look, look, withHidden } from "../reconcile/look.ts"
import type { Unconverged } from "../reconcile/reporter.ts"
import { standingText } from "./break-glass-keeper.ts"
import { familyView } from "./explain-family.ts"
import { sourceView } from "./loop-status.ts"
import type { Plane } from "./plane.ts"
import { pathSteps, valueAt } from "./preview-view.ts"
import { recentActs } from "./recent-acts.ts"
import { rollbackView } from "./rollback-view.ts"

const verbs: readonly Verb[] = ["create", "update", "replace", "delete", "adopt"]

/** What an explanation was made from, for views that show more of it. */
export interface Explained {
  readonly object: ApiObject
  readonly kind: KindRuntime
  readonly found: Desired
  readonly record: TargetRecord | undefined
  readonly seen: Look | undefined
}

export async function explainObject(
  plane: Plane,
  key: string,
  more: (explained: Explained) => object = () => ({}),
  // Whoever looks again and again takes what others have just listed.
  maxAgeMs = 0,
): Promise<object> {
  const { engine, ports } = plane
  const explained = await lookedAt(plane, key, maxAgeMs)
  const { object, kind, record, seen } = explained
  const { missing } = explained.found
  const uid = object.metadata.uid ?? ""
  const id = object.metadata.labels?.[loopLabel] ?? ""
  const loop = plane.loops.get(id)
  const held = [loop?.held.get(uid, "delete"), loop?.held.get(uid, "act")].filter(
    (one) => one !== undefined,
  )
  const source = plane.loops.sourceState(id)
  const provider = kind.provider.provider
  const deleting = object.metadata.deletionTimestamp !== undefined
  const about = { loop: id, object: key, provider, destructive: deleting }
  const stop = stoppedBy(ports.stop.entries(), about)
  const glass = engine.ledger.breakGlass.live(id)
  const changes = seen?.changes ?? []
  const claim = engine.ledger.inventory.claimOf(seen?.text ?? "")
  return {
    object: key,
    kind: object.kind,
    name: object.metadata.name,
    generation: object.metadata.generation,
    deleting,
    source: object.metadata.annotations?.["setpoint.dev/source"],
    sourceRevision: object.metadata.annotations?.["setpoint.dev/source-revision"],
    undeclared: undeclaredView(source, key, held),
    ...(await familyView(plane, object, kind)),
    loop: id,
    mode: loop?.spec.mode,
    policy: loop === undefined ? undefined : { onDrift: loop.spec.onDrift },
    loopSource: source === undefined ? undefined : sourceView(source),
    rollback: rollbackView(engine.ledger, id),
    breakGlass: glass === undefined ? undefined : standingText(glass),
    stopped: stop === undefined ? undefined : stopText(stop),
    resume: stop === undefined ? undefined : resumeWords(stop),
    conditions: isObject(object.status) ? object.status.conditions : undefined,
    state: stateView(engine.reporter.stateOf(key)),
    acts: await recentActs(engine.ledger, id, key),
    target: seen?.text ?? record?.target,
    owned: record?.owned ?? false,
    incarnation: record?.incarnation,
    pending: record?.pending,
    observation: seen === undefined ? undefined : observationView(seen.observation),
    changes,
    fields: changes.map((change) => fieldView(change, record?.applied)),
    missing,
    claimedBy: claim === undefined || claim.uid === uid ? undefined : claim.object,
    rejected: rejections(plane, id, uid),
    held: held.map(({ action, reasons }) => ({ action, reasons })),
    plan: held.length === 0 ? undefined : engine.plans.pending(id)?.name,
    ...more(explained),
  }
}

/** What waits for a value, and what has no target of its own, is not observed. */
async function lookedAt(plane: Plane, key: string, maxAgeMs: number): Promise<Explained> {
  const { engine, ports } = plane
  const object = await engine.feed?.object(key)
  const plain = engine.feed?.kindOf(key)
  if (object === undefined || plain === undefined) {
    throw controllerFault("SPT-PLAN-008", { object: key })
  }
  const uid = object.metadata.uid ?? ""
  const record = await engine.ledger.record(uid)
  const found = await desire(object, plain.provider, engine.lookup)
  const { desired, missing, references } = found
  const kind = withHidden(plain, found, record)
  if (missing.length > 0 || kind.composite !== undefined) {
    return { object, kind, found, record, seen: undefined }
  }
  const seen = await look({
    ...{ subject: { key, uid, kind }, desired, record, references, hasher: ports.hasher },
    observe: (target) =>
      engine.observer.observe(kind.provider, target, ports.clock.monotonic() - maxAgeMs),
    fingerprint: () => undefined,
  })
  return { object, kind, found, record, seen }
}

/** Its manifest is gone: why it is still there, in words; "" when only its plan says so. */
function undeclaredView(
  source: SourceState | undefined,
  key: string,
  held: readonly HeldAction[],
): string | undefined {
  if (source?.kind === "good" && source.kept?.keys.has(key)) return source.kept.why
  return held.some((one) => one.origin === "prune") ? "" : undefined
}

/** With what the status leaves out because it changes: since when, and how often. */
function stateView(state: Unconverged | undefined): object | undefined {
  if (state === undefined) return undefined
  const { since, classSince, ...rest } = state
  return { ...rest, since: toTimestamp(since), classSince: toTimestamp(classSince) }
}

/** What people refused for this object and this source revision. */
function rejections(plane: Plane, loop: string, uid: string): object[] {
  const { plans } = plane.engine.ledger
  const revision = plane.loops.get(loop)?.sourceRevision ?? ""
  return verbs.flatMap((verb) => {
    const rejection = plans.rejectionOf(loop, uid, verb)
    if (rejection === undefined || rejection.sourceRevision !== revision) return []
    return [{ verb, principal: rejection.principal, at: rejection.at }]
  })
}

/** The three sides of one field: what is declared, what we last applied, what is there. */
function fieldView({ path, before, after, why }: FieldChange, applied: JsonObject | undefined) {
  const known = applied === undefined ? undefined : valueAt(applied, pathSteps(path))
  return { path, why, declared: after, applied: known, observed: before }
}

function observationView(observation: Look["observation"]): object {
  if (observation.kind === "present") return { kind: "present", token: observation.token }
  return { ...observation, asOf: undefined }
}
