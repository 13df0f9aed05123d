// Webhooks of git servers: whether one is from somebody who knows the loop's token, and then a look
// at the repository now. Nothing of what they send is believed or kept, and whoever does not know
// the token does not learn whether there is such a loop.

import { type HookCall, isHookFrom } from "../api/http/verify-hook.ts"
import type { Timer } from "../base/clock.ts"
import { loopId } from "../contract/loop.ts"
import { enginePrincipal } from "../contract/principal.ts"
import { valuesOf } from "./git-loops.ts"
import type { Plane } from "./plane.ts"

const quietMs = 1000

export class GitHooks {
  readonly #plane: Plane
  readonly #last = new Map<string, number>()
  readonly #waiting = new Map<string, Timer>()

  constructor(plane: Plane) {
    this.#plane = plane
  }

  async call(namespace: string, name: string, call: HookCall): Promise<boolean> {
    const id = loopId(namespace, name)
    const token = await this.#token(id, namespace)
    // The same work for a loop that does not exist.
    if (!isHookFrom(call, token)) return false
    this.#poke(id)
    return true
  }

  /** At most once in a while; what comes meanwhile is looked at together, when it is over. */
  #poke(id: string): void {
    if (this.#waiting.has(id)) return
    const { clock } = this.#plane.ports
    const wait = Math.max(
      0,
      (this.#last.get(id) ?? Number.NEGATIVE_INFINITY) + quietMs - clock.monotonic(),
    )
    const timer = clock.after(wait, () => {
      this.#waiting.delete(id)
      this.#last.set(id, clock.monotonic())
      this.#plane.loops.sourceOf(id)?.poke()
    })
    this.#waiting.set(id, timer)
  }

  close(): void {
    for (const timer of this.#waiting.values()) timer.cancel()
    this.#waiting.clear()
  }

  async #token(id: string, namespace: string): Promise<string | undefined> {
    const name = this.#plane.loops.get(id)?.spec.source?.git?.webhookSecret
    if (name === undefined) return undefined
    const ref = { group: "", version: "v1", resource: "secrets", namespace, name }
    const secret = await this.#plane.client(enginePrincipal).get(ref)
    return (
      secret &&
      valuesOf("Secret", secret.data)
        .get("token")
        ?.replace(/\r?\n$/, "")
    )
  }
}
