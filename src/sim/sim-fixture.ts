// Targets and contexts for tests that call a provider directly, without an engine around it.

import type { JsonObject } from "../base/json.ts"
import { finishAction, type Verb } from "../contract/action.ts"
import type { ActContext, ObserveContext, Target } from "../contract/provider.ts"
import type { ActWorld } from "../contract/world.ts"
import { worldWith } from "../provider/missing-handles.ts"
import { memoryFiles } from "./memory-files.ts"
import { SimClock } from "./sim-clock.ts"
import { SimHttp } from "./sim-http.ts"
import { SimRandom } from "./sim-random.ts"
import { nameOf } from "./widget-facts.ts"

/** Empty files and an HTTP port that expects nothing. */
export function emptyWorld(): ActWorld {
  const clock = new SimClock()
  const files = memoryFiles({ clock, random: new SimRandom(1) })
  return worldWith({ files, http: new SimHttp(clock) })
}

export function newTarget(desired: JsonObject, externalId?: string): Target {
  const identity = nameOf(desired)
  return {
    uid: `uid-${identity}`,
    object: `widgets.sim.setpoint.dev/default/${identity}`,
    desired,
    identity,
    ...(externalId === undefined ? {} : { externalId }),
  }
}

export function observeContext(signal: AbortSignal = new AbortController().signal): ObserveContext {
  return { world: emptyWorld(), signal }
}

export function actContext(
  verb: Verb,
  target: Target,
  rest: { readonly token?: string; readonly signal?: AbortSignal } = {},
): ActContext {
  const action = finishAction({
    verb,
    uid: target.uid,
    object: target.object,
    kind: "Widget",
    loop: "default.default",
    generation: 1,
    incarnation: 1,
    target: `sim//${target.identity}`,
    changes: [],
    ...(rest.token === undefined ? {} : { token: rest.token }),
    cause: { kind: "edit", text: "a test asked for it" },
  })
  return {
    world: emptyWorld(),
    signal: rest.signal ?? new AbortController().signal,
    action,
    ...(rest.token === undefined ? {} : { token: rest.token }),
    idempotencyKey: `key-${target.uid}`,
  }
}
