// What protects an object from being destroyed: its own annotation, what its record remembers of
// it, or a policy for its kind. The record keeps the protection until its removal was approved:
// whoever takes the annotation away and the object with it must not get both for one.

import { protects } from "../base/protections.ts"
import { finishAction } from "../contract/action.ts"
import type { LoopSpec } from "../contract/loop.ts"
import { enginePrincipal } from "../contract/principal.ts"
import type { TargetRecord } from "../contract/record.ts"
import type { Ledger } from "../ledger/ledger.ts"
import type { HeldAction } from "../ledger/plan-ledger.ts"
import { unprotectedBy } from "../object/authors.ts"
import { type ApiObject, protectAnnotation } from "../object/object.ts"
import { declaresProtection } from "../object/protection.ts"
import type { Subject } from "./look.ts"
import type { ReconcilePorts } from "./ports.ts"

export function protectedBy(
  object: ApiObject,
  remembered: boolean,
  { protectedKinds }: LoopSpec,
): string | undefined {
  if (declaresProtection(object)) return `its annotation ${protectAnnotation}`
  if (remembered && protects("loosening-is-held")) {
    return "its annotation, whose removal nobody approved yet"
  }
  return protectedKinds.includes(object.kind) ? `a policy for kind ${object.kind}` : undefined
}

export function protectionOf(
  { object, record }: { readonly object: ApiObject; readonly record: TargetRecord },
  spec: LoopSpec,
): { readonly protectedBy?: string } {
  const by = protectedBy(object, record.protected === true, spec)
  return by === undefined ? {} : { protectedBy: by }
}

/** The record with what the object declares; an object that is not as declared is protected too. */
export async function rememberProtection(
  { object, loop }: Subject,
  record: TargetRecord | undefined,
  { ledger }: Pick<ReconcilePorts, "ledger">,
): Promise<TargetRecord | undefined> {
  if (record?.owned !== true || record.protected === true) return record
  if (!declaresProtection(object)) return record
  const remembered = { ...record, protected: true }
  await ledger.note(loop.id, enginePrincipal, [], ledger.recordWrites(remembered))
  return remembered
}

/** Brings the plan in line with the annotation of an object that is as declared. */
export async function keepProtection(
  subject: Subject,
  record: TargetRecord,
  ports: Pick<ReconcilePorts, "heldChanged" | "ledger">,
): Promise<void> {
  const { ledger } = ports
  const { object, loop, uid } = subject
  const lifted = !declaresProtection(object) && record.protected === true
  if (!lifted) {
    const over = ledger.plans.forgetRejection(loop.id, uid, "loosen")
    if (over !== undefined) await ledger.note(loop.id, enginePrincipal, [], [over])
    if (loop.held.drop(uid, "loosen")) await ports.heldChanged(loop)
    return
  }
  const held = heldRemoval(subject)
  if (loop.held.get(uid, "loosen")?.action.digest === held.action.digest) return
  if (ledger.plans.rejectionOf(loop.id, uid, "loosen") !== undefined) return
  loop.held.put(held)
  await ports.heldChanged(loop)
}

function heldRemoval({ key, uid, kind, loop, object }: Subject): HeldAction {
  const authors = unprotectedBy(object)
  const principal = authors.at(-1)
  const action = finishAction({
    ...{ verb: "loosen", uid, object: key, kind: kind.provider.kind, loop: loop.id },
    ...{ generation: 0, incarnation: 1, target: `protect:${key}` },
    changes: [{ path: protectAnnotation, before: "true", why: "requested" }],
    cause: {
      ...{ kind: "loosen", text: "its protection was taken away" },
      ...(principal === undefined ? {} : { principal, authors }),
    },
  })
  const message = `${key} would no longer be protected`
  const hint = "it stays protected until a person approves"
  const reasons = [{ guard: "loosening", code: "Loosening", message, hint }]
  return { action, origin: "round", reasons, desiredHash: "" }
}

/** A person approved that it is not protected any more. */
export async function unprotect(
  loop: string,
  uid: string,
  ledger: Ledger,
  { action }: HeldAction,
): Promise<void> {
  const record = await ledger.record(uid)
  if (record === undefined) return
  const { protected: _, ...free } = record
  const event = { type: "loosened", subject: action.target, changes: action.changes } as const
  await ledger.note(loop, enginePrincipal, [event], ledger.recordWrites(free))
}
