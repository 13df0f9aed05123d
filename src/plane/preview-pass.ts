// One pass of a preview over one object: the first half of reconcile (desire, observe, diff,
// propose) without its second: nothing is reported, recorded or put into a round that acts.

import type { Dated, Observation } from "../contract/observation.ts"
import type { Target } from "../contract/provider.ts"
import type { HeldAction } from "../ledger/plan-ledger.ts"
import { noteVanished, proposalOf, proposeFor } from "../reconcile/conclude.ts"
import { desire } from "../reconcile/desire.ts"
import { targetText } from "../reconcile/kind-runtime.ts"
import {
  look,
  neverMade,
  recordedTarget,
  type Subject,
  targetOf,
  withHidden,
} from "../reconcile/look.ts"
import type { Proposal } from "../reconcile/proposal.ts"
import { deletionProposal } from "../reconcile/reconcile-deletion.ts"
import { retireProposal } from "../reconcile/retire-target.ts"
import { settlingMs } from "../reconcile/vanish-watch.ts"
import type { PreviewParts } from "./preview-parts.ts"
import type { PreviewNote } from "./preview-view.ts"

export type Passed =
  | { readonly kind: "quiet" }
  | { readonly kind: "proposal"; readonly proposal: Proposal }
  | { readonly kind: "held"; readonly held: HeldAction }
  | { readonly kind: "note"; readonly note: PreviewNote }

const quiet: Passed = { kind: "quiet" }

export async function previewPass(plain: Subject, parts: PreviewParts): Promise<Passed> {
  const { key, uid, loop, object } = plain
  const { ledger, objects, records, openedAt, ports } = parts
  const note = (state: PreviewNote["state"], message: string, target?: string): Passed => {
    const place = target === undefined ? {} : { target }
    return {
      kind: "note",
      note: { object: key, kind: plain.kind.provider.kind, state, message, ...place },
    }
  }
  const found = await desire(object, plain.kind.provider, objects.lookup)
  const { desired, missing, references } = found
  const record = records.get(uid)
  const kind = withHidden(plain.kind, found, record)
  const subject: Subject = { ...plain, kind }
  if (object.metadata.deletionTimestamp !== undefined) return passMarked(subject, parts)
  if (missing[0] !== undefined) {
    const { kind: other, name, field } = missing[0]
    if (found.refused !== undefined) return note("stuck", `${other} ${name}: ${found.refused}`)
    return note("waiting", `waits for ${field} of ${other} ${name}`)
  }
  const text = targetText(kind.provider, desired)
  if (record?.applied !== undefined && record.target !== text) {
    const old = await observe(subject, targetOf(subject, record.applied, record), parts)
    if (old.kind === "unknown") return note("unknown", old.cause, record.target)
    if (old.kind === "present" && record.owned) {
      const proposal = retireProposal(subject, desired, record, old, openedAt, ports.hasher)
      return { kind: "proposal", proposal }
    }
  }
  const claim = ledger.inventory.claimOf(text)
  if (claim !== undefined && claim.uid !== uid && record?.target !== text) {
    return note("conflict", `${claim.object} keeps this target already`, text)
  }
  const moved = record !== undefined && record.target !== text
  const seen = await look({
    ...{ subject, desired, references, hasher: ports.hasher },
    record: moved ? undefined : record,
    observe: (target) => observe(subject, target, parts),
    fingerprint: () => undefined,
  })
  const { observation } = seen
  parts.invariants.note(subject, observation)
  if (observation.kind === "unknown") return note("unknown", observation.cause, text)
  const held = loop.held.get(uid, "delete")
  if (held !== undefined) return { kind: "held", held }
  noteVanished(subject, seen, ledger.time.now() - settlingMs) // A preview looks at all of them.
  const proposed = proposeFor(subject, seen, observation)
  switch (proposed.kind) {
    case "settled": {
      const left = proposed.reported.map((change) => change.path).join(", ")
      return left === "" ? quiet : note("reported", `drift left alone: ${left}`, text)
    }
    case "take":
      return note("take", "it is as declared and would be ours from then on", text)
    case "stuck":
      return note("stuck", `${proposed.fault.message} (${proposed.fault.hint})`, text)
    case "action":
      return { kind: "proposal", proposal: proposalOf(subject, seen, proposed, { openedAt }) }
  }
}

/** Already marked: its target goes when it is ours and there. */
async function passMarked(subject: Subject, parts: PreviewParts): Promise<Passed> {
  const { record, observation, text, desired, target } = await lookNow(subject, parts)
  const facts = { object: subject.key, kind: subject.kind.provider.kind, target: text }
  if (record?.owned !== true || subject.loop.spec.mode === "Observe") {
    const message = "its object goes; the target is not ours to delete and stays"
    return { kind: "note", note: { ...facts, state: "release", message } }
  }
  if (observation.kind === "absent" || target === undefined) return quiet
  if (observation.kind === "unknown") {
    return { kind: "note", note: { ...facts, state: "unknown", message: observation.cause } }
  }
  const { openedAt, ledger, ports } = parts
  const proposal = deletionProposal(subject, { desired, target }, record, observation, openedAt, {
    ledger,
    hasher: ports.hasher,
  })
  return { kind: "proposal", proposal }
}

/** A look at the target that the ledger knows for this object. */
export async function lookNow(subject: Subject, parts: PreviewParts) {
  const { kind, object, uid } = subject
  const record = parts.records.get(uid)
  const found = await desire(object, kind.provider, parts.objects.lookup)
  const { desired } = found
  const target = recordedTarget(subject, found, record)
  if (target === undefined) {
    return { ...neverMade(subject, record, parts.openedAt), record, desired, target }
  }
  const observation = await observe(subject, target, parts)
  parts.invariants.note(subject, observation)
  const text = record?.target ?? targetText(kind.provider, desired)
  return { record, observation, text, desired, target }
}

function observe(
  { kind }: Subject,
  target: Target,
  { observer, openedAt }: PreviewParts,
): Promise<Dated<Observation>> {
  return observer.observe(kind.provider, target, openedAt)
}
