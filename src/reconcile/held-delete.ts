// The action that a held delete stands for. Its digest covers the target's token, so a target that
// changes while its delete waits makes the plan stale; a change anywhere else does not.

import type { Action, Cause } from "../contract/action.ts"
import { finishAction } from "../contract/action.ts"
import type { Observation } from "../contract/observation.ts"
import type { TargetRecord } from "../contract/record.ts"
import type { Look, Subject } from "./look.ts"
import type { ReconcilePorts } from "./ports.ts"

export function deleteAction(
  subject: Subject,
  target: string,
  record: TargetRecord | undefined,
  observation: Observation,
  cause: Cause,
): Action {
  const { object, uid, key, kind, loop } = subject
  return finishAction({
    verb: "delete",
    uid,
    object: key,
    kind: kind.provider.kind,
    loop: loop.id,
    generation: object.metadata.generation ?? 0,
    incarnation: record?.incarnation ?? 1,
    target,
    changes: [],
    ...(observation.kind === "present" ? { token: observation.token } : {}),
    cause,
  })
}

/** Looks whether the held delete still means the same; true when it changed. */
export async function refreshHeldDelete(
  subject: Subject,
  seen: Look,
  ports: ReconcilePorts,
): Promise<boolean> {
  const { uid, loop } = subject
  const held = loop.held.get(uid, "delete")
  if (held === undefined || seen.observation.kind === "unknown") return false
  const { cause } = held.action
  const action = deleteAction(subject, seen.text, seen.record, seen.observation, cause)
  if (action.digest === held.action.digest) return false
  loop.held.put({ ...held, action })
  await ports.heldChanged(loop)
  return true
}
