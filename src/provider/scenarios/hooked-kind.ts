// Kinds with somebody in between: one that steps in around every act of the real provider, and one
// whose observations can be made to lie. The provider itself stays as it is.

import { absent, type Observation } from "../../contract/observation.ts"
import type { ActResult, KindProvider, Target } from "../../contract/provider.ts"

export type ActVerb = "create" | "update" | "delete"

export interface ActHooks {
  /** After everything the engine checks, before the provider begins. */
  before?(verb: ActVerb, target: Target): Promise<void>
  after?(verb: ActVerb, target: Target, result: ActResult | undefined): Promise<void>
}

export function hookedKind(kind: KindProvider, hooks: ActHooks): KindProvider {
  const around = async <T>(
    items: readonly { verb: ActVerb; target: Target }[],
    act: () => Promise<T>,
    resultOf: (value: T, index: number) => ActResult | undefined,
  ): Promise<T> => {
    for (const { verb, target } of items) await hooks.before?.(verb, target)
    const ended = async (value: T | undefined) => {
      for (const [index, { verb, target }] of items.entries()) {
        await hooks.after?.(verb, target, value === undefined ? undefined : resultOf(value, index))
      }
    }
    try {
      const value = await act()
      await ended(value)
      return value
    } catch (error) {
      await ended(undefined)
      throw error
    }
  }
  const one =
    (verb: ActVerb): KindProvider["create"] =>
    (target, context) =>
      around(
        [{ verb, target }],
        () => kind[verb](target, context),
        (result) => result,
      )
  const { actBatch } = kind
  const batch: KindProvider["actBatch"] = (scope, items) => {
    const asked = items.map(({ target, context }) => ({
      verb: context.action.verb as ActVerb,
      target,
    }))
    const act = () => actBatch?.call(kind, scope, items) ?? Promise.resolve([])
    return around(asked, act, (results, index) => results[index])
  }
  return {
    ...kind,
    create: one("create"),
    update: one("update"),
    delete: one("delete"),
    ...(actBatch === undefined ? {} : { actBatch: batch }),
  }
}

/** What `lies` names is said to be gone, whatever is there: complete, fresh and false. */
export function lyingKind(kind: KindProvider, lies: (identity: string) => boolean): KindProvider {
  const { observe, list, fingerprints } = kind
  const gone: Observation = absent("the observer says so")
  const one: KindProvider["observe"] = async (target, context) =>
    lies(target.identity) || observe === undefined ? gone : observe.call(kind, target, context)
  const all: KindProvider["list"] = async (scope, sample, context) => {
    const seen = await list?.call(kind, scope, sample, context)
    if (seen === undefined) return { items: [], complete: false }
    return { ...seen, items: seen.items.filter(({ identity }) => !lies(identity)) }
  }
  const cheap: KindProvider["fingerprints"] = (identities, world) => {
    const seen = fingerprints?.call(kind, identities, world) ?? []
    return identities.map((identity, index) => (lies(identity) ? undefined : seen[index]))
  }
  return {
    ...kind,
    ...(observe === undefined ? {} : { observe: one }),
    ...(list === undefined ? {} : { list: all }),
    ...(fingerprints === undefined ? {} : { fingerprints: cheap }),
  }
}
