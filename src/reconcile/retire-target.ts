// When a declaration moves to another target (a file's path is changed), the old target has to go
// before the new one is made, and going counts as destroying: it is proposed as a replace.

import type { JsonObject } from "../base/json.ts"
import { finishAction } from "../contract/action.ts"
import type { Dated, Present } from "../contract/observation.ts"
import type { Outcome } from "../contract/outcome.ts"
import { enginePrincipal } from "../contract/principal.ts"
import type { TargetRecord } from "../contract/record.ts"
import { report, waitForRound } from "./conclude.ts"
import { reconcileFault } from "./faults.ts"
import { targetText } from "./kind-runtime.ts"
import { appliedForm, type Subject, targetOf } from "./look.ts"
import type { ReconcilePorts } from "./ports.ts"
import type { Proposal } from "./proposal.ts"
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
  if (record === undefined || record.applied === undefined) return undefined
  if (record.target === targetText(kind.provider, desired)) return undefined
  const old = targetOf(subject, record.applied, record)
  const notBefore = Math.max(ticket.openedAt, loop.lastWrites.get(uid) ?? 0)
  const observation = await ports.observer.observe(kind.provider, old, notBefore)
  if (observation.kind === "unknown") {
    const details = { target: record.target, cause: observation.cause }
    const fault = reconcileFault("SPT-LOOP-001", details)
    await report(subject, ports, { state: "retrying", reason: "Unknown", message: fault.message })
    return { kind: "retry", fault }
  }
  if (observation.kind === "absent" || !record.owned) {
    const writes = ports.ledger.dropRecordWrites(record.uid, record.target)
    await ports.ledger.note(loop.id, enginePrincipal, [], writes)
    return { kind: "wait", reason: "the old target is gone", afterMs: 0 }
  }
  ticket.propose(retireProposal(subject, desired, record, observation, notBefore, ports.hasher))
  return waitForRound
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
  const target = targetOf(subject, record.applied ?? desired, record)
  return {
    ...{ action, key, object, kind, target, record },
    applied: appliedForm(kind, desired, hasher),
    fresh: observation.asOf >= notBefore,
    adoptDeclared: false,
    limitedChange: true,
    desiredHash: "",
  }
}
