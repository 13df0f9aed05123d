// Lets a simulated kind act through the capability handles that the actuator gives it, as a real
// provider does: each mutating call passes the gate, so that stop, revocation and the list of calls
// in flight apply to it. Without this a simulated act would go around the very checks under test.

import type { ActResult, KindProvider } from "../contract/provider.ts"
import type { ActWorld, Http, HttpResponse } from "../contract/world.ts"
import { simFault } from "./faults.ts"

/** Carries effects over the http handle: the address names the effect that a request triggers. */
export class HandledCalls {
  readonly #effects = new Map<string, () => Promise<void>>()
  #count = 0

  /** The world that a plane acts in; the rest of it stays as it is. */
  world(world: ActWorld): ActWorld {
    return { ...world, http: this.#http(world.http) }
  }

  /** Runs the effect as one mutating call of this handle. */
  async through<T>(
    world: ActWorld,
    name: string,
    signal: AbortSignal,
    effect: () => Promise<T>,
  ): Promise<T> {
    const url = `sim:${name}#${++this.#count}`
    let result: { readonly value: T } | undefined
    this.#effects.set(url, async () => {
      result = { value: await effect() }
    })
    try {
      await world.http.request({ method: "POST", url }, signal)
    } finally {
      this.#effects.delete(url)
    }
    if (result === undefined) throw simFault("SPT-SIM-005", { what: url })
    return result.value
  }

  #http(http: Http): Http {
    return {
      request: async (request, signal): Promise<HttpResponse> => {
        const effect = this.#effects.get(request.url)
        if (effect === undefined) return http.request(request, signal)
        await effect()
        return { status: 200, headers: {}, body: "" }
      },
    }
  }
}

export function handledKind(kind: KindProvider, calls: HandledCalls): KindProvider {
  const act =
    (verb: "create" | "update" | "delete"): KindProvider["create"] =>
    (target, context) =>
      calls.through(context.world, `${verb} ${target.identity}`, context.signal, () =>
        kind[verb](target, context),
      )
  const { actBatch } = kind
  const batch: KindProvider["actBatch"] = async (scope, items) => {
    const [first] = items
    if (first === undefined || actBatch === undefined) return []
    const { world, signal } = first.context
    const effect = (): Promise<readonly ActResult[]> => actBatch(scope, items)
    return calls.through(world, `batch ${scope}`, signal, effect)
  }
  return {
    ...kind,
    create: act("create"),
    update: act("update"),
    delete: act("delete"),
    ...(actBatch === undefined ? {} : { actBatch: batch }),
  }
}
