// What the simulated kind does to the world: create, update, delete and atomic batches, each with
// its compare-and-swap at the effect. Refusals that prove that nothing changed are `failed`;
// everything that may have happened is thrown.

import { equalJson, type JsonObject } from "../base/json.ts"
import type { Verb } from "../contract/action.ts"
import { type Failure, failureOf } from "../contract/diagnosis.ts"
import type { ActContext, ActResult, IdentityRule, Target } from "../contract/provider.ts"
import type { SimCall, SimFaultRule } from "./sim-faults.ts"
import type { SimTarget, SimWorld } from "./sim-world.ts"
import { byIdentity, causeOf, statusOf, tokenOf } from "./widget-facts.ts"

interface WidgetActOptions {
  readonly world: SimWorld
  readonly identityRule: IdentityRule
  readonly scope: (desired: JsonObject) => string
  readonly marks: boolean
}

type Act = (target: Target, context: ActContext) => Promise<ActResult>
type BatchItem = { readonly target: Target; readonly context: ActContext }

/** A checked action that only has to be performed. */
type Ready = { readonly kind: "ready"; perform(): ActResult }
type Failed = Extract<ActResult, { kind: "failed" }>

export interface WidgetActs {
  readonly create: Act
  readonly update: Act
  readonly delete: Act
  actBatch(scope: string, items: readonly BatchItem[]): Promise<readonly ActResult[]>
}

export function widgetActs(options: WidgetActOptions): WidgetActs {
  const { world } = options
  const act = (call: SimCall, verb: Verb): Act => {
    return async (target, context) => {
      const effect = (rule: SimFaultRule | undefined): ActResult => {
        if (rule?.how === "lieDone") return { kind: "done" }
        const part = rule?.how === "half" ? halfOf(options, target) : target
        const checked = check(options, verb, part, context)
        if (checked.kind !== "ready") return checked
        if (rule?.how !== "accepted") return checked.perform()
        world.later(rule.ms ?? 60_000, () => void checked.perform())
        return { kind: "done" }
      }
      try {
        return await world.serve(call, [target.identity], context.signal, effect)
      } catch (error) {
        return provenFailure(error)
      }
    }
  }
  return {
    create: act("create", "create"),
    update: act("update", "update"),
    delete: act("delete", "delete"),
    async actBatch(_scope, items) {
      const identities = items.map((item) => item.target.identity)
      const signal = items[0]?.context.signal ?? new AbortController().signal
      try {
        return await world.serve("batch", identities, signal, () => performAll(options, items))
      } catch (error) {
        const failed = provenFailure(error)
        return items.map(() => failed)
      }
    },
  }
}

/** All or nothing: one refused item refuses the batch. */
function performAll(options: WidgetActOptions, items: readonly BatchItem[]): readonly ActResult[] {
  const checked = items.map(({ target, context }) =>
    check(options, context.action.verb, target, context),
  )
  if (checked.some((one) => one.kind === "failed")) {
    return checked.map((one) => (one.kind === "failed" ? one : failed("the batch was refused")))
  }
  return checked.map((one) => (one.kind === "ready" ? one.perform() : one))
}

function check(
  options: WidgetActOptions,
  verb: Verb,
  target: Target,
  context: ActContext,
): Ready | Failed {
  if (verb === "adopt") return ready(() => ({ kind: "done" }))
  return verb === "create"
    ? checkCreate(options, target, context)
    : checkChange(options, verb, target, context)
}

function checkCreate(
  options: WidgetActOptions,
  target: Target,
  context: ActContext,
): Ready | Failed {
  const { world, identityRule } = options
  const found = world.find(target.identity)
  if (identityRule === "derived" && found.length > 0) return failed("it exists already")
  const clientToken = context.idempotencyKey
  const same = found.find((one) => one.clientToken === clientToken)
  if (identityRule === "clientToken" && same !== undefined) {
    return ready(() => ({ kind: "done", externalId: same.externalId }))
  }
  return ready(() => {
    const input = {
      identity: target.identity,
      scope: options.scope(target.desired),
      value: target.desired,
      ...(options.marks ? { mark: target.uid } : {}),
      ...(identityRule === "clientToken" ? { clientToken } : {}),
    }
    return { kind: "done", externalId: world.create(input, target.uid).externalId }
  })
}

function checkChange(
  options: WidgetActOptions,
  verb: Exclude<Verb, "create" | "adopt">,
  target: Target,
  context: ActContext,
): Ready | Failed {
  const { world } = options
  const found = locate(options, target)
  if (found === undefined) {
    return verb === "delete" ? ready(() => ({ kind: "done" })) : failed("it does not exist")
  }
  if (context.token !== undefined && context.token !== tokenOf(found)) {
    return failed(`its version is ${tokenOf(found)}, not ${context.token}`)
  }
  const mark = options.marks ? { mark: target.uid } : {}
  return ready(() => {
    if (verb === "update") {
      world.update(found.externalId, { value: target.desired, ...mark }, target.uid)
      return { kind: "done", externalId: found.externalId }
    }
    world.delete(found.externalId, target.uid)
    if (verb === "delete") return { kind: "done" }
    const { identity, scope } = found
    const made = world.create({ identity, scope, value: target.desired, ...mark }, target.uid)
    return { kind: "done", externalId: made.externalId }
  })
}

/** The target with only the first of its changed fields as desired. */
function halfOf(options: WidgetActOptions, target: Target): Target {
  const there = locate(options, target)?.value ?? {}
  const names = Object.keys(target.desired)
  const first = names.find((name) => !equalJson(there[name], target.desired[name]))
  if (first === undefined) return target
  return { ...target, desired: { ...there, [first]: target.desired[first] } }
}

function locate(options: WidgetActOptions, target: Target): SimTarget | undefined {
  const { world, identityRule } = options
  if (byIdentity(identityRule)) return world.find(target.identity)[0]
  return world.get(target.externalId ?? "")
}

function ready(perform: () => ActResult): Ready {
  return { kind: "ready", perform }
}

function failed(cause: string, stuck = false, failure: Failure = {}): Failed {
  return { kind: "failed", cause, ...(stuck ? { stuck } : {}), failure }
}

/** 401, 422 and 429 prove that nothing was done; whatever else was thrown stays thrown. */
function provenFailure(error: unknown): Failed {
  const status = statusOf(error)
  if (status < 400 || status >= 500) throw error
  return failed(causeOf(error), status !== 429, failureOf(error))
}
