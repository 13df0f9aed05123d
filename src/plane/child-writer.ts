// Writes the children that a composite wants, by server-side apply, so that what its composer
// declares is its own and what others add stays. It takes nothing that belongs to somebody else,
// and writes nothing that is there already.

import { mapBounded } from "../base/async.ts"
import { isFault } from "../base/faults.ts"
import type { RefusedChild } from "../contract/composite.ts"
import { enginePrincipal, type Principal } from "../contract/principal.ts"
import {
  type ApiObject,
  keyText,
  type ObjectKey,
  parseApiVersion,
  parseKeyText,
} from "../object/object.ts"
import type { LivingChild } from "../reconcile/children-plan.ts"
import type { WantedChild } from "../reconcile/composition.ts"
import { reconcileFault } from "../reconcile/faults.ts"
import type { Subject } from "../reconcile/look.ts"
import type { ComposerFeed } from "./composer-feed.ts"
import type { Plane } from "./plane.ts"

const writesAtOnce = 8

/** What the last apply left. */
interface Applied {
  readonly hash: string
  readonly uid: string
  readonly generation: number
}

export interface Made {
  /** Children as they are now, that are not marked. */
  readonly living: readonly LivingChild[]
  /** Those of them that are wanted. */
  readonly objects: readonly ApiObject[]
  /** Those that could not be written, in the order in which they are wanted. */
  readonly refused: readonly Refusal[]
}

export interface Refusal extends RefusedChild {
  /** Text form of the child's key. */
  readonly key: string
}

export class ChildWriter {
  readonly #plane: Plane
  readonly #feed: ComposerFeed
  readonly #applied = new Map<string, Applied>()

  constructor(plane: Plane, feed: ComposerFeed) {
    this.#plane = plane
    this.#feed = feed
    feed.onGone((key) => void this.#applied.delete(key))
  }

  async apply(
    subject: Subject,
    wanted: readonly WantedChild[],
    children: readonly ApiObject[],
    principal: Principal,
  ): Promise<Made> {
    const known = this.#byKey(children)
    const { made, refused } = await refusable(wanted, (child) =>
      this.#one(subject, child, known.get(child.key), principal),
    )
    for (const object of made) known.set(textOf(this.keyOf(object)), object)
    const living = [...known].flatMap(([key, object]) => this.#living(key, object))
    const objects = made.filter(({ metadata }) => metadata.deletionTimestamp === undefined)
    return { living, objects, refused }
  }

  /** Which of them would be refused; nothing is written. */
  async refusals(
    subject: Subject,
    wanted: readonly WantedChild[],
    children: readonly ApiObject[],
    principal: Principal,
  ): Promise<readonly Refusal[]> {
    const known = this.#byKey(children)
    const { refused } = await refusable(wanted, (child) =>
      this.#one(subject, child, known.get(child.key), principal, true),
    )
    return refused
  }

  #byKey(children: readonly ApiObject[]): Map<string, ApiObject> {
    return new Map(children.map((child) => [textOf(this.keyOf(child)), child]))
  }

  keyOf({ apiVersion, kind, metadata }: ApiObject): ObjectKey | undefined {
    const { group } = parseApiVersion(apiVersion)
    const served = this.#plane.servedKind(group, kind)
    if (served === undefined) return undefined
    const { namespace = "", name } = metadata
    return { group, resource: served.resource.resource, namespace, name }
  }

  #living(key: string, object: ApiObject): LivingChild[] {
    if (object.metadata.deletionTimestamp !== undefined) return []
    const fungible = this.#plane.engine.feed?.kindOf(key)?.provider.fungible === true
    return [{ key, kind: object.kind, fungible, object }]
  }

  /** As it is stored afterwards; undefined when what has its name is still on its way out. */
  async #one(
    { uid, object: parent }: Subject,
    wanted: WantedChild,
    child: ApiObject | undefined,
    principal: Principal,
    dryRun = false,
  ): Promise<ApiObject | undefined> {
    if (child?.metadata.deletionTimestamp !== undefined) return undefined // Made again when gone.
    if (child !== undefined && this.#isApplied(wanted, child)) return child
    if (child === undefined) {
      const { namespace, name } = parseKeyText(wanted.key)
      const ref = { ...wanted.resource, namespace, name }
      const other = await this.#plane.api.verbs.get(enginePrincipal, ref)
      if (other?.metadata.deletionTimestamp !== undefined) return undefined
      if (other !== undefined && !isControlledBy(other, uid)) {
        const named = { kind: parent.kind, name: parent.metadata.name }
        throw reconcileFault("SPT-LOOP-009", { child: wanted.key, ...named })
      }
    }
    const options = { fieldManager: principal.name, force: true, dryRun }
    const { verbs } = this.#plane.api
    const { object } = await verbs.apply(principal, wanted.resource, wanted.object, options)
    if (dryRun) return object
    const { uid: childUid = "", generation = 0 } = object.metadata
    this.#applied.set(wanted.key, { hash: wanted.hash, uid: childUid, generation })
    this.#feed.noteChild(wanted.key, uid)
    return object
  }

  #isApplied({ key, hash, object }: WantedChild, { metadata }: ApiObject): boolean {
    const applied = this.#applied.get(key)
    const same = applied?.hash === hash && applied.uid === metadata.uid
    if (!same || applied.generation !== metadata.generation) return false
    const { labels = {}, annotations = {} } = object.metadata
    const has = (given: Readonly<Record<string, string>>, stored = metadata.labels) =>
      Object.entries(given).every(([name, value]) => stored?.[name] === value)
    return has(labels) && has(annotations, metadata.annotations)
  }
}

/** Each child by itself: one that is refused keeps no other from being written. */
export async function refusable<T>(
  wanted: readonly WantedChild[],
  write: (child: WantedChild) => Promise<T | undefined>,
): Promise<{ readonly made: readonly T[]; readonly refused: readonly Refusal[] }> {
  const answers = await mapBounded(wanted, writesAtOnce, async (child) => {
    try {
      const made = await write(child)
      return made === undefined ? {} : { made }
    } catch (error) {
      if (!isFault(error) || error.fault === "retry" || error.fault === "bug") throw error
      const { key, kind, object } = child
      return {
        refused: { key, object, message: `${kind} ${object.metadata.name}: ${error.message}` },
      }
    }
  })
  return {
    made: answers.flatMap(({ made }) => made ?? []),
    refused: answers.flatMap(({ refused }) => refused ?? []),
  }
}

const textOf = (key: ObjectKey | undefined): string => (key === undefined ? "" : keyText(key))

const isControlledBy = ({ metadata }: ApiObject, uid: string): boolean =>
  metadata.ownerReferences?.some((one) => one.uid === uid && one.controller === true) === true
