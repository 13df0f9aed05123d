// What the answering thread says to the front. The same bytes for many exchanges go once, with all
// their numbers: an event has as many readers as its kind has watchers.

import { packBytes, type ToFront } from "./messages.ts"
import { Outbox } from "./outbox.ts"

/** So many are written by the front while the rest is still gathered here. */
const togetherMax = 32

interface Shared {
  readonly chunk: Uint8Array
  readonly ids: number[]
  readonly size: number
}

export class AnswerBox extends Outbox<ToFront> {
  /** The write that was said last, as long as nothing was said or sent since. */
  #shared: Shared | undefined

  /** The number of bytes. Whoever gives the same object again gives the same bytes. */
  write(id: number, chunk: string | Uint8Array): number {
    const shared = this.#shared
    if (shared !== undefined && shared.chunk === chunk) {
      shared.ids.push(id)
      if (shared.ids.length === togetherMax) this.flush()
      return shared.size
    }
    const bytes = packBytes(chunk)
    // Said, they may be gone to the other thread.
    const size = bytes.length
    const ids = [id]
    this.say(["write", ids, bytes])
    if (typeof chunk !== "string" && !this.isEmpty) this.#shared = { chunk, ids, size }
    return size
  }

  override say(message: ToFront): void {
    this.#shared = undefined
    super.say(message)
  }

  override flush(): void {
    this.#shared = undefined
    super.flush()
  }
}
