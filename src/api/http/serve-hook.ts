// The one path that takes a body from callers without credentials: webhooks of git servers, who
// have a token for one loop alone. Bounded in number, size and time; the answer says yes or no and
// nothing else.

import { withDeadline } from "../../base/async.ts"
import type { Clock } from "../../base/clock.ts"
import { protects } from "../../base/protections.ts"
import { send } from "./answer.ts"
import type { ApiRequest, ApiResponse } from "./exchange.ts"
import type { HookCall } from "./verify-hook.ts"

/** True when the caller proved to know the loop's token. */
export type TakeHook = (namespace: string, loop: string, call: HookCall) => Promise<boolean>

const hooksPath = "/setpoint/v1/hooks/"
const path = /^\/setpoint\/v1\/hooks\/git\/([a-z0-9-]{1,63})\/([a-z0-9.-]{1,253})$/
const bodyBytesMax = 1024 * 1024
const atOnceMax = 8
const perMinuteMax = 120
const minuteMs = 60_000
const bodyMs = 10_000

export class HookDoor {
  readonly #clock: Clock
  readonly #take: TakeHook
  #atOnce = 0
  #since = 0
  #count = 0

  constructor(clock: Clock, take: TakeHook) {
    this.#clock = clock
    this.#take = take
  }

  /** False when the request is for something else. */
  serve(request: ApiRequest, response: ApiResponse): boolean {
    if (request.method !== "POST" || request.url?.startsWith(hooksPath) !== true) return false
    const match = path.exec(request.url.split("?")[0] ?? "")
    const [, namespace, loop] = match ?? []
    if (namespace === undefined || loop === undefined) return false
    void this.#answer(request, namespace, loop).then((status) => {
      if (request.httpVersionMajor < 2 && status !== 202) response.setHeader("connection", "close")
      send(response, status === 429 ? { status, headers: { "retry-after": "10" } } : { status })
    })
    return true
  }

  async #answer(request: ApiRequest, namespace: string, loop: string): Promise<number> {
    if (!this.#enter()) return 429
    this.#atOnce++
    try {
      const body = await withDeadline(this.#clock, bodyMs, () => readAtMost(request, bodyBytesMax))
      if (body.kind === "timeout") return 408
      if (body.value === undefined) return 413
      const { headers } = request
      return (await this.#take(namespace, loop, { headers, body: body.value })) ? 202 : 401
    } catch {
      return 401
    } finally {
      this.#atOnce--
    }
  }

  #enter(): boolean {
    if (!protects("hooks-are-bounded")) return true
    const now = this.#clock.monotonic()
    if (now - this.#since >= minuteMs) {
      this.#since = now
      this.#count = 0
    }
    return ++this.#count <= perMinuteMax && this.#atOnce < atOnceMax
  }
}

/** Undefined when there is more. */
function readAtMost(request: ApiRequest, max: number): Promise<Buffer | undefined> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let size = 0
    const take = (chunk: Buffer | string) => {
      const bytes = typeof chunk === "string" ? Buffer.from(chunk) : chunk
      size += bytes.byteLength
      if (size <= max) return void chunks.push(bytes)
      request.off("data", take)
      request.pause()
      resolve(undefined)
    }
    request.on("data", take)
    request.once("end", () => resolve(Buffer.concat(chunks)))
    request.once("error", reject)
    request.once("close", () => reject(new Error("it broke off")))
  })
}
