// The second half of a pass: from what was seen to a proposal, or to a report and an outcome.

import type { Fault } from "../base/faults.ts"
import { equalJson, type JsonObject } from "../base/json.ts"
import type { FieldChange } from "../contract/action.ts"
import type { Absent, Present, Unknown } from "../contract/observation.ts"
import type { Outcome } from "../contract/outcome.ts"
import { enginePrincipal } from "../contract/principal.ts"
import type { TargetRecord } from "../contract/record.ts"
import { declaresProtection } from "../object/protection.ts"
import { declaresAdoption } from "./desire.ts"
import { reconcileFault } from "./faults.ts"
import { refreshHeldDelete } from "./held-delete.ts"
import type { Look, Subject } from "./look.ts"
import { scopeKey } from "./observer.ts"
import type { ReconcilePorts } from "./ports.ts"
import { isFresh, type Proposal } from "./proposal.ts"
import { type Proposed, propose } from "./propose.ts"
import { keepProtection, rememberProtection } from "./protection.ts"
import type { Ticket } from "./round.ts"
import type { Because, Report } from "./status.ts"

export const settled: Outcome = { kind: "settled" }
export const waitForRound: Outcome = { kind: "wait", reason: "its round" }

/** How soon a claimant that came second looks whether the target was let go. */
const claimLookMs = 5000

/** From what was seen to an outcome. */
export async function conclude(
  subject: Subject,
  looked: Look,
  ticket: Ticket,
  ports: ReconcilePorts,
): Promise<Outcome> {
  const { uid, loop } = subject
  const { observation, text } = looked
  const seen = { ...looked, record: await rememberProtection(subject, looked.record, ports) }
  const claim = ports.ledger.inventory.claimOf(text)
  if (claim !== undefined && claim.uid !== uid) {
    const fault = reconcileFault("SPT-LOOP-003", { target: text, owner: claim.object })
    const owner = { owner: claim.object }
    await stuck(subject, seen, ports, "TargetConflict", fault, owner)
    return { kind: "wait", reason: fault.message, afterMs: claimLookMs } // The owner may let go.
  }
  if (observation.kind === "unknown") return doubt(subject, seen, ports)
  if (loop.held.get(uid, "delete") !== undefined) return pendingDelete(subject, seen, ports)
  noteVanished(subject, seen, ports.ledger.time.now())
  const proposed = proposeFor(subject, seen, observation)
  switch (proposed.kind) {
    case "settled":
      return settle(subject, seen, ports, proposed.reported)
    case "take":
      await take(subject, seen, ports)
      return settle(subject, { ...seen, record: await ports.ledger.record(uid) }, ports, [])
    case "stuck":
      return stuck(subject, seen, ports, "CreateUncertain", proposed.fault)
    case "action":
      // What waits must be looked at again: its target may come back exactly as it was.
      ports.settled.drop(subject.key)
      await tellOutputs(subject, seen, ports)
      ticket.propose(proposalOf(subject, seen, proposed, ticket))
      return waitForRound
  }
}

/** Our own targets that are gone are counted together: all at once is evidence against the look. */
export function noteVanished({ uid, kind, loop }: Subject, seen: Look, now: number): void {
  // Replicas come and go; where their end shows as drift, one that is absent has vanished.
  const goes = kind.provider.fungible && kind.provider.restless === undefined
  if (seen.record?.owned !== true || goes) return
  if (seen.observation.kind === "absent") {
    loop.vanish.note(uid, kind.provider.kind, now)
  } else loop.vanish.seen(uid, seen.record.actedAt)
}

/** What would close the differences of this look. */
export function proposeFor(subject: Subject, seen: Look, observation: Present | Absent): Proposed {
  const { loop } = subject
  return propose({
    ...subject,
    ...seen,
    loop: loop.id,
    spec: loop.spec,
    target: seen.text,
    observation,
    sourceRevision: loop.sourceRevision,
    rollback: loop.rollback,
    adoptDeclared: declaresAdoption(subject.object),
  })
}

/** What goes into the round; also how a cold plan says what would. */
export function proposalOf(
  subject: Subject,
  seen: Look,
  proposed: Extract<Proposed, { kind: "action" }>,
  ticket: Pick<Ticket, "openedAt">,
): Proposal {
  const { key, object, kind, loop } = subject
  const { action, limitedChange } = proposed
  const lastWrite = loop.freshFrom.get(subject.uid) ?? 0
  return {
    action,
    key,
    object,
    kind,
    target: { ...seen.target, desired: proposed.desired },
    applied: appliedAfter(seen, proposed.kept),
    record: { ...(seen.record ?? newRecord(subject, seen, action.incarnation)), target: seen.text },
    fresh: isFresh(action, seen.observation, Math.max(ticket.openedAt, lastWrite)),
    adoptDeclared: declaresAdoption(object),
    limitedChange,
    desiredHash: seen.desiredHash,
  }
}

/**
 * What was not acted on is not applied: the record keeps what it knew of those fields, so that a
 * conflict stays one until a person decides.
 */
function appliedAfter(seen: Look, kept: readonly string[]): JsonObject {
  if (kept.length === 0) return seen.applied
  const known = seen.record?.applied ?? {}
  return { ...seen.applied, ...Object.fromEntries(kept.map((field) => [field, known[field]])) }
}

export function newRecord(subject: Subject, seen: Look, incarnation: number): TargetRecord {
  const { uid, key, loop, kind, object } = subject
  return {
    format: 1,
    uid,
    object: key,
    loop: loop.id,
    kind: kind.provider.kind,
    target: seen.text,
    owned: false,
    incarnation,
    generation: object.metadata.generation ?? 0,
  }
}

/** As declared. Writes only where the last pass knew something else. */
async function settle(
  subject: Subject,
  seen: Look,
  ports: ReconcilePorts,
  reported: readonly FieldChange[],
): Promise<Outcome> {
  const { key, uid, object, loop } = subject
  const { record, observation, applied, target } = seen
  if (record?.owned === true && reported.length === 0) {
    const moved = record.loop !== loop.id
    if (moved || record.pending !== undefined || !equalJson(record.applied, applied)) {
      await take(subject, seen, ports)
    }
  }
  if (record?.owned === true) await keepProtection(subject, record, ports)
  // A hint that came while this was read asks for a read that began after it.
  if ((loop.freshFrom.get(uid) ?? 0) <= observation.asOf) loop.freshFrom.delete(uid)
  loop.judgedBefore.delete(uid)
  if (loop.would.has(uid)) await ports.ledger.forgetWould(loop.id, [uid])
  if (loop.held.drop(uid, "act")) await ports.heldChanged(loop)
  await ports.concluded(loop, uid, ["act"]) // A delete that was approved is still to come.
  const token = observation.kind === "present" ? observation.token : ""
  ports.settled.set(key, {
    uid,
    generation: object.metadata.generation ?? 0,
    guarded: declaresProtection(object),
    loop: loop.id,
    identity: target.identity,
    kind: subject.kind,
    scope: scopeKey(subject.kind.provider, target),
    token,
    at: ports.clock.now(),
    fingerprint: seen.fingerprint,
  })
  const owned = record?.owned === true
  const drifted = reported.map((change) => change.path).join(", ")
  const waiting = observation.kind === "present" ? observation.waiting : undefined
  await report(subject, ports, {
    ...(waiting === undefined
      ? {
          state: "ready",
          reason: owned ? "Converged" : "Matched",
          message: owned ? "as declared" : "as declared; it was there before and is not ours",
        }
      : { state: "waiting", ...waiting, because: { failure: { class: "Transient" } } }),
    ...outputsOf(observation),
    target: seen.text,
    owned,
    ...(drifted === "" ? {} : { drifted: `left as it is by onDrift or onConflict: ${drifted}` }),
  })
  if (waiting?.afterMs === undefined) return settled
  return { kind: "wait", reason: waiting.message, afterMs: waiting.afterMs }
}

/** What is known of the target besides the spec; a target that is not there says nothing. */
function outputsOf(observation: Look["observation"]): Pick<Report, "outputs"> {
  if (observation.kind === "unknown") return {}
  return { outputs: observation.kind === "present" ? (observation.outputs ?? {}) : {} }
}

/** Others act on these facts: they are told before the act, which may wait for long. */
async function tellOutputs(subject: Subject, seen: Look, ports: ReconcilePorts): Promise<void> {
  const { outputs = {} } = outputsOf(seen.observation)
  const known = subject.object.status?.outputs ?? {}
  if (equalJson(known, outputs)) return
  const said = { reason: "Differs", message: "it is not as declared", target: seen.text }
  await report(subject, ports, { state: "working", ...said, outputs })
}

/** Becomes or stays ours, with what is applied now; only the ledger changes. */
async function take(subject: Subject, seen: Look, ports: ReconcilePorts): Promise<void> {
  const { key, loop, object } = subject
  const { pending: _, ...known } = seen.record ?? newRecord(subject, seen, 1)
  const generation = object.metadata.generation ?? 0
  const { observation } = seen
  const externalId = observation.kind === "present" ? observation.externalId : undefined
  const found = externalId === undefined ? {} : { externalId }
  const since = known.owned ? {} : { ownedAt: ports.ledger.time.now() }
  const facts = { loop: loop.id, owned: true, applied: seen.applied, generation }
  const record = { ...known, ...facts, ...since, ...found }
  const writes = ports.ledger.recordWrites(record)
  const adopted = seen.record?.owned !== true
  const note = "it is as declared and ours now"
  const events = adopted ? [{ type: "adopted", object: key, note } as const] : []
  await ports.ledger.note(loop.id, enginePrincipal, events, writes)
}

/** An object whose delete waits for a person is observed and not corrected. */
async function pendingDelete(
  subject: Subject,
  seen: Look,
  ports: ReconcilePorts,
): Promise<Outcome> {
  const { uid, loop } = subject
  await refreshHeldDelete(subject, seen, ports)
  const held = loop.held.get(uid, "delete")
  const message = held?.reasons[0]?.message ?? "its delete waits for a person"
  const plan = ports.ledger.plans.pending(loop.id)?.name
  await report(subject, ports, {
    state: "held",
    reason: "DeleteHeld",
    message,
    target: seen.text,
    because: { reasons: held?.reasons ?? [] },
    ...(plan === undefined ? {} : { plan }),
  })
  return { kind: "wait", reason: message }
}

/** Could not be read: nothing is changed on doubt. */
async function doubt(subject: Subject, seen: Look, ports: ReconcilePorts): Promise<Outcome> {
  const { observation, text } = seen
  ports.settled.drop(subject.key)
  const cause = observation.kind === "unknown" ? observation.cause : ""
  const details = { target: text, cause }
  const because = observation.kind === "unknown" ? doubtOf(observation) : {}
  if (observation.kind === "unknown" && observation.stuck === true) {
    const fault = reconcileFault("SPT-LOOP-002", details)
    return stuck(subject, seen, ports, "NotObservable", fault, because)
  }
  const fault = reconcileFault("SPT-LOOP-001", details)
  const said = { reason: "Unknown", message: fault.message, target: text, because }
  await report(subject, ports, { state: "retrying", ...said })
  return { kind: "retry", fault }
}

/** What is known of a read that failed. */
export function doubtOf({ failure }: Unknown): Because {
  return failure === undefined ? {} : { failure }
}

async function stuck(
  subject: Subject,
  seen: Look,
  ports: ReconcilePorts,
  reason: string,
  fault: Fault,
  because: Because = {},
): Promise<Outcome> {
  ports.settled.drop(subject.key)
  const message = `${fault.message} (${fault.hint})`
  const said = { reason, message, target: seen.text, because: { fact: fault.message, ...because } }
  await report(subject, ports, { state: "stuck", ...said })
  return { kind: "stuck", fault }
}

export async function report(
  { key, object, loop }: Subject,
  ports: ReconcilePorts,
  found: Report,
): Promise<void> {
  await ports.reporter.report(key, loop.id, object, found)
}
