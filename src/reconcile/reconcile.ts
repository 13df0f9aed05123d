// One pass of the loop for one object: desire, observe, diff, propose into the loop's round. What
// happens to the proposal is decided over the whole round (settle-round.ts); when this pass ends
// the key is scheduled by its outcome and by nothing else.

import type { Outcome } from "../contract/outcome.ts"
import { loopLabel } from "../object/object.ts"
import { conclude, report, settled } from "./conclude.ts"
import { desire } from "./desire.ts"
import { believed } from "./early-absence.ts"
import { reconcileFault } from "./faults.ts"
import { type Look, look, type Subject, withHidden } from "./look.ts"
import type { ReconcilePorts } from "./ports.ts"
import { reconcileDeletion } from "./reconcile-deletion.ts"
import { retireOldTarget } from "./retire-target.ts"
import type { Ticket } from "./round.ts"

export async function reconcile(key: string, ports: ReconcilePorts): Promise<Outcome> {
  const subject = await findSubject(key, ports)
  if (subject === undefined) return settled
  if ("fault" in subject) return subject
  if (subject.loop.acting.has(subject.uid)) return { kind: "wait", reason: "its act is under way" }
  const composed = await composite(subject, ports)
  if (composed !== undefined) return composed
  const ticket = subject.loop.round.enter()
  try {
    if (subject.object.metadata.deletionTimestamp !== undefined) {
      return await reconcileDeletion(subject, ticket, ports)
    }
    return await reconcileTarget(subject, ticket, ports)
  } finally {
    subject.loop.noteLooked(key)
    ticket.leave()
  }
}

/** Undefined for what has a target, and for a marked parent whose children are gone. */
async function composite(subject: Subject, ports: ReconcilePorts): Promise<Outcome | undefined> {
  if (subject.kind.composite === undefined || ports.compose === undefined) return undefined
  subject.loop.noteLooked(subject.key)
  return ports.compose(subject)
}

async function findSubject(
  key: string,
  ports: ReconcilePorts,
): Promise<Subject | Extract<Outcome, { kind: "stuck" }> | undefined> {
  const object = await ports.object(key)
  const uid = object?.metadata.uid
  if (object === undefined || uid === undefined) {
    ports.settled.drop(key)
    ports.reporter.forget(key)
    ports.unwatchTarget(key)
    if (object === undefined) await ports.gone(key)
    return undefined
  }
  const id = object.metadata.labels?.[loopLabel]
  if (id === undefined) return undefined // Released: stored, and not acted on until adopted.
  const kind = ports.kindOf(key)
  const stuck = (fault: ReturnType<typeof reconcileFault>) => ({ kind: "stuck", fault }) as const
  if (kind === undefined) return stuck(reconcileFault("SPT-LOOP-005", { object: key }))
  const loop = ports.loopOf(id)
  if (loop === undefined) return stuck(reconcileFault("SPT-LOOP-006", { object: key, loop: id }))
  return { key, object, uid, kind, loop }
}

async function reconcileTarget(
  plain: Subject,
  ticket: Ticket,
  ports: ReconcilePorts,
): Promise<Outcome> {
  const { key, object, uid, loop } = plain
  const found = await desire(object, plain.kind.provider, ports.lookup)
  const { desired, missing, references } = found
  ports.refers?.(key, object.metadata.namespace ?? "", references)
  const record = await ports.ledger.record(uid)
  const kind = withHidden(plain.kind, found, record)
  const subject: Subject = { ...plain, kind }
  if (missing[0] !== undefined && found.refused !== undefined) {
    const reference = `${missing[0].kind} ${missing[0].name}`
    const details = { object: key, reference, why: found.refused }
    const fault = reconcileFault("SPT-LOOP-010", details)
    const message = `${fault.message} (${fault.hint})`
    const because = { fact: fault.message }
    await report(subject, ports, { state: "stuck", reason: "ReferenceRefused", message, because })
    return { kind: "stuck", fault }
  }
  if (missing[0] !== undefined) {
    const { kind: other, name, field } = missing[0]
    const reference = `${other} ${name} ${field}`
    const { message } = reconcileFault("SPT-LOOP-007", { object: key, reference })
    const waitsFor = missing.map((one) => `${one.kind} ${one.name} ${one.field}`)
    const said = { reason: "MissingReference", message, because: { waitsFor } }
    await report(subject, ports, { state: "waiting", ...said })
    return { kind: "wait", reason: message }
  }
  const retired = await retireOldTarget(subject, desired, record, ticket, ports)
  if (retired !== undefined) return retired
  const notBefore = Math.max(ticket.openedAt, loop.freshFrom.get(uid) ?? 0)
  const observe = async (target: Look["target"]) => {
    const seen = await ports.observer.observe(kind.provider, target, notBefore)
    return believed(seen, record, kind.provider, target.desired, ports.ledger.time.now())
  }
  const fingerprint = (target: Look["target"]) => ports.observer.fingerprint(kind.provider, target)
  const { hasher } = ports
  const given = { subject, desired, record, references, hasher }
  const seen = await look({ ...given, observe, fingerprint })
  ports.watchTarget(key, kind, seen.target)
  ports.seen?.(subject, seen.observation)
  return conclude(subject, seen, ticket, ports)
}
