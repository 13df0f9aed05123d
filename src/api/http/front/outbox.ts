// Gathers what one thread has to say to the other and sends it as one message: waking a thread
// costs more than most of what it is told. At the end of the turn at the latest; a few requests or
// answers go ahead, so that the other thread works while this one goes on.

import { type Bytes, packBody, packBytes } from "./messages.ts"

/** Either end of the line between two threads. */
export interface Line {
  postMessage(value: unknown, moved: readonly ArrayBuffer[]): void
}

const messagesMax = 8

export class Outbox<Message> {
  readonly #line: Line
  #messages: Message[] = []
  #moved: ArrayBuffer[] = []
  #isDue = false
  readonly #endOfTurn = () => {
    this.#isDue = false
    this.flush()
  }

  constructor(line: Line) {
    this.#line = line
  }

  say(message: Message): void {
    this.#messages.push(message)
    if (this.#messages.length >= messagesMax) this.flush()
    else if (!this.#isDue) {
      this.#isDue = true
      setImmediate(this.#endOfTurn)
    }
  }

  pack(chunk: string | Uint8Array): Bytes {
    return packBytes(chunk, this.#moved)
  }

  packBody(bytes: Buffer): Bytes {
    return packBody(bytes, this.#moved)
  }

  flush(): void {
    if (this.#messages.length === 0) return
    const [messages, moved] = [this.#messages, this.#moved]
    this.#messages = []
    this.#moved = []
    this.#line.postMessage(messages, moved)
  }
}
