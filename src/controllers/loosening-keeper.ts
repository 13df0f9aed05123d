// Keeps the values in force: what loops and policies are judged by. A tighter declaration counts at
// once; a looser one waits as an action in a plan, and the tighter value counts until a person has
// approved exactly that change. Kept in the ledger, outside the API, so that no write lifts it.

import { equalJson, toPlainJson } from "../base/json.ts"
import { protects } from "../base/protections.ts"
import { type Action, type FieldChange, finishAction } from "../contract/action.ts"
import type { GuardPolicy } from "../contract/guard-policy.ts"
import type { JournalEvent } from "../contract/journal.ts"
import type { LoopSpec } from "../contract/loop.ts"
import { loopId } from "../contract/loop.ts"
import { enginePrincipal } from "../contract/principal.ts"
import { type Loosening, loosenLoop, loosenPolicy } from "../guard/loosening.ts"
import { stricterApprovals, tightest } from "../guard/tightest.ts"
import { decodeDocument, ledgerKeys, putDocument } from "../ledger/keys.ts"
import type { Ledger } from "../ledger/ledger.ts"
import type { HeldAction } from "../ledger/plan-ledger.ts"
import { scanPrefix } from "../ledger/scan.ts"
import { authorsSince } from "../object/authors.ts"
import type { ApiObject } from "../object/object.ts"
import type { LoopEngine } from "../reconcile/loop-engine.ts"
import { loopSpecOf } from "./loop-spec.ts"
import { policyOf } from "./policy-spec.ts"

interface InForce<T> {
  readonly format: 1
  readonly uid: string
  readonly spec: T
  /** Whoever changed the object up to this generation asked for nothing that waits. */
  readonly generation?: number
  /** Who deleted the object, while that waits. */
  readonly deletedBy?: readonly string[]
  /** Loops: it has owned targets. Letting go of all of them for a while makes it no new loop. */
  readonly owned?: true
}

export interface LooseningPorts {
  readonly ledger: Ledger
  loopOf(id: string): LoopEngine | undefined
  heldChanged(loop: LoopEngine): Promise<void>
}

/** Where what concerns the whole plane is held. */
const planeLoop = "setpoint-system.default"

export class LooseningKeeper {
  readonly #ports: LooseningPorts
  readonly #loops = new Map<string, InForce<LoopSpec>>()
  readonly #policies = new Map<string, InForce<GuardPolicy>>()
  /** As they are declared now; gone ones are not here. */
  readonly #declared = new Map<string, ApiObject>()

  constructor(ports: LooseningPorts) {
    this.#ports = ports
  }

  async open(): Promise<void> {
    const { store } = this.#ports.ledger
    for await (const { key, value } of scanPrefix(store, ledgerKeys.effectiveLoops)) {
      const id = key.slice(ledgerKeys.effectiveLoops.length)
      this.#loops.set(id, decodeDocument<InForce<LoopSpec>>(value))
    }
    for await (const { key, value } of scanPrefix(store, ledgerKeys.effectivePolicies)) {
      const name = key.slice(ledgerKeys.effectivePolicies.length)
      this.#policies.set(name, decodeDocument<InForce<GuardPolicy>>(value))
    }
  }

  policies(): readonly GuardPolicy[] {
    return [...this.#policies.values()].map((one) => one.spec)
  }

  /** What a loop is judged by now. Nothing is written here. */
  specOf(object: ApiObject): LoopSpec {
    const id = idOf(object)
    const policies = this.policies()
    const spec = tightest(id, this.#ofLoop(id, object).inForce, policies)
    // Fewer people than a policy asks for must not do away with the policy.
    if (id !== planeLoop || !protects("policy-approves-itself")) return spec
    return { ...spec, approvals: policies.reduce(stricterApprovals, spec.approvals) }
  }

  /** Notes what a loop declares, and puts what it loosens into its plan. */
  async noteLoop(loop: LoopEngine, object: ApiObject): Promise<void> {
    const { inForce, waiting } = this.#ofLoop(loop.id, object)
    const uid = object.metadata.uid ?? ""
    const since = settledAt(object, waiting, this.#loops.get(loop.id))
    const document: InForce<LoopSpec> = {
      ...{ format: 1, uid, spec: inForce, generation: since },
      ...(this.#owned(loop.id, uid) ? { owned: true } : {}),
    }
    await this.#keep(this.#loops, loop.id, ledgerKeys.effectiveLoop(loop.id), document)
    const authors = authorsSince(object, since)
    const action = loosenAction(loop.id, object, `loop:${loop.id}`, waiting, authors)
    await this.#hold(loop, uid, action)
  }

  /** A policy was made, changed or, without an object, deleted. */
  async notePolicy(name: string, object: ApiObject | undefined): Promise<void> {
    if (object === undefined) this.#declared.delete(name)
    else this.#declared.set(name, object)
    const { uid, loosening } = this.#ofPolicy(name, object)
    const known = this.#policies.get(name)
    const since = settledAt(object, loosening.waiting, known)
    const deletedBy = object === undefined ? (known?.deletedBy ?? []) : []
    const key = ledgerKeys.effectivePolicy(name)
    if (loosening.inForce === undefined) await this.#forget(name, key, [])
    else {
      const spec = loosening.inForce
      await this.#keep(this.#policies, name, key, {
        ...{ format: 1, uid, spec, generation: since },
        ...(deletedBy.length === 0 ? {} : { deletedBy }),
      })
    }
    const loop = this.#ports.loopOf(planeLoop)
    if (loop === undefined) return
    const metadata = { name, uid, ...object?.metadata }
    const subject = object ?? { apiVersion: "", kind: "GuardPolicy", metadata }
    const authors = [...deletedBy, ...authorsSince(subject, since)]
    const action = loosenAction(loop.id, subject, `policy:${name}`, loosening.waiting, authors)
    // A policy that was made again is another object: what waited for the one before is over.
    if (known !== undefined && known.uid !== uid) await this.#hold(loop, known.uid, undefined)
    await this.#hold(loop, uid, action)
  }

  /** Someone is about to delete a policy: written first, so that it is known whose wish it was. */
  async notePolicyDelete(name: string, principal: string): Promise<void> {
    const known = this.#policies.get(name)
    if (known === undefined) return
    const deletedBy = [...new Set([...(known.deletedBy ?? []), principal])]
    const key = ledgerKeys.effectivePolicy(name)
    await this.#keep(this.#policies, name, key, { ...known, deletedBy })
  }

  /** A person approved exactly this change: what is declared counts from now on. */
  async approved(held: HeldAction, object: ApiObject | undefined): Promise<void> {
    const { target, uid } = held.action
    if (target.startsWith("loop:") && object !== undefined) {
      const id = target.slice("loop:".length)
      const { waiting } = this.#ofLoop(id, object)
      if (object.metadata.uid !== uid || !isExactly(waiting, held)) return
      const owned = this.#owned(id, uid) ? ({ owned: true } as const) : {}
      const document = { ...settled(object, loopSpecOf(object)), ...owned }
      await this.#keep(this.#loops, id, ledgerKeys.effectiveLoop(id), document, held)
    }
    if (!target.startsWith("policy:")) return
    const name = target.slice("policy:".length)
    const declared = this.#declared.get(name)
    const { loosening } = this.#ofPolicy(name, declared)
    if (!isExactly(loosening.waiting, held)) return
    const key = ledgerKeys.effectivePolicy(name)
    if (declared !== undefined) {
      await this.#keep(this.#policies, name, key, settled(declared, policyOf(declared)), held)
      return
    }
    await this.#forget(name, key, [loosened(held)])
  }

  async #forget(name: string, key: string, events: readonly JournalEvent[]): Promise<void> {
    if (!this.#policies.has(name)) return
    await this.#ports.ledger.note(planeLoop, enginePrincipal, events, [{ kind: "delete", key }])
    this.#policies.delete(name)
  }

  #ofLoop(id: string, object: ApiObject): Loosening<LoopSpec> {
    const declared = loopSpecOf(object)
    const known = this.#loops.get(id)
    // One that was made again under its name, and still keeps targets, is judged as the one before.
    const free = known === undefined || !this.#owned(id, object.metadata.uid ?? "")
    if (free || !protects("loosening-is-held")) return { inForce: declared, waiting: [] }
    return loosenLoop(known.spec, declared)
  }

  /** Without targets, now and before, nothing is at stake. */
  #owned(id: string, uid: string): boolean {
    const known = this.#loops.get(id)
    if (this.#ports.ledger.inventory.size(id) > 0) return true
    return known?.uid === uid && known.owned === true
  }

  #ofPolicy(name: string, object: ApiObject | undefined) {
    const known = this.#policies.get(name)
    const declared = object === undefined ? undefined : policyOf(object)
    const uid = object?.metadata.uid ?? known?.uid ?? ""
    if (known === undefined || !protects("loosening-is-held")) {
      return { uid, loosening: { inForce: declared, waiting: [] } }
    }
    if (declared !== undefined) return { uid, loosening: loosenPolicy(known.spec, declared) }
    const gone: FieldChange = { path: "spec", before: toPlainJson(known.spec), why: "requested" }
    return { uid, loosening: { inForce: known.spec, waiting: [gone] } }
  }

  async #keep<T extends object>(
    map: Map<string, InForce<T>>,
    name: string,
    key: string,
    document: InForce<T>,
    held?: HeldAction,
  ): Promise<void> {
    const known = map.get(name)
    if (known !== undefined && equalJson(toPlainJson(known), toPlainJson(document))) return
    map.set(name, document)
    const loop = held?.action.loop ?? (key.startsWith(ledgerKeys.effectiveLoops) ? name : planeLoop)
    const events = held === undefined ? [] : [loosened(held)]
    try {
      await this.#ports.ledger.note(loop, enginePrincipal, events, [putDocument(key, document)])
    } catch (error) {
      // What is not durable is not in force; the next try must not take it for known.
      if (map.get(name) === document) restore(map, name, known)
      throw error
    }
  }

  async #hold(loop: LoopEngine, uid: string, action: Action | undefined): Promise<void> {
    const held = loop.held.get(uid, "loosen")
    const { ledger } = this.#ports
    if (action === undefined) {
      const over = ledger.plans.forgetRejection(loop.id, uid, "loosen")
      if (over !== undefined) await ledger.note(loop.id, enginePrincipal, [], [over])
      if (loop.held.drop(uid, "loosen")) await this.#ports.heldChanged(loop)
      return
    }
    if (held?.action.digest === action.digest) return
    const rejected = ledger.plans.rejectionOf(loop.id, uid, "loosen")
    if (rejected?.desiredHash === action.digest) {
      if (loop.held.drop(uid, "loosen")) await this.#ports.heldChanged(loop)
      return
    }
    const fields = action.changes.map((change) => change.path).join(", ")
    const message = `${action.target} would become looser in ${fields}`
    const hint = "the tighter values count until a person approves"
    const reasons = [{ guard: "loosening", code: "Loosening", message, hint }]
    loop.held.put({ action, origin: "request", reasons, desiredHash: action.digest })
    await this.#ports.heldChanged(loop)
  }
}

function restore<T>(map: Map<string, T>, name: string, known: T | undefined): void {
  if (known === undefined) map.delete(name)
  else map.set(name, known)
}

const loosened = ({ action }: HeldAction) =>
  ({ type: "loosened", subject: action.target, changes: action.changes }) as const

/** What is in force is what this object says, with nothing left that waits. */
function settled<T>(object: ApiObject, spec: T): InForce<T> {
  const { uid = "", generation = 0 } = object.metadata
  return { format: 1, uid, spec, generation }
}

/** The generation up to which nothing waits: the authors of what waits came after it. */
function settledAt(
  object: ApiObject | undefined,
  waiting: readonly FieldChange[],
  known: InForce<unknown> | undefined,
): number {
  if (object !== undefined && waiting.length === 0) return object.metadata.generation ?? 0
  const same = object === undefined || known?.uid === object.metadata.uid
  return same ? (known?.generation ?? 0) : 0
}

/** Somebody may have declared something else between the approval and now. */
const isExactly = (waiting: readonly FieldChange[], { action }: HeldAction): boolean =>
  equalJson(toPlainJson(waiting), toPlainJson(action.changes))

const idOf = ({ metadata }: ApiObject) => loopId(metadata.namespace ?? "", metadata.name)

function loosenAction(
  loop: string,
  object: ApiObject,
  target: string,
  changes: readonly FieldChange[],
  authors: readonly string[],
): Action | undefined {
  if (changes.length === 0) return undefined
  const principal = authors.at(-1)
  const { uid = "", name, namespace = "" } = object.metadata
  return finishAction({
    ...{ verb: "loosen", uid, kind: object.kind, loop, target, changes },
    object: `${object.kind}/${namespace === "" ? "" : `${namespace}/`}${name}`,
    ...{ generation: 0, incarnation: 1 }, // Only what becomes looser counts, not what else changed.
    cause: {
      ...{ kind: "loosen", text: `${target} was declared looser` },
      ...(principal === undefined ? {} : { principal, authors }),
    },
  })
}
