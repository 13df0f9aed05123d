// Runs composite kinds: a pass over a parent asks its pure function what should exist now, writes
// the children as objects in the parent's loop, and asks for deletes of those that it does not want
// any more. It never acts outside: children are judged and acted on like everything else. What
// can't be composed is said and changes nothing.

import { type Fault, isFault } from "../base/faults.ts"
import type { Json } from "../base/json.ts"
import { jsonText } from "../base/json-text.ts"
import type { Outcome } from "../contract/outcome.ts"
import { compositePrincipal, type Principal } from "../contract/principal.ts"
import { authorsSince } from "../object/authors.ts"
import { type ApiObject, keyText, parseKeyText } from "../object/object.ts"
import { declaresProtection } from "../object/protection.ts"
import { isChildOf, type LivingChild, planChildren } from "../reconcile/children-plan.ts"
import { compositeReport } from "../reconcile/composite-report.ts"
import { type Composed, runCompose, type WantedChild } from "../reconcile/composition.ts"
import { reconcileFault } from "../reconcile/faults.ts"
import { deleteAction } from "../reconcile/held-delete.ts"
import type { Subject } from "../reconcile/look.ts"
import type { Report } from "../reconcile/status.ts"
import { ChildWriter, type Made, type Refusal } from "./child-writer.ts"
import { ComposerFeed } from "./composer-feed.ts"
import { composeHeard } from "./heard-refusals.ts"
import type { Plane } from "./plane.ts"
import { writeReports } from "./related-reports.ts"

const noTarget = { kind: "absent", proof: "a composite has no target of its own" } as const

export class Composer {
  readonly #plane: Plane
  readonly #feed: ComposerFeed
  readonly #writer: ChildWriter
  passes = 0

  constructor(plane: Plane) {
    this.#plane = plane
    this.#feed = new ComposerFeed(plane)
    this.#writer = new ChildWriter(plane, this.#feed)
  }

  async open(): Promise<void> {
    await this.#feed.open()
    this.#plane.engine.composer = this
  }

  async close(): Promise<void> {
    await this.#feed.close()
  }

  /** One pass over a parent; undefined when it is marked and nothing of it is left. */
  async compose(subject: Subject): Promise<Outcome | undefined> {
    const { object, uid, kind, loop } = subject
    const { composite } = kind
    if (composite === undefined) return undefined
    if (object.metadata.deletionTimestamp !== undefined) return this.#end(subject)
    if (loop.held.get(uid, "delete") !== undefined) return this.#pendingDelete(subject)
    if (composite.reported === true) return this.#settle(subject)
    this.passes++
    const children = await this.#children(object)
    const related = await this.#feed.related(composite, object.metadata.namespace ?? "")
    const { clock, hasher } = this.#plane.ports
    const hashSecret = (value: Json) => jsonText(hasher.hash(value))
    const input = { parent: object, children, related, now: clock.now(), hashSecret }
    const served = (group: string, name: string) => this.#plane.servedKind(group, name)
    const principal = this.#principal(subject)
    const { checked, refused } = await composeHeard(
      composite,
      (left) => runCompose(composite, { ...input, refused: left }, served),
      (wanted) => this.#writer.refusals(subject, wanted, children, principal),
    )
    if ("stalled" in checked) return this.#stall(subject, checked.reason, checked.stalled)
    const made = await this.#writer.apply(subject, checked.children, children, principal)
    // What could not be written may be why another one is not wanted any more.
    const isSure = made.refused.length === 0
    const left = new Set(refused.map(({ key }) => key))
    const wanted = [...checked.children, ...made.living.filter(({ key }) => left.has(key))]
    const held = isSure ? await this.#remove(subject, made.living, wanted, principal) : undefined
    await writeReports(this.#plane, composite, related, checked.reports)
    return this.#conclude(subject, checked, made, held)
  }

  /** Who changed the parent last is who asks. */
  #principal({ object, kind }: Subject): Principal {
    return compositePrincipal(kind.provider.kind, authorsSince(object, -1).at(-1))
  }

  async #children(parent: ApiObject): Promise<ApiObject[]> {
    const { uid = "" } = parent.metadata
    const found: ApiObject[] = []
    for (const key of this.#plane.api.context.owners.dependents(uid)) {
      const object = await this.#plane.engine.feed?.object(keyText(key))
      if (object !== undefined && isChildOf(object, parent)) found.push(object)
    }
    return found.sort((left, right) => (nameOf(left) < nameOf(right) ? -1 : 1))
  }

  /** Deletes what is not wanted any more; answers with why some of it has to wait. */
  async #remove(
    subject: Subject,
    living: readonly LivingChild[],
    wanted: readonly WishedChild[],
    principal: Principal,
  ): Promise<Report | undefined> {
    await this.#keepWanted(subject, living, wanted, principal)
    const { replaced, removed } = planChildren(living, wanted)
    const uids = replaced.map(({ object }) => object.metadata.uid ?? "")
    const first = await this.#delete(subject, replaced, uids, principal)
    const second = await this.#delete(subject, removed, [], principal)
    return second ?? first
  }

  /** Wanted again before a person decided: its delete is not asked for any more. */
  async #keepWanted(
    { loop }: Subject,
    living: readonly LivingChild[],
    wanted: readonly WishedChild[],
    { name }: Principal,
  ): Promise<void> {
    const keys = new Set(wanted.map(({ key }) => key))
    const kept = living.filter(({ key, object }) => {
      const held = loop.held.get(object.metadata.uid ?? "", "delete")
      return keys.has(key) && held?.action.cause.principal === name
    })
    for (const { object } of kept) loop.held.drop(object.metadata.uid ?? "", "delete")
    if (kept.length > 0) await this.#plane.engine.plans.refresh(loop)
  }

  async #delete(
    subject: Subject,
    children: readonly LivingChild[],
    replaced: readonly string[],
    principal: Principal,
  ): Promise<Report | undefined> {
    if (children.length === 0) return undefined
    const keys = children.map(({ key }) => parseKeyText(key))
    const parent = { object: subject.key, replaced }
    return this.#ask(subject, () =>
      this.#plane.api.verbs.deleteSet(principal, keys, { origin: "cascade", parent }),
    )
  }

  /** Held and denied are answers, not failures. */
  async #ask({ loop }: Subject, task: () => Promise<unknown>): Promise<Report | undefined> {
    try {
      await task()
      return undefined
    } catch (error) {
      if (!isFault(error) || error.status !== 403) throw error
      const { message } = error
      const plan = this.#plane.engine.plans.pending(loop.id)?.name
      const isHeld = error.code === "SPT-API-014"
      const named = isHeld && plan !== undefined ? { plan } : {}
      return isHeld
        ? { state: "held", reason: "DeleteHeld", message, ...named }
        : { state: "denied", reason: "DeleteDenied", message }
    }
  }

  async #conclude(
    subject: Subject,
    { status, children, againMs }: Composed,
    { objects, refused }: Made,
    held: Report | undefined,
  ): Promise<Outcome> {
    const found = compositeReport(status, children.length, objects)
    const fault = refusedFault(subject.key, refused)
    const wrong = fault === undefined ? held : refusedReport(fault)
    const report = wrong === undefined ? found : { ...found, ...wrong }
    await this.#report(subject, report)
    if (report.state === "ready") this.#settle(subject)
    else this.#plane.engine.settled.drop(subject.key)
    if (againMs !== undefined) return { kind: "wait", reason: "asked again", afterMs: againMs }
    if (fault !== undefined) return { kind: "stuck", fault }
    if (report.state === "ready") return { kind: "settled" }
    return { kind: "wait", reason: report.message }
  }

  /** As its function wants it; the level trigger asks again all the same. */
  #settle({ key, uid, object, kind, loop }: Subject): Outcome {
    this.#plane.engine.settled.set(key, {
      ...{ uid, kind, loop: loop.id, generation: object.metadata.generation ?? 0 },
      guarded: declaresProtection(object),
      ...{ identity: key, scope: "", token: "", fingerprint: undefined },
      at: this.#plane.ports.clock.now(),
    })
    return { kind: "settled" }
  }

  /** Nothing is made and nothing deleted: what is known to be wrong is no ground to act on. */
  async #stall(subject: Subject, reason: string, cause: string): Promise<Outcome> {
    const fault = reconcileFault("SPT-LOOP-008", { object: subject.key, cause })
    const message = `${fault.message} (${fault.hint})`
    this.#plane.engine.settled.drop(subject.key)
    const because = { fact: fault.message }
    await this.#report(subject, { state: "stuck", reason, message, because })
    return { kind: "stuck", fault }
  }

  /** Its delete waits for a person: nothing of it is corrected meanwhile. */
  async #pendingDelete(subject: Subject): Promise<Outcome> {
    const { uid, loop } = subject
    const held = loop.held.get(uid, "delete")
    if (held === undefined) return { kind: "settled" }
    const { target, cause } = held.action
    const action = deleteAction(subject, target, undefined, noTarget, cause)
    if (action.digest !== held.action.digest) {
      loop.held.put({ ...held, action })
      await this.#plane.engine.plans.refresh(loop)
    }
    const message = held.reasons[0]?.message ?? "its delete waits for a person"
    const plan = this.#plane.engine.plans.pending(loop.id)?.name
    const named = plan === undefined ? {} : { plan }
    const because = { reasons: held.reasons }
    await this.#report(subject, { state: "held", reason: "DeleteHeld", message, because, ...named })
    return { kind: "wait", reason: message }
  }

  /** A marked parent goes last; children that nobody judged yet are judged as one set. */
  async #end(subject: Subject): Promise<Outcome | undefined> {
    const children = await this.#children(subject.object)
    if (children.length === 0) return undefined
    const unmarked = children.filter(({ metadata }) => metadata.deletionTimestamp === undefined)
    const keys = unmarked.flatMap((child) => this.#writer.keyOf(child) ?? [])
    const principal = this.#principal(subject)
    const options = { origin: "cascade" } as const
    const held =
      keys.length === 0
        ? undefined
        : await this.#ask(subject, () => this.#plane.api.verbs.deleteSet(principal, keys, options))
    const message = `${children.length} of its children are still there`
    await this.#report(subject, held ?? { state: "working", reason: "Deleting", message })
    return { kind: "wait", reason: message }
  }

  async #report({ key, loop, object }: Subject, report: Report): Promise<void> {
    await this.#plane.engine.reporter.report(key, loop.id, object, report)
  }
}

type WishedChild = Pick<WantedChild, "key" | "kind">

function refusedFault(object: string, refused: readonly Refusal[]): Fault | undefined {
  const [first] = refused
  if (first === undefined) return undefined
  const facts = { object, count: String(refused.length), cause: first.message }
  return reconcileFault("SPT-LOOP-011", facts)
}

const refusedReport = ({ message, hint }: Fault): Report => ({
  ...{ state: "stuck", reason: "ChildRefused", message: `${message} (${hint})` },
  because: { fact: message },
})

const nameOf = ({ kind, metadata }: ApiObject): string => `${kind}/${metadata.name}`
