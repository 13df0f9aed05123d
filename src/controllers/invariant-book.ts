// What invariants are judged over: the facts last observed of each target whose kind an invariant
// of its loop selects, and what actions under way will make of them. It keeps nothing for loops
// without invariants, and an object that was not observed makes an invariant unknown, never true.

import { equalJson, type Json, type JsonObject } from "../base/json.ts"
import { jsonText } from "../base/json-text.ts"
import { isDestructive } from "../contract/action.ts"
import type { SignalReading } from "../contract/invariant.ts"
import type { Observation } from "../contract/observation.ts"
import type { Reason } from "../contract/verdict.ts"
import {
  type Checked,
  type InvariantCheck,
  type InvariantFacts,
  type InvariantFinding,
  judgeInvariant,
  judgeInvariantDeletes,
  type Prediction,
} from "../guard/judge-invariant.ts"
import { type ApiObject, parseKeyText } from "../object/object.ts"
import type { KindRuntime } from "../reconcile/kind-runtime.ts"
import type { Subject } from "../reconcile/look.ts"
import type { LoopEngine } from "../reconcile/loop-engine.ts"
import type { Proposal } from "../reconcile/proposal.ts"
import { hideSecrets, type SecretHasher } from "../reconcile/secrets.ts"
import type { CompiledInvariant, StateObject } from "./invariant-spec.ts"

export interface InvariantBookPorts {
  /** Every object of the loop that a provider answers for. */
  keysOf(loop: string): Iterable<string>
  uidOf(key: string): string | undefined
  kindOf(key: string): string | undefined
  signal(namespace: string, name: string): SignalReading | undefined
  loopExists(id: string): boolean
  /** Expressions see secrets only as keyed hashes: a state could be used to guess them. */
  readonly hasher: SecretHasher
  /** A delete of this object was allowed and may happen at any time. */
  isDoomed(uid: string): boolean
}

interface Seen {
  readonly labels: Readonly<Record<string, string>>
  readonly observation:
    | { readonly kind: "present"; readonly facts: JsonObject }
    | { readonly kind: "absent" }
    | { readonly kind: "unknown"; readonly cause: string }
}

/** Facts that are larger are not kept: the invariant is unknown instead. */
const factsCharsMax = 1_100_000
const seenMin = 1000

export class InvariantBook {
  readonly #ports: InvariantBookPorts
  readonly #invariants = new Map<string, CompiledInvariant>()
  readonly #seen = new Map<string, Seen>()
  readonly #underWay = new Map<string, Map<string, Prediction>>()
  #seenMax = seenMin

  constructor(ports: InvariantBookPorts) {
    this.#ports = ports
  }

  put(key: string, invariant: CompiledInvariant): void {
    this.#invariants.set(key, invariant)
  }

  remove(key: string): void {
    this.#invariants.delete(key)
  }

  all(): CompiledInvariant[] {
    return [...this.#invariants.values()]
  }

  ofLoop(loop: string): CompiledInvariant[] {
    return this.all().filter((one) => one.loop === loop)
  }

  selects(loop: string, kind: string): boolean {
    return this.ofLoop(loop).some(({ spec }) => spec.kinds.includes(kind))
  }

  /** True when this is news. */
  note({ object, uid, kind, loop }: Subject, observation: Observation): boolean {
    if (!this.selects(loop.id, kind.provider.kind)) return this.#seen.delete(uid)
    const before = this.#seen.get(uid)
    const found = factsOf(observation)
    const facts = found.kind === "present" ? this.#hide(kind, found.facts) : {}
    const shown = found.kind === "present" ? { ...found, facts } : found
    const now: Seen = { labels: object.metadata.labels ?? {}, observation: shown }
    this.#seen.set(uid, now)
    return before === undefined || !equalJson(plain(before), plain(now))
  }

  /** Labels change without a pass. True when that is news. */
  relabel(object: ApiObject): boolean {
    const { uid = "", labels = {} } = object.metadata
    const seen = this.#seen.get(uid)
    if (seen === undefined || equalJson({ ...seen.labels }, { ...labels })) return false
    this.#seen.set(uid, { ...seen, labels })
    return true
  }

  /** Lets go of what was known of objects that are gone; looks only when much has piled up. */
  forgetGone(): void {
    if (this.#seen.size <= this.#seenMax) return
    const loops = new Set(this.all().map(({ loop }) => loop))
    const live = new Set<string | undefined>()
    for (const loop of loops) {
      for (const key of this.#ports.keysOf(loop)) live.add(this.#ports.uidOf(key))
    }
    for (const uid of this.#seen.keys()) if (!live.has(uid)) this.#seen.delete(uid)
    this.#seenMax = Math.max(seenMin, 2 * this.#seen.size)
  }

  /** Done: until it is observed, the target is what was predicted. */
  acted(loop: string, uid: string): boolean {
    const prediction = this.#underWay.get(loop)?.get(uid)
    const seen = this.#seen.get(uid)
    if (prediction === undefined || seen === undefined) return false
    this.#underWay.get(loop)?.delete(uid)
    const { after } = prediction
    const observation =
      after === undefined
        ? ({ kind: "absent" } as const)
        : ({ kind: "present", facts: after } as const)
    this.#seen.set(uid, { ...seen, observation })
    return true
  }

  /** How it stands with these in place of what is observed; with none, how it stands now. */
  evaluate(invariant: CompiledInvariant, changes: readonly Prediction[] = []): Checked {
    const { spec, namespace, loop } = invariant
    if (!this.#ports.loopExists(loop)) return { kind: "unknown", cause: `there is no loop ${loop}` }
    const objects = this.#objects(loop, spec.kinds, changes)
    if ("cause" in objects) return { kind: "unknown", cause: objects.cause }
    const readings = spec.signals.map(
      (name) => [name, this.#ports.signal(namespace, name)] as const,
    )
    return invariant.evaluate(objects, new Map(readings))
  }

  /** Over what the other guards let through. */
  judgeRound(
    loop: LoopEngine,
    open: readonly Proposal[],
    held: readonly Proposal[],
  ): InvariantFacts | undefined {
    const checks = this.#checks(loop.id)
    if (checks.length === 0) return undefined
    const actions = open.map((proposal) => this.#predict(proposal))
    const waiting = held.map((proposal) => this.#predict(proposal))
    const underWay = this.#goingOn(loop, new Set([...actions, ...waiting].map(({ uid }) => uid)))
    const findings = new Map<string, InvariantFinding[]>()
    const add = (uid: string, finding: InvariantFinding) =>
      findings.set(uid, [...(findings.get(uid) ?? []), finding])
    for (const check of checks) {
      const found = judgeInvariant(check, actions, underWay)
      for (const [uid, finding] of found) add(uid, finding)
      const going = actions.filter(({ uid }) => !found.has(uid))
      for (const [uid, finding] of judgeInvariant(check, waiting, [...underWay, ...going])) {
        if (finding.kind === "deny") add(uid, finding)
      }
    }
    const going = this.#underWay.get(loop.id) ?? new Map<string, Prediction>()
    this.#underWay.set(loop.id, going)
    for (const uid of going.keys()) if (!loop.acting.has(uid)) going.delete(uid)
    for (const action of actions) if (!findings.has(action.uid)) going.set(action.uid, action)
    return { findings }
  }

  /** Why this set must not be deleted. */
  judgeDeletes(loop: LoopEngine, subjects: readonly Subject[]): Reason[] {
    const checks = this.#checks(loop.id)
    if (checks.length === 0) return []
    const deletes = subjects.map(({ uid, kind }) => goneOf(uid, kind.provider.kind))
    const underWay = this.#goingOn(loop, new Set(deletes.map(({ uid }) => uid)))
    return checks.flatMap((check) => judgeInvariantDeletes(check, deletes, underWay) ?? [])
  }

  #checks(loop: string): InvariantCheck[] {
    return this.ofLoop(loop)
      .filter(({ spec }) => spec.over.includes("Predicted"))
      .map((invariant) => ({
        name: invariant.name,
        kinds: invariant.spec.kinds,
        ...(invariant.spec.message === undefined ? {} : { message: invariant.spec.message }),
        check: (changes) => this.evaluate(invariant, changes),
      }))
  }

  #objects(
    loop: string,
    kinds: readonly string[],
    changes: readonly Prediction[],
  ): readonly StateObject[] | { readonly cause: string } {
    const changed = new Map(changes.map((change) => [change.uid, change]))
    const objects: StateObject[] = []
    if (kinds.length === 0) return objects
    for (const key of this.#ports.keysOf(loop)) {
      const kind = this.#ports.kindOf(key)
      const uid = this.#ports.uidOf(key)
      if (kind === undefined || uid === undefined || !kinds.includes(kind)) continue
      const { namespace, name } = parseKeyText(key)
      const seen = this.#seen.get(uid)
      const change = changed.get(uid)
      if (seen === undefined) return { cause: `${kind} ${name} was not observed yet` }
      const { observation, labels } = seen
      if (observation.kind === "unknown") {
        return { cause: `${kind} ${name} could not be observed: ${observation.cause}` }
      }
      const observed = observation.kind === "present" ? observation.facts : undefined
      const spec = change === undefined ? observed : change.after
      if (spec !== undefined) objects.push({ uid, kind, namespace, name, labels, spec })
    }
    return objects
  }

  /** Actions that were let go, and deletes that were allowed, but are not observed yet. */
  #goingOn(loop: LoopEngine, besides: ReadonlySet<string>): Prediction[] {
    const going = [...(this.#underWay.get(loop.id)?.values() ?? [])].filter(
      ({ uid }) => loop.acting.has(uid) && !besides.has(uid),
    )
    for (const key of this.#ports.keysOf(loop.id)) {
      const uid = this.#ports.uidOf(key) ?? ""
      if (besides.has(uid) || !this.#ports.isDoomed(uid)) continue
      going.push(goneOf(uid, this.#ports.kindOf(key) ?? ""))
    }
    return going
  }

  #hide({ provider }: KindRuntime, facts: JsonObject): JsonObject {
    return hideSecrets(facts, provider.secretPaths, this.#ports.hasher)
  }

  /** The desired state over what is observed, member by member. */
  #predict({ action, target, kind }: Proposal): Prediction {
    const { uid, verb } = action
    // A replace takes the old target away first; what it makes afterwards may fail.
    if (verb === "delete" || verb === "replace") return goneOf(uid, action.kind)
    const seen = this.#seen.get(uid)?.observation
    const facts = seen?.kind === "present" ? seen.facts : {}
    const dropped = action.changes.filter(({ after }) => after === undefined)
    const observed = {
      ...facts,
      ...Object.fromEntries(dropped.map(({ path }) => [path, undefined])),
    }
    const desired = this.#hide(kind, kind.provider.normalize?.(target.desired) ?? target.desired)
    const makes = verb === "create"
    const destructive = isDestructive(action)
    return { uid, kind: action.kind, makes, destructive, after: { ...observed, ...desired } }
  }
}

const goneOf = (uid: string, kind: string): Prediction => ({
  uid,
  kind,
  makes: false,
  destructive: true,
  after: undefined,
})

function factsOf(observation: Observation): Seen["observation"] {
  if (observation.kind === "absent") return { kind: "absent" }
  if (observation.kind === "unknown") return { kind: "unknown", cause: observation.cause }
  if (jsonText(observation.value).length <= factsCharsMax) {
    return { kind: "present", facts: observation.value }
  }
  return { kind: "unknown", cause: "its facts are too large to be kept" }
}

const plain = (seen: Seen): Json => ({ ...seen }) as object as Json
