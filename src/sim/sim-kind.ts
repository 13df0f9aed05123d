// Widget: the simulated kind over a SimWorld, in three flavours: single targets, a listed scope, or
// a listed scope with atomic batches. It keeps the provider contract honestly; what fails, fails
// in the world. It must never retry or decide by itself.

import type { JsonObject } from "../base/json.ts"
import { failureOf } from "../contract/diagnosis.ts"
import {
  absent,
  type Listing,
  type Observation,
  present,
  unknown,
} from "../contract/observation.ts"
import type { IdentityRule, KindProvider, ObserveContext, Target } from "../contract/provider.ts"
import type { SimFaultRule } from "./sim-faults.ts"
import type { SimTarget, SimWorld } from "./sim-world.ts"
import { widgetActs } from "./widget-acts.ts"
import { widgetDefinition, widgetGroup, widgetVersion } from "./widget-definition.ts"
import { byIdentity, causeOf, nameOf, statusOf, tokenOf } from "./widget-facts.ts"

export interface SimKindOptions {
  readonly world: SimWorld
  /** "single" when missing. */
  readonly flavour?: "single" | "list" | "batch"
  /** "derived" when missing. */
  readonly identityRule?: IdentityRule
  /** The spec's name when missing. */
  readonly identity?: (desired: JsonObject) => string
  readonly scope?: (desired: JsonObject) => string
  readonly connection?: (desired: JsonObject) => string
  readonly replaceOn?: readonly string[]
  readonly secretPaths?: readonly string[]
  readonly fungible?: boolean
  readonly confirmDrift?: boolean
  readonly batchWhole?: boolean
  readonly timeoutMs?: KindProvider["timeoutMs"]
  /** Whether targets carry the owner's UID; true when missing. */
  readonly marks?: boolean
}

export function simKind(options: SimKindOptions): KindProvider {
  const flavour = options.flavour ?? "single"
  const identityRule = options.identityRule ?? "derived"
  const scope = options.scope ?? (() => "all")
  const { actBatch, ...acts } = widgetActs({
    world: options.world,
    identityRule,
    scope,
    marks: options.marks ?? true,
  })
  return {
    definition: widgetDefinition,
    group: widgetGroup,
    version: widgetVersion,
    kind: "Widget",
    resource: "widgets",
    namespaced: true,
    provider: "sim",
    identityRule,
    replaceOn: options.replaceOn ?? [],
    secretPaths: options.secretPaths ?? [],
    fungible: options.fungible ?? false,
    confirmDrift: options.confirmDrift ?? false,
    batchWhole: options.batchWhole ?? false,
    timeoutMs: options.timeoutMs ?? { observe: 10_000, act: 30_000 },
    connection: options.connection ?? (() => ""),
    identity: options.identity ?? nameOf,
    ...acts,
    ...(flavour === "single"
      ? { observe: (target, context) => observe(options.world, identityRule, target, context) }
      : { scope, list: (name, _sample, context) => list(options.world, name, context) }),
    ...(flavour === "batch" ? { actBatch } : {}),
  }
}

function factsOf(target: SimTarget) {
  const { externalId, mark } = target
  return { externalId, ...(mark === undefined ? {} : { mark }) }
}

async function observe(
  world: SimWorld,
  rule: IdentityRule,
  target: Target,
  context: ObserveContext,
): Promise<Observation> {
  const look = (fault: SimFaultRule | undefined): Observation => {
    if (fault?.how === "lieEmpty") return absent("the simulated system says so (it lies)")
    const delayMs = delayOf(world, fault)
    const found = byIdentity(rule)
      ? world.findSeen(target.identity, delayMs)[0]
      : world.seen(target.externalId ?? "", delayMs)
    if (found === undefined) return absent("the simulated system answered: not found")
    return present(found.value, tokenOf(found), factsOf(found))
  }
  try {
    return await world.serve("observe", [target.identity], context.signal, look)
  } catch (error) {
    return unknown(causeOf(error), statusOf(error) === 401, failureOf(error))
  }
}

async function list(world: SimWorld, scope: string, context: ObserveContext): Promise<Listing> {
  const look = (fault: SimFaultRule | undefined): Listing => {
    const seen = world.allSeen(delayOf(world, fault)).filter((one) => one.scope === scope)
    const all = seen.map((one) => ({
      identity: one.identity,
      value: one.value,
      token: tokenOf(one),
      ...factsOf(one),
    }))
    if (fault?.how === "lieEmpty") return { items: [], complete: true }
    if (fault?.how === "partialList") {
      const items = all.slice(0, Math.floor(all.length / 2))
      return { items, complete: false, cause: "the list ended early" }
    }
    return { items: all, complete: true, token: `list:${world.ledger.length}` }
  }
  try {
    return await world.serve("list", [], context.signal, look)
  } catch (error) {
    return { items: [], complete: false, cause: causeOf(error), failure: failureOf(error) }
  }
}

function delayOf(world: SimWorld, fault: SimFaultRule | undefined): number {
  return fault?.how === "stale" ? (fault.ms ?? 60_000) : world.staleMs
}
