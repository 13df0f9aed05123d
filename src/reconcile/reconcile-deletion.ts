// A marked object: its target is deleted when it is ours, proven present and covered by a budget or
// an approval; the object goes only when the target is proven absent, or is released.

import type { JsonObject } from "../base/json.ts"
import { protects } from "../base/protections.ts"
import type { Cause } from "../contract/action.ts"
import type { Dated, Present } from "../contract/observation.ts"
import type { Outcome } from "../contract/outcome.ts"
import { enginePrincipal } from "../contract/principal.ts"
import type { Target } from "../contract/provider.ts"
import type { TargetRecord } from "../contract/record.ts"
import type { Ledger } from "../ledger/ledger.ts"
import { isRollbackRevision } from "../ledger/quarantines.ts"
import { targetFinalizer } from "../object/object.ts"
import { doubtOf, report, settled, waitForRound } from "./conclude.ts"
import { deletionLeftMs } from "./deletion-deadline.ts"
import { type Desired, desire } from "./desire.ts"
import { believed } from "./early-absence.ts"
import { reconcileFault } from "./faults.ts"
import { deleteAction } from "./held-delete.ts"
import { appliedForm, knownForm, recordedTarget, type Subject, withHidden } from "./look.ts"
import { isMadeByUs } from "./made-by-us.ts"
import { partWith } from "./part-with.ts"
import type { ReconcilePorts } from "./ports.ts"
import { isFresh, type Proposal } from "./proposal.ts"
import type { Ticket } from "./round.ts"

/** A delete that was accepted and is still not through is asked for again after this. */
const deletingMsMax = 10 * 60_000

export async function reconcileDeletion(
  plain: Subject,
  ticket: Ticket,
  ports: ReconcilePorts,
): Promise<Outcome> {
  const { uid, object, loop, key } = plain
  const record = await ports.ledger.record(uid)
  const found = await desire(object, plain.kind.provider, ports.lookup)
  ports.refers?.(key, object.metadata.namespace ?? "", found.references)
  const kind = withHidden(plain.kind, found, record)
  const subject: Subject = { ...plain, kind }
  // Before anything else: what others take values from is needed until they are gone, ours or not.
  const first = protects("dependents-go-first") ? ports.goesAfter?.(key)[0] : undefined
  if (first !== undefined) return waitForDependent(subject, first, ports)
  if (record === undefined || !record.owned) return release(subject, record, ports)
  if (loop.spec.mode === "Observe") return release(subject, record, ports)
  const target = recordedTarget(subject, found, record)
  if (target === undefined) return waitForValue(subject, found, ports)
  const notBefore = Math.max(ticket.openedAt, loop.freshFrom.get(uid) ?? 0)
  const seen = await ports.observer.observe(kind.provider, target, notBefore)
  const now = ports.ledger.time.now()
  const observation = believed(seen, record, kind.provider, target.desired, now)
  const accepted = record.deletedAt !== undefined && !protects("gone-only-when-seen")
  if (observation.kind === "absent" || accepted) return finalize(subject, record, ports)
  if (observation.kind === "unknown") {
    const details = { target: record.target, cause: observation.cause }
    const fault = reconcileFault("SPT-LOOP-001", details)
    const { message } = fault
    const because = doubtOf(observation)
    await report(subject, ports, { state: "retrying", reason: "Unknown", message, because })
    return { kind: "retry", fault }
  }
  if (record.deletedAt !== undefined && now - record.deletedAt < deletingMsMax) {
    const message = "the delete was accepted; waiting until it is gone"
    await report(subject, ports, { state: "working", reason: "Deleting", message })
    return {
      kind: "retry",
      fault: reconcileFault("SPT-LOOP-001", { target: target.identity, cause: message }),
    }
  }
  const { desired } = found
  const goal = { desired, target }
  ticket.propose(deletionProposal(subject, goal, record, observation, notBefore, ports))
  return waitForRound
}

/** Which target is meant can't be told, and nothing is deleted by guessing. */
async function waitForValue(
  subject: Subject,
  { missing }: Pick<Desired, "missing">,
  ports: ReconcilePorts,
): Promise<Outcome> {
  const waitsFor = missing.map(({ kind, name, field }) => `${kind} ${name} ${field}`)
  const details = { object: subject.key, reference: waitsFor.join(", ") }
  const { message } = reconcileFault("SPT-LOOP-007", details)
  const said = { reason: "MissingReference", message, because: { waitsFor } }
  await report(subject, ports, { state: "waiting", ...said })
  return { kind: "wait", reason: message }
}

/** What takes a value from it goes first; its end wakes this one. */
async function waitForDependent(
  subject: Subject,
  dependent: string,
  ports: ReconcilePorts,
): Promise<Outcome> {
  const message = `${dependent} takes a value from it and goes first`
  const because = { waitsFor: [`the end of ${dependent}`] }
  await report(subject, ports, { state: "waiting", reason: "DependentFirst", message, because })
  return { kind: "wait", reason: message }
}

/** The delete that a marked object stands for. */
export function deletionProposal(
  subject: Subject,
  { desired, target }: { readonly desired: JsonObject; readonly target: Target },
  record: TargetRecord,
  observation: Dated<Present>,
  notBefore: number,
  { ledger, hasher }: Pick<ReconcilePorts, "ledger" | "hasher">,
): Proposal {
  const { key, object, kind } = subject
  const cause = causeOf(subject, ledger)
  const action = deleteAction(subject, record.target, record, observation, cause)
  return {
    ...{ key, object, kind, record, action, target },
    // A recorded form is one already.
    applied: target.desired === desired ? appliedForm(kind, desired, hasher) : target.desired,
    fresh: isFresh(action, observation, notBefore),
    adoptDeclared: false,
    // What others took the place of was not counted as a delete when it was marked.
    limitedChange: ledger.budgets.grantOf(subject.uid)?.count === 0,
    desiredHash: "",
  }
}

/** Who asked for it was written down when the object was marked. */
function causeOf({ uid }: Subject, ledger: Ledger): Cause {
  const grant = ledger.budgets.grantOf(uid)
  const revision =
    grant?.sourceRevision === undefined ? {} : { sourceRevision: grant.sourceRevision }
  return {
    kind: deleteKind(grant?.sourceRevision),
    text: grant?.cause ?? "the object was deleted",
    ...(grant === undefined ? {} : { principal: grant.principal }),
    ...(grant?.breakGlass === undefined ? {} : { breakGlass: grant.breakGlass }),
    ...revision,
  }
}

function deleteKind(sourceRevision: string | undefined): Cause["kind"] {
  if (sourceRevision === undefined) return "delete"
  return isRollbackRevision(sourceRevision) ? "rollback" : "prune"
}

/** The target stays; only our knowledge of it ends. */
async function release(
  subject: Subject,
  record: TargetRecord | undefined,
  ports: ReconcilePorts,
): Promise<Outcome> {
  if (record?.pending?.verb === "create") return undecided(subject, record, ports)
  if (record !== undefined) {
    const note = record.owned ? "released: the loop only observes" : "was never ours"
    await partWith(subject, record, { cause: "Released", note }, ports)
  }
  return leave(subject, ports)
}

/**
 * The create may have happened before a crash. What it made goes into the inventory and is deleted
 * as ours; what could be anybody's stays.
 */
async function undecided(
  subject: Subject,
  record: TargetRecord,
  ports: ReconcilePorts,
): Promise<Outcome> {
  const { kind, object, loop } = subject
  const found = await desire(object, kind.provider, ports.lookup)
  if (kind.provider.identityRule === "none") {
    const note = `its create may have made ${record.target}, and that can't be found again`
    return letGo(subject, record, note, ports)
  }
  const target = recordedTarget(subject, found, record)
  if (target === undefined) return waitForValue(subject, found, ports)
  const since = ports.clock.monotonic()
  const seen = await ports.observer.observe(kind.provider, target, since)
  const now = ports.ledger.time.now()
  const observation = believed(seen, record, kind.provider, target.desired, now)
  if (observation.kind === "absent") return finalize(subject, record, ports)
  if (observation.kind === "unknown") {
    const fault = reconcileFault("SPT-LOOP-004", { target: record.target })
    const { message } = fault
    const because = doubtOf(observation)
    await report(subject, ports, { state: "stuck", reason: "CreateUncertain", message, because })
    return { kind: "retry", fault }
  }
  if (!isMadeByUs(kind, record, observation, ports.hasher)) {
    const note = `its create may have made ${record.target}; what is there could be anybody's`
    return letGo(subject, record, note, ports)
  }
  const { pending: _, ...known } = record
  const applied = knownForm(record) ?? appliedForm(kind, found.desired, ports.hasher)
  const { externalId } = observation
  const id = externalId === undefined ? {} : { externalId }
  const writes = ports.ledger.recordWrites({ ...known, owned: true, applied, ...id })
  const note = "its create was under way when the plane ended"
  const event = { type: "adopted", object: subject.key, note } as const
  await ports.ledger.note(loop.id, enginePrincipal, [event], writes)
  return { kind: "wait", reason: "it is ours after all", afterMs: 0 }
}

/** Deleting the object is how a person ends an uncertain create; the journal keeps the doubt. */
async function letGo(
  subject: Subject,
  record: TargetRecord,
  note: string,
  ports: ReconcilePorts,
): Promise<Outcome> {
  await partWith(subject, record, { cause: "CreateUncertain", note }, ports)
  return leave(subject, ports)
}

async function finalize(
  subject: Subject,
  record: TargetRecord,
  ports: ReconcilePorts,
): Promise<Outcome> {
  const writes = ports.ledger.dropRecordWrites(record.uid, record.target)
  await ports.ledger.note(subject.loop.id, enginePrincipal, [], writes)
  return leave(subject, ports)
}

async function leave(subject: Subject, ports: ReconcilePorts): Promise<Outcome> {
  const { key, uid, loop } = subject
  loop.freshFrom.delete(uid)
  loop.judgedBefore.delete(uid)
  if (loop.held.dropAll(uid)) await ports.heldChanged(loop)
  await ports.concluded(loop, uid)
  await ports.unfinalize(subject.object)
  ports.settled.drop(key)
  const finalizers = foreignFinalizers(subject.object)
  if (finalizers.length > 0) return keptByOthers(subject, finalizers, ports)
  ports.reporter.forget(key)
  return settled
}

const foreignFinalizers = ({ metadata }: Subject["object"]): readonly string[] =>
  (metadata.finalizers ?? []).filter((one) => one !== targetFinalizer)

/** Our part is done; the object stays until others let it go. */
async function keptByOthers(
  subject: Subject,
  finalizers: readonly string[],
  ports: ReconcilePorts,
): Promise<Outcome> {
  const names = finalizers.join(", ")
  const message = `its target is gone or let go; the object stays for finalizer ${names}`
  const said = { reason: "ForeignFinalizer", message, because: { finalizers } }
  await report(subject, ports, { state: "waiting", ...said })
  const { deletionDeadlineMs } = subject.loop.spec
  const left = deletionLeftMs(subject.object, deletionDeadlineMs, ports.clock.now()) ?? 0
  return { kind: "wait", reason: message, ...(left > 0 ? { afterMs: left + 1000 } : {}) }
}
