// Gathers what one thread has to say to the other and sends it as one message: waking a thread
// costs more than most of what it is told. At the end of the turn at the latest; a few requests or
// answers go ahead, so that the other thread works while this one goes on. Bytes that stand last in
// a message are moved with it, never before and never without it.

/** Either end of the line between two threads. */
export interface Line {
  postMessage(value: unknown, moved: readonly ArrayBuffer[]): void
}

const messagesMax = 8

export class Outbox<Message extends readonly unknown[]> {
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

  /** Nothing waits to be sent. */
  get isEmpty(): boolean {
    return this.#messages.length === 0
  }

  say(message: Message): void {
    this.#messages.push(message)
    const last = message[message.length - 1]
    if (last instanceof Uint8Array) this.#moved.push(last.buffer as ArrayBuffer)
    if (this.#messages.length >= messagesMax) this.flush()
    else if (!this.#isDue) {
      this.#isDue = true
      setImmediate(this.#endOfTurn)
    }
  }

  flush(): void {
    if (this.#messages.length === 0) return
    const [messages, moved] = [this.#messages, this.#moved]
    this.#messages = []
    this.#moved = []
    this.#line.postMessage(messages, moved)
  }
}
