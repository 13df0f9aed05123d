// When a declaration moves to another target (a file's path is changed), the old target has to go
// before the new one is made, and going counts as destroying: it is proposed as a replace.

import type { JsonObject } from "../base/json.ts"
import { finishAction } from "../contract/action.ts"
import type { Dated, Present } from "../contract/observation.ts"
import type { Outcome } from "../contract/outcome.ts"
import { enginePrincipal } from "../contract/principal.ts"
import type { TargetRecord } from "../contract/record.ts"
import { doubtOf, report, waitForRound } from "./conclude.ts"
import { believed } from "./early-absence.ts"
import { reconcileFault } from "./faults.ts"
import { targetText } from "./kind-runtime.ts"
import { appliedForm, knownForm, type Subject, targetOf } from "./look.ts"
import { isMadeByUs } from "./made-by-us.ts"
import { partWith } from "./part-with.ts"
import type { ReconcilePorts } from "./ports.ts"
import { isFresh, type Proposal } from "./proposal.ts"
import type { Ticket } from "./round.ts"
import type { SecretHasher } from "./secrets.ts"

/** Undefined when there is nothing to retire and the pass goes on. */
export async function retireOldTarget(
  subject: Subject,
  desired: JsonObject,
  record: TargetRecord | undefined,
  ticket: Ticket,
  ports: ReconcilePorts,
): Promise<Outcome | undefined> {
  const { uid, kind, loop } = subject
  const form = knownForm(record)
  if (record === undefined || form === undefined) return undefined
  if (record.target === targetText(kind.provider, desired)) return undefined
  const undecided = !record.owned && record.pending?.verb === "create"
  if (undecided && kind.provider.identityRule === "none") return uncertain(subject, record, ports)
  const old = targetOf(subject, form, record)
  const notBefore = Math.max(ticket.openedAt, loop.freshFrom.get(uid) ?? 0)
  const seen = await ports.observer.observe(kind.provider, old, notBefore)
  const observation = believed(seen, record, kind.provider, form, ports.ledger.time.now())
  if (observation.kind === "unknown") {
    const details = { target: record.target, cause: observation.cause }
    const fault = reconcileFault("SPT-LOOP-001", details)
    const said = { message: fault.message, because: doubtOf(observation) }
    await report(subject, ports, { state: "retrying", reason: "Unknown", ...said })
    return { kind: "retry", fault }
  }
  if (observation.kind === "absent" || !(record.owned || undecided)) {
    const writes = ports.ledger.dropRecordWrites(record.uid, record.target)
    await ports.ledger.note(loop.id, enginePrincipal, [], writes)
    return { kind: "wait", reason: "the old target is gone", afterMs: 0 }
  }
  if (undecided && !isMadeByUs(kind, record, observation, ports.hasher)) {
    const note = `its create may have made ${record.target}; what is there could be anybody's`
    await partWith(subject, record, { cause: "CreateUncertain", note }, ports)
    return { kind: "wait", reason: "what stands in the old place could be anybody's", afterMs: 0 }
  }
  ticket.propose(retireProposal(subject, desired, record, observation, notBefore, ports.hasher))
  return waitForRound
}

/** Whether anything was made under the old name can't be known, so nothing new is made. */
async function uncertain(
  subject: Subject,
  record: TargetRecord,
  ports: ReconcilePorts,
): Promise<Outcome> {
  const fault = reconcileFault("SPT-LOOP-004", { target: record.target })
  const message = `${fault.message} (${fault.hint})`
  await report(subject, ports, { state: "stuck", reason: "CreateUncertain", message })
  return { kind: "stuck", fault }
}

/** The replace that takes the old target away. */
export function retireProposal(
  subject: Subject,
  desired: JsonObject,
  record: TargetRecord,
  observation: Dated<Present>,
  notBefore: number,
  hasher: SecretHasher,
): Proposal {
  const { uid, kind, loop, object, key } = subject
  const to = targetText(kind.provider, desired)
  const action = finishAction({
    verb: "replace",
    uid,
    object: key,
    kind: kind.provider.kind,
    loop: loop.id,
    generation: object.metadata.generation ?? 0,
    incarnation: record.incarnation,
    target: record.target,
    changes: [{ path: "target", before: record.target, after: to, why: "requested" }],
    token: observation.token,
    cause: { kind: "edit", text: `the declaration moved to ${to}` },
  })
  const target = targetOf(subject, knownForm(record) ?? desired, record)
  return {
    ...{ action, key, object, kind, target, record },
    applied: appliedForm(kind, desired, hasher),
    fresh: isFresh(action, observation, notBefore),
    adoptDeclared: false,
    limitedChange: true,
    desiredHash: "",
  }
}
