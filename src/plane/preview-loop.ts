// The preview of one loop: its source read and placed, every object looked at, what would be
// proposed judged as one round, and what is no longer declared judged as one set of deletes.

import { mapBounded } from "../base/async.ts"
import { type Fault, isFault } from "../base/faults.ts"
import type { ObjectRef } from "../contract/client.ts"
import { sourcePrincipal } from "../contract/principal.ts"
import type { Manifest, SourceIssue, SourceSnapshot } from "../contract/source.ts"
import type { Verdict } from "../contract/verdict.ts"
import { deleteCause } from "../controllers/delete-judge.ts"
import { sourceText } from "../controllers/loop-spec.ts"
import { type Placed, placeManifest, refusedIssue } from "../controllers/place-manifest.ts"
import { PinnedSource, rollbackCause } from "../controllers/quarantine.ts"
import { circleIssues } from "../controllers/reference-circles.ts"
import { rollbackRevision } from "../ledger/quarantines.ts"
import {
  type ApiObject,
  keyText,
  parseKeyText,
  setpointGroup,
  sourceAnnotation,
} from "../object/object.ts"
import { deleteAction } from "../reconcile/held-delete.ts"
import type { KindRuntime } from "../reconcile/kind-runtime.ts"
import type { Subject } from "../reconcile/look.ts"
import type { LoopEngine } from "../reconcile/loop-engine.ts"
import { previewComposites } from "./preview-composites.ts"
import { type PreviewParts, pendingPlan } from "./preview-parts.ts"
import { lookNow, type Passed, previewPass } from "./preview-pass.ts"
import {
  type ActionContext,
  actionPreview,
  type LoopPreview,
  type PreviewAction,
  type PreviewNote,
} from "./preview-view.ts"

const atOnce = 32

interface Declared {
  readonly revision: string | undefined
  readonly manifests: ReadonlyMap<string, Manifest>
  /** Keys of objects that no store holds yet. */
  readonly created: ReadonlySet<string>
  /** Passive objects, which have no target, that would be stored. */
  readonly data: readonly PreviewNote[]
  /** What is declared can't be known here: whatever is stored counts as declared. */
  readonly asStored?: true
}

/** Encrypted with a key that is not on this host: nobody's mistake, and no reason to fail. */
const isClosed = (error: unknown): error is Fault => isFault(error) && error.code === "SPT-API-091"

export async function previewLoop(
  loop: LoopEngine,
  parts: PreviewParts,
): Promise<LoopPreview | { readonly issues: readonly SourceIssue[] }> {
  const declared = await declare(loop, parts)
  if ("issues" in declared) return declared
  loop.sourceRevision = declared.revision
  const plan = pendingPlan(parts.ledger, loop.id)
  const { objects } = parts
  const context: ActionContext = {
    ...{ declared, stops: parts.ports.stops(), plan },
    parentOf: (key) => objects.parentOf(key),
  }
  const composed = await previewComposites(loop, parts, context, (key, object) =>
    subjectOf(key, object, loop, parts).some((subject) => isUndeclared(subject, declared)),
  )
  const all = [...parts.objects.ofLoop(loop.id)].filter(([key]) => !composed.going.has(key))
  const subjects = all.flatMap(([key, object]) => subjectOf(key, object, loop, parts))
  const undeclared = withChildren(
    subjects.filter((subject) => isUndeclared(subject, declared)),
    subjects,
  )
  loop.held.retainOrigin("prune", new Set(undeclared.map(({ uid }) => uid)))
  const doomed = new Set(undeclared)
  const kept = subjects.filter(({ kind }) => kind.composite === undefined).filter(notIn(doomed))
  const passes = await mapBounded(kept, atOnce, (subject) => previewPass(subject, parts))
  const guarded = undeclared.filter(({ kind }) => isGuarded(loop, kind, parts))
  await mapBounded(guarded, atOnce, (subject) => lookNow(subject, parts))
  const created = new Set([...declared.created, ...objects.created])
  const shown = { ...context, declared: { ...declared, created } }
  const proposals = passes.flatMap((one) => (one.kind === "proposal" ? [one.proposal] : []))
  const judged = loop
    .judge(proposals)
    .map(({ proposal, verdict }) => actionPreview(proposal.action, verdict, shown))
  const held = passes.flatMap((one) =>
    one.kind === "held"
      ? [actionPreview(one.held.action, { kind: "hold", reasons: one.held.reasons }, context)]
      : [],
  )
  const pruned = await prune(loop, undeclared, declared, parts, context)
  const notes = [...declared.data, ...composed.notes, ...passes.flatMap(noteOf), ...pruned.notes]
  return {
    id: loop.id,
    mode: loop.spec.mode,
    source: sourceText(loop.spec.source),
    revision: declared.revision,
    objects: subjects.filter(({ kind }) => kind.composite === undefined).length,
    asDeclared: passes.filter((one) => one.kind === "quiet").length,
    stops: context.stops.filter((stop) => stop.loop === "*" || stop.loop === loop.id),
    actions: [...judged, ...held, ...composed.actions, ...pruned.actions],
    notes,
  }
}

/** Whoever goes takes its children along. */
function withChildren(going: readonly Subject[], all: readonly Subject[]): Subject[] {
  const gone = new Set(going)
  const uids = new Set(going.map(({ uid }) => uid))
  for (const subject of [...gone]) {
    if (subject.kind.composite === undefined) continue
    for (const other of all) {
      const owners = other.object.metadata.ownerReferences ?? []
      if (owners.some((owner) => uids.has(owner.uid))) gone.add(other)
    }
  }
  return [...gone]
}

const notIn =
  (going: ReadonlySet<Subject>) =>
  (subject: Subject): boolean =>
    !going.has(subject)

/** Its facts count for an invariant, so that it is looked at before anything is judged. */
const isGuarded = (loop: LoopEngine, { provider }: KindRuntime, parts: PreviewParts): boolean =>
  parts.invariants.selects(loop.id, provider.kind)

const noteOf = (passed: Passed): PreviewNote[] => (passed.kind === "note" ? [passed.note] : [])

/** The source's manifests as they would be stored; all of them, or every reason why not. */
async function declare(
  loop: LoopEngine,
  parts: PreviewParts,
): Promise<Declared | { readonly issues: readonly SourceIssue[] }> {
  const { source } = loop.spec
  const manifests = new Map<string, Manifest>()
  const created = new Set<string>()
  const data: PreviewNote[] = []
  if (source === undefined) return { revision: undefined, manifests, created, data }
  const read = await parts.openSource(source, loop.id).read(parts.signal)
  const snapshot = await inForce(loop, read, parts)
  if (snapshot.kind === "closed") {
    const note = closedNote(`loops.${setpointGroup}/${loop.id}`, "Loop", snapshot.fault)
    return { revision: undefined, manifests, created, data: [note], asStored: true }
  }
  if (snapshot.kind !== "complete") return { issues: snapshot.issues }
  const { objects } = parts
  const placed = snapshot.manifests.map((one) => placeManifest(one, loop.id, objects.servedKind))
  const misplaced = placed.filter((one) => "message" in one)
  if (misplaced.length > 0) return { issues: misplaced }
  const issues: SourceIssue[] = []
  const good = placed.filter((one): one is Placed => "key" in one)
  await mapBounded(good, atOnce, async (one) => {
    const key = keyText(one.key)
    manifests.set(key, one.manifest)
    try {
      const wanted = await objects.want(one, loop.id)
      if (wanted.created) created.add(key)
      if (objects.kindOf(key) === undefined && !wanted.unchanged) {
        const message = wanted.created ? "would be stored" : "would be stored with changes"
        data.push({ object: key, kind: one.object.kind, state: "data", message })
      }
    } catch (error) {
      if (isClosed(error)) return void data.push(closedNote(key, one.object.kind, error))
      if (!isFault(error) || error.fault === "retry" || error.fault === "bug") throw error
      issues.push(refusedIssue(one.manifest, error))
    }
  })
  if (issues.length > 0) return { issues }
  const stored = async (ref: ObjectRef) => objects.get(keyText(ref))
  const circles = await circleIssues(good, good, { kinds: parts.ports.kinds, stored })
  if (circles.length > 0) return { issues: circles }
  return { revision: snapshot.revision, manifests, created, data }
}

/** What stands in for a quarantined revision, as in a running plane. */
async function inForce(
  loop: LoopEngine,
  snapshot: SourceSnapshot,
  { ledger, objects }: PreviewParts,
): Promise<SourceSnapshot | { readonly kind: "closed"; readonly fault: Fault }> {
  const pinned = new PinnedSource(loop.id, ledger, objects.servedKind)
  const { quarantine } = pinned
  if (quarantine === undefined || !pinned.isQuarantined(snapshot)) return snapshot
  loop.rollback = rollbackCause(quarantine)
  try {
    const { manifests } = await pinned.load()
    return { kind: "complete", revision: rollbackRevision(quarantine), manifests }
  } catch (error) {
    if (isClosed(error)) return { kind: "closed", fault: error }
    throw error
  }
}

function closedNote(object: string, kind: string, { message }: Fault): PreviewNote {
  return { object, kind, state: "unknown", message: `${message}; what is stored is taken as it is` }
}

function subjectOf(
  key: string,
  object: ApiObject,
  loop: LoopEngine,
  { objects }: PreviewParts,
): Subject[] {
  const kind = objects.kindOf(key)
  const { uid } = object.metadata
  return kind === undefined || uid === undefined ? [] : [{ key, object, uid, kind, loop }]
}

/** Came from the source once, is not in it any more, and is not already going. */
function isUndeclared({ key, object, loop }: Subject, declared: Declared): boolean {
  const { annotations, deletionTimestamp } = object.metadata
  if (loop.spec.source === undefined || deletionTimestamp !== undefined) return false
  if (declared.asStored === true) return false
  return annotations?.[sourceAnnotation] !== undefined && !declared.manifests.has(key)
}

async function prune(
  loop: LoopEngine,
  subjects: readonly Subject[],
  { revision }: Declared,
  parts: PreviewParts,
  context: Parameters<typeof actionPreview>[2],
): Promise<{ actions: PreviewAction[]; notes: PreviewNote[] }> {
  if (subjects.length === 0) return { actions: [], notes: [] }
  const request = {
    origin: "prune",
    principal: sourcePrincipal(loop.id),
    candidates: subjects.map(({ key, object }) => ({ key: parseKeyText(key), object })),
    dryRun: true,
    ...(revision === undefined ? {} : { sourceRevision: revision }),
  } as const
  const judgement = await parts.judge.judge(request)
  const verdict: Verdict =
    judgement.kind === "allowed"
      ? { kind: "allow", reasons: [] }
      : { kind: judgement.kind === "held" ? "hold" : "deny", reasons: judgement.reasons }
  const cause = deleteCause(request, loop.rollback)
  const actions: PreviewAction[] = []
  const notes: PreviewNote[] = []
  await mapBounded(subjects, atOnce, async (subject) => {
    if (subject.kind.composite !== undefined) {
      const message = "no longer declared; its children go with it"
      const { key, object } = subject
      notes.push({ object: key, kind: object.kind, state: "release", message })
      return
    }
    const { record, observation, text } = await lookNow(subject, parts)
    if (record?.owned !== true || loop.spec.mode === "Observe") {
      const message = "no longer declared; the target is not ours to delete and stays"
      const { key, kind } = subject
      notes.push({ object: key, kind: kind.provider.kind, target: text, state: "release", message })
      return
    }
    const action = deleteAction(subject, text, record, observation, cause)
    actions.push(actionPreview(action, verdict, context))
  })
  return { actions: actions.sort(byObject), notes }
}

const byObject = (left: PreviewAction, right: PreviewAction): number =>
  left.object < right.object ? -1 : left.object > right.object ? 1 : 0
